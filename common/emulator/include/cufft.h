#pragma once

#error "cufft.h is not emulated yet: cuFFT is not part of the emulated GPU."

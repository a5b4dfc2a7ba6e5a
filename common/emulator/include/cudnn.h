#pragma once

#error "cudnn.h is not emulated yet: cuDNN is not part of the emulated GPU."

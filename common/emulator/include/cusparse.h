#pragma once

#error "cusparse.h is not emulated yet: cuSPARSE is not part of the emulated GPU."

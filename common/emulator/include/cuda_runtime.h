#pragma once

/// CUDA C++ for the emulated GPU: everything a .cu file has without asking. nvcc includes this header by
/// itself, and so does the translation of a .cu file.

#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#endif

// nvcc's own header brings these along, and programs rely on it.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "lab_cuda/cached_access.hpp"
#include "lab_cuda/integer_intrinsics.hpp"
#include "lab_cuda/launch_kernel.hpp"
#include "lab_cuda/math.hpp"
#include "lab_cuda/min_max.hpp"
#include "lab_cuda/numeric_conversions.hpp"
#include "lab_cuda/rounded_arithmetic.hpp"
#include "lab_cuda/typed_api.hpp"
#include "lab_cuda/warp_operations.hpp"
#include "lab_emulator/builtins.hpp"
#include "lab_emulator/launch.hpp"
#include "vector_functions.h"

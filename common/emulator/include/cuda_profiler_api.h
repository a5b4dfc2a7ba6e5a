#pragma once

// cudaProfilerStart and cudaProfilerStop; on the emulated GPU they succeed and do nothing.
#include "cuda_runtime_api.h"

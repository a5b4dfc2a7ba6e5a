#pragma once

// Kept for programs that include it by name; everything it declared comes with cuda_runtime.h.
#include "cuda_runtime.h"

#pragma once

#include <cuda_runtime.h>

#include <cstdio>

/// Prints what a call returned.
#define SHOW(...) std::printf("%s: %s\n", #__VA_ARGS__, cudaGetErrorName(__VA_ARGS__)), std::fflush(stdout)

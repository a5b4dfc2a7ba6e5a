#pragma once

/// Declares what the emulated GPU does not have yet, so that a program which calls it fails to compile, with
/// a sentence that names the function. A call that only the optimiser removes, or a wrapper nobody uses, is
/// no error; a call through a pointer fails at run time with the same sentence.

// Why each group is not there; the sentence continues "NAME is not emulated yet: ".
#define LAB_WHY_graph "the emulated GPU has no graphs and no stream capture"
#define LAB_WHY_callback "use cudaLaunchHostFunc, which replaces stream callbacks"
#define LAB_WHY_pool "the emulated GPU has one memory pool, its default one; use cudaDeviceGetDefaultMemPool"
#define LAB_WHY_managed "the emulated GPU has no managed memory; use cudaMalloc and cudaMemcpy"
#define LAB_WHY_peer "there is only one emulated GPU"
#define LAB_WHY_texture \
  "the emulated GPU has no arrays, textures and surfaces; use cudaMalloc or cudaMallocPitch"
#define LAB_WHY_copy3d "the emulated GPU has no three-dimensional copies; use cudaMemcpy2D for each layer"
#define LAB_WHY_ipc "the emulated GPU belongs to one process"
#define LAB_WHY_launch "the emulated GPU has no cooperative launches; use <<<>>>"
#define LAB_WHY_warp \
  "the emulated GPU has no warp operations; exchange values through __shared__ memory and __syncthreads()"
#define LAB_WHY_rounding "the emulated GPU rounds to nearest only; use the function that ends in _rn"

#define LAB_NOT_EMULATED_SENTENCE(name, group) name " is not emulated yet: " LAB_WHY_##group "."
// `error` rather than `unavailable`: g++ 11 has only the former, and it tolerates unused wrappers. `nothrow`
// because clang 14 overlooks calls that may throw.
#define LAB_NOT_EMULATED_FUNCTION(name, group) \
  __attribute__((error(LAB_NOT_EMULATED_SENTENCE(#name, group)), nothrow))

#define LAB_OR(value) = value
#define LAB_NOT_EMULATED(name, parameters, group) \
  extern "C" LAB_NOT_EMULATED_FUNCTION(name, group) cudaError_t name parameters;
#include "not_emulated.def"
#undef LAB_NOT_EMULATED
#undef LAB_OR

#include "cuda_runtime_api.h"
#include "liveness.hpp"

// What a program gets that reaches a function the emulator does not have in a way the compiler cannot see,
// through a pointer say: the sentence the compiler would have given, at run time.

#define LAB_OR(value)
#define LAB_NOT_EMULATED(name, parameters, group)                                                            \
  extern "C" __attribute__((nothrow)) cudaError_t name parameters {                                          \
    lab::emulator::end_run(lab::trace::finding_kind::not_emulated, LAB_NOT_EMULATED_SENTENCE(#name, group)); \
  }
#include "lab_cuda/not_emulated.def"
#undef LAB_NOT_EMULATED
#undef LAB_OR

// No include guard: <assert.h> takes effect anew wherever it is included, as NDEBUG then says.

#include_next <assert.h>

// In .cu files an assert may fail inside a kernel, where it must not end the process.
#ifdef __CUDACC__
#include "lab_cuda/hooks.h"

#ifndef NDEBUG
#undef assert
#define assert(...)                                                                                     \
  (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0)                                                \
                                  : ::lab::emulator::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__, \
                                                                      __extension__ __PRETTY_FUNCTION__))
#endif
#endif

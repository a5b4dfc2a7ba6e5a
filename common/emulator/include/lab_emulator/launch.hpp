#pragma once

#include <cstddef>
#include <utility>

#include "driver_types.h"
#include "vector_types.h"

/// What the translator turns `kernel<<<grid, block, shared, stream>>>(arguments)` into.
///
///     launch(configure(grid, block, shared, stream), "kernel", kernel)(arguments)
///
/// The call has the kernel's own parameter types, so conversions and a literal 0 behave as in CUDA.
namespace lab::emulator {

struct launch_configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

inline launch_configuration configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                                      cudaStream_t stream = nullptr) {
  return {grid, block, shared_bytes, stream};
}

/// A kernel with its arguments: what each thread of the grid runs. Function pointers rather than virtual
/// functions, so that nothing between the runtime and the kernel is instrumented.
struct kernel_body {
  void (*run_thread)(const kernel_body*);
  void (*destroy)(kernel_body*);
  std::size_t bytes;  ///< all of it, the arguments included
};

/// Submits the grid and takes ownership of `body`. Returns at once; errors are the thread's last error too.
/// Without a name (a null pointer) the kernel goes by that of the function.
cudaError_t submit_launch(const launch_configuration& configuration, const char* name, const void* function,
                          kernel_body* body);

// Not part of the program being measured.
#define LAB_UNINSTRUMENTED __attribute__((no_sanitize("thread")))

namespace detail {

template <std::size_t Index, class T>
struct argument {
  T value;
};

template <class Indices, class Kernel, class... Arguments>
struct bound_kernel;

template <std::size_t... Index, class Kernel, class... Arguments>
struct bound_kernel<std::index_sequence<Index...>, Kernel, Arguments...> : kernel_body,
                                                                           argument<Index, Arguments>... {
  Kernel kernel;

  LAB_UNINSTRUMENTED bound_kernel(Kernel k, Arguments&... arguments)
      : kernel_body{&run, &remove, sizeof(bound_kernel)},
        argument<Index, Arguments>{arguments}...,
        kernel(k) {}

  LAB_UNINSTRUMENTED static void run(const kernel_body* body) {
    auto* self = static_cast<const bound_kernel*>(body);
    self->kernel(static_cast<const argument<Index, Arguments>*>(self)->value...);
  }
  static void remove(kernel_body* body) { delete static_cast<bound_kernel*>(body); }
};

template <class Kernel, class... Arguments>
using bound = bound_kernel<std::index_sequence_for<Arguments...>, Kernel, Arguments...>;

}  // namespace detail

template <class... Parameters>
class launcher {
 public:
  launcher(const launch_configuration& configuration, const char* name, void (*kernel)(Parameters...))
      : configuration_(configuration), name_(name), kernel_(kernel) {}

  // Never inlined: its return address is the student's line.
  __attribute__((noinline)) void operator()(Parameters... arguments) const {
    static_assert(!(std::is_reference_v<Parameters> || ...),
                  "a kernel takes its parameters by value or pointer, not by reference");
    submit_launch(configuration_, name_, reinterpret_cast<const void*>(kernel_),
                  new detail::bound<void (*)(Parameters...), Parameters...>(kernel_, arguments...));
  }

 private:
  launch_configuration configuration_;
  const char* name_;
  void (*kernel_)(Parameters...);
};

template <class... Parameters>
launcher<Parameters...> launch(const launch_configuration& configuration, const char* name,
                               void (*kernel)(Parameters...)) {
  return {configuration, name, kernel};
}

/// For kernels whose parameter types only the call can tell (deduced templates, overloads, default
/// arguments).
template <class Call>
class deduced_launcher {
 public:
  deduced_launcher(const launch_configuration& configuration, const char* name, Call call)
      : configuration_(configuration), name_(name), call_(call) {}

  template <class... Arguments>
  __attribute__((noinline)) void operator()(Arguments... arguments) const {
    submit_launch(configuration_, name_, nullptr, new detail::bound<Call, Arguments...>(call_, arguments...));
  }

 private:
  launch_configuration configuration_;
  const char* name_;
  Call call_;
};

template <class Call>
deduced_launcher<Call> launch_deduced(const launch_configuration& configuration, const char* name,
                                      Call call) {
  return {configuration, name, call};
}

/// A literal 0 among deduced arguments: a number or a null pointer, as the parameter wants.
struct zero_literal {
  template <class T>
  constexpr operator T*() const {
    return nullptr;
  }
  constexpr operator int() const { return 0; }
};

}  // namespace lab::emulator

#pragma once

#include <cstddef>
#include <utility>

#include "driver_types.h"
#include "vector_types.h"

/// What the translator turns `kernel<<<grid, block, shared, stream>>>(arguments)` into.
///
///     launch(configure(grid, block, shared, stream), kernel)(arguments)
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

/// Submits the grid and takes ownership of `body`. Returns at once; errors are the thread's last error. The
/// kernel goes by the name of `function`; where that is not known (a null pointer) by `text`, what the launch
/// calls it.
void submit_launch(const launch_configuration& configuration, const char* text, const void* function,
                   kernel_body* body);
/// The same for a function that launches: errors are its answer too. Ends the program where the configuration
/// asks for what is not emulated.
cudaError_t submit_launch(const cudaLaunchConfig_t& configuration, const void* function, kernel_body* body);

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

template <class... Parameters, std::size_t... Index>
LAB_UNINSTRUMENTED kernel_body* unpack(void (*kernel)(Parameters...), void** arguments,
                                       std::index_sequence<Index...>) {
  return new bound<void (*)(Parameters...), Parameters...>(kernel,
                                                           *static_cast<Parameters*>(arguments[Index])...);
}

}  // namespace detail

/// A kernel with the arguments that `arguments` points to, one pointer a parameter.
template <class... Parameters>
LAB_UNINSTRUMENTED kernel_body* unpack(void (*kernel)(Parameters...), void** arguments) {
  return detail::unpack(kernel, arguments, std::index_sequence_for<Parameters...>{});
}

/// How to launch a kernel of which only the address is given.
struct launchable {
  const void* (*address)();
  kernel_body* (*unpack)(void** arguments);
};

template <auto Kernel>
struct launchable_kernel {
  LAB_UNINSTRUMENTED static const void* address() { return reinterpret_cast<const void*>(Kernel); }
  LAB_UNINSTRUMENTED static kernel_body* unpack_for(void** arguments) { return unpack(Kernel, arguments); }
};

// The translator puts this behind kernels, where the program may launch them by address: their list is a
// section of its own.
#define LAB_LAUNCHABLE(kernel) LAB_LAUNCHABLE_NUMBER(kernel, __COUNTER__)
#define LAB_LAUNCHABLE_NUMBER(kernel, number) LAB_LAUNCHABLE_NAMED(kernel, number)
#define LAB_LAUNCHABLE_NAMED(kernel, number)                                                 \
  __attribute__((section("lab_kernels"),                                                     \
                 used)) static const ::lab::emulator::launchable lab_launchable_##number = { \
      &::lab::emulator::launchable_kernel<kernel>::address,                                  \
      &::lab::emulator::launchable_kernel<kernel>::unpack_for};

template <class... Parameters>
class launcher {
 public:
  launcher(const launch_configuration& configuration, void (*kernel)(Parameters...))
      : configuration_(configuration), kernel_(kernel) {}

  // Never inlined: its return address is the student's line.
  __attribute__((noinline)) void operator()(Parameters... arguments) const {
    static_assert(!(std::is_reference_v<Parameters> || ...),
                  "a kernel takes its parameters by value or pointer, not by reference");
    submit_launch(configuration_, nullptr, reinterpret_cast<const void*>(kernel_),
                  new detail::bound<void (*)(Parameters...), Parameters...>(kernel_, arguments...));
  }

 private:
  launch_configuration configuration_;
  void (*kernel_)(Parameters...);
};

template <class... Parameters>
launcher<Parameters...> launch(const launch_configuration& configuration, void (*kernel)(Parameters...)) {
  return {configuration, kernel};
}

/// For kernels whose parameter types only the call can tell (deduced templates, overloads, default
/// arguments); `text` is what it calls them.
template <class Call>
class deduced_launcher {
 public:
  deduced_launcher(const launch_configuration& configuration, const char* text, Call call)
      : configuration_(configuration), text_(text), call_(call) {}

  template <class... Arguments>
  __attribute__((noinline)) void operator()(Arguments... arguments) const {
    submit_launch(configuration_, text_, nullptr, new detail::bound<Call, Arguments...>(call_, arguments...));
  }

 private:
  launch_configuration configuration_;
  const char* text_;
  Call call_;
};

template <class Call>
deduced_launcher<Call> launch_deduced(const launch_configuration& configuration, const char* text,
                                      Call call) {
  return {configuration, text, call};
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

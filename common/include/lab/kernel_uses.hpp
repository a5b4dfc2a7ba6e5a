#pragma once

#include <cstddef>
#include <typeinfo>
#include <utility>

/// What a kernel reads and writes, said behind it in a line of its own: a real GPU does not tell.
///
///     static __global__ void add(const float* a, float* sum, int n) { … }
///     KERNEL_USES(add, (const float* a, float* sum, int n), reads(a, n), reads_and_writes(sum, n));
///
/// The parameters are the kernel's, the rest is an expression of them for each stretch of memory, at most
/// six. A template has none. The emulated GPU, where it changes nothing, sees every access: a test compares
/// the two.
namespace lab::kernel_uses {

/// Memory that one launch uses.
struct use {
  const void* begin;
  std::size_t bytes;
  bool reads, writes;
};

/// `count` elements from `first` on.
template <class T>
use reads(const T* first, long long count) {
  return {first, static_cast<std::size_t>(count) * sizeof(T), true, false};
}
template <class T>
use writes(T* first, long long count) {
  return {first, static_cast<std::size_t>(count) * sizeof(T), false, true};
}
template <class T>
use reads_and_writes(T* first, long long count) {
  return {first, static_cast<std::size_t>(count) * sizeof(T), true, true};
}

/// All that one launch uses; what is not taken has no bytes.
struct list {
  use all[6];
};
template <class... Uses>
list list_of(Uses... uses) {
  constexpr bool fits = sizeof...(Uses) <= sizeof(list) / sizeof(use);
  static_assert(fits, "KERNEL_USES takes at most six stretches of memory");
  if constexpr (fits) return {{uses...}};
}

/// One KERNEL_USES, as the recorder finds it in the program.
struct annotation {
  const char* kernel;  ///< without its namespace
  const std::type_info& type;
  list (*of_launch)(void* const* arguments);  ///< arguments as cuLaunchKernel takes them
};

template <class... Parameters, std::size_t... position>
list called(list (*function)(Parameters...), void* const* arguments, std::index_sequence<position...>) {
  return function(*static_cast<Parameters*>(arguments[position])...);
}
template <class... Parameters>
list called(list (*function)(Parameters...), void* const* arguments) {
  return called(function, arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
constexpr bool have_same_parameters(void (*)(Parameters...), list (*)(Parameters...)) {
  return true;
}
constexpr bool have_same_parameters(...) {
  return false;
}

}  // namespace lab::kernel_uses

#define KERNEL_USES(kernel, parameters, ...)                                                         \
  static ::lab::kernel_uses::list kernel##_uses parameters {                                         \
    using namespace ::lab::kernel_uses;                                                              \
    return list_of(__VA_ARGS__);                                                                     \
  }                                                                                                  \
  static_assert(::lab::kernel_uses::have_same_parameters(&kernel, &kernel##_uses),                   \
                "KERNEL_USES must have the parameters of " #kernel);                                 \
  static const ::lab::kernel_uses::annotation kernel##_annotation{                                   \
      #kernel, typeid(decltype(kernel)),                                                             \
      [](void* const* arguments) { return ::lab::kernel_uses::called(&kernel##_uses, arguments); }}; \
  __attribute__((section("lab_kernel_uses"), unused,                                                 \
                 used)) static const ::lab::kernel_uses::annotation* const kernel##_is_annotated =   \
      &kernel##_annotation

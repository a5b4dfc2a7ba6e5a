#pragma once

#include <string>
#include <vector>

#include "seen.hpp"

namespace lab::cupti {

/// What a kernel's mangled name says.
struct kernel_signature {
  /// "scale", "n::scale<float>": without its parameters and unnamed namespaces.
  std::string name;

  /// A parameter that is a pointer lets the kernel use memory: one to const is read, any other read and
  /// written.
  struct pointer {
    std::size_t position = 0;
    bool to_const = false;
  };
  std::vector<pointer> pointers;
};

kernel_signature read_signature(const char* mangled);

/// What the pointers of a launch let the kernel use, each to the end of its allocation.
/// @param arguments as cuLaunchKernel takes them; null where the launch passes them otherwise
std::vector<byte_range> memory_of_arguments(const kernel_signature& kernel, void* const* arguments);

}  // namespace lab::cupti

#pragma once

#include <lab/kernel_uses.hpp>
#include <string>
#include <vector>

#include "seen.hpp"

namespace lab::cupti {

/// What a kernel's mangled name says.
struct kernel_signature {
  /// "scale", "n::scale<float>": without its parameters and unnamed namespaces.
  std::string name;

  /// A parameter that is a pointer lets the kernel use memory: one to const is read, any other read and
  /// written; one to volatile is a flag.
  struct pointer {
    std::size_t position = 0;
    bool to_const = false;
    bool to_volatile = false;
  };
  std::vector<pointer> pointers;

  /// A parameter of a class may hold pointers. What lies in it is known once the driver tells its size.
  struct object {
    std::size_t position = 0;
    std::size_t bytes = 0;
  };
  std::vector<object> objects;

  /// What the program says that it uses (KERNEL_USES); null: nothing.
  const kernel_uses::annotation* annotation = nullptr;
};

kernel_signature read_signature(const char* mangled);

/// "n::counter" of the name by which nvcc registers a variable.
std::string name_of_variable(const char* mangled);

/// What a launch uses, as the kernel's annotation says; else what its pointers let it use, each to the end of
/// its allocation. All in an object that could be a pointer counts as one: what leads to no allocation is
/// none.
/// @param arguments as cuLaunchKernel takes them; null where the launch passes them otherwise
std::vector<byte_range> memory_of_arguments(const kernel_signature& kernel, void* const* arguments);

}  // namespace lab::cupti

#pragma once

#include <string>
#include <vector>

#include "seen.hpp"

namespace lab::cupti {

/// "scale", "n::scale<float>": a kernel's mangled name without its parameters and unnamed namespaces.
std::string kernel_name(const char* mangled);

/// What a launch's pointer arguments let the kernel use, by the types of its parameters: a pointer to const
/// is read, any other read and written, to the end of its allocation.
/// @param arguments as cuLaunchKernel takes them; null where the launch passes them otherwise
std::vector<byte_range> memory_of_arguments(const char* mangled, void* const* arguments);

}  // namespace lab::cupti

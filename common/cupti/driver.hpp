#pragma once

#include <dlfcn.h>

namespace lab::cupti {

/// A function of the driver, by the name that its library has it under; null where it has none: the program
/// does not link it. Its calls come to no callback, and leave the runtime's last error alone.
template <class Function>
Function* driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

/// The same for a pointer to one.
template <class Function>
void find_in_driver(Function*& function, const char* name) {
  function = driver_function<Function>(name);
}

}  // namespace lab::cupti

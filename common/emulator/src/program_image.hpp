#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// From the linker.
extern "C" {
extern char __executable_start;
extern char _end;
}

namespace lab::emulator {

inline std::uintptr_t image_begin() {
  return reinterpret_cast<std::uintptr_t>(&__executable_start);
}
inline std::uintptr_t image_end() {
  return reinterpret_cast<std::uintptr_t>(&_end);
}

/// The program's own image: its globals are where __device__ and __constant__ variables live.
inline bool in_program_image(std::uintptr_t address, std::size_t bytes) {
  return address >= image_begin() && address + bytes <= image_end();
}

/// A function or variable of the program, from its symbol table.
struct image_symbol {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  const char* name = nullptr;  ///< as the linker knows it
};

/// The variable at `address`; nullptr where none is that the program could write.
const image_symbol* variable_around(std::uintptr_t address);

// "results::total", "scale<float>": with neither parameters nor unnamed namespaces.
std::string name_of_variable(const image_symbol& variable);
std::string name_of_function(const void* function);

}  // namespace lab::emulator

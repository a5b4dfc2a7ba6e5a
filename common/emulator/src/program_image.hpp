#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace lab::emulator

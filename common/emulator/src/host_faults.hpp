#pragma once

#include <cstddef>
#include <cstdint>

namespace lab::emulator {

/// Host code dereferenced device memory: says so, and ends the process as the real machine does, by SIGSEGV.
[[noreturn]] void host_touched_device(std::uintptr_t address, std::size_t bytes, bool write,
                                      std::uintptr_t code);

}  // namespace lab::emulator

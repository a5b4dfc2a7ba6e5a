#pragma once

#include <cstddef>
#include <cstdint>

#include "memory.hpp"

namespace lab::emulator {

enum class address_space : std::uint8_t { device, mapped, shared, local };

/// Where a kernel's access lies: it may use all of [begin, end).
struct address_range {
  std::uintptr_t begin, end;
  address_space space;
  allocation* memory;  ///< device memory, mapped memory and variables only
};

/// Finds what a kernel may touch at `address`; everything else is a fault of the running grid, explained.
address_range classify_kernel_access(std::uintptr_t address, std::size_t bytes, bool write,
                                     std::uintptr_t code);

}  // namespace lab::emulator

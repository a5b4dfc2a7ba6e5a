#pragma once

#include <cstdint>

#include "memory.hpp"

/// The __device__ and __constant__ variables of the program. Here they are variables like any other, in the
/// program's image: what kernels and copies use of it is one, and from then on an allocation in the trace.
namespace lab::emulator::device_variables {

/// The variable at `address`; nullptr where none is, or where no trace is kept.
allocation* around(std::uintptr_t address);

/// The same, of those that something has used so far.
allocation* used_around(std::uintptr_t address);

}  // namespace lab::emulator::device_variables

#pragma once

#include "launches.hpp"

namespace lab::emulator::translate {

/// Declarations of `__shared__` variables become references to the memory of the running block.
void translate_shared_memory(const fragment& in, const surroundings& around);

}  // namespace lab::emulator::translate

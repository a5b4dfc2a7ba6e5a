#pragma once

#include "launches.hpp"

namespace lab::emulator::translate {

/// Inline PTX that reads special registers, `asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));`, becomes
/// plain C++. Other PTX is rejected by name; assembly of the host is left to the compiler.
void translate_inline_ptx(const fragment& in, const surroundings& around);

}  // namespace lab::emulator::translate

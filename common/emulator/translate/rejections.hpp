#pragma once

#include "launches.hpp"

namespace lab::emulator::translate {

/// Reports what nvcc rejects and the host compiler would take: kernels that return a value, kernels called
/// like functions, device built-ins in host code. In doubt it says nothing.
void report_misuse(const fragment& in, const surroundings& around);

}  // namespace lab::emulator::translate

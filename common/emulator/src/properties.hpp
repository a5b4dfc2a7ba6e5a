#pragma once

#include <optional>

#include "driver_types.h"
#include "profile.hpp"

namespace lab::emulator {

/// What cudaGetDeviceProperties says of the emulated GPU: the hardware's own limits, and honestly "no" to
/// every feature that is not emulated yet, so that a program which asks first takes its other way.
cudaDeviceProp properties(const device_profile& profile);

/// What cudaDeviceGetAttribute says; nothing for a number that is no attribute.
std::optional<int> attribute(const device_profile& profile, cudaDeviceAttr which);

}  // namespace lab::emulator

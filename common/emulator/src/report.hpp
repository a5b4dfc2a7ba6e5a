#pragma once

#include <string_view>

namespace lab::emulator {

/// One sentence of the emulator's own on stderr, prefixed "lab: "; silent under LAB_QUIET.
void say(std::string_view sentence);

/// Reads LAB_QUIET and removes it from the environment.
void start_reporting();

}  // namespace lab::emulator

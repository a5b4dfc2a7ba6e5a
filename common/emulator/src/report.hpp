#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::emulator {

/// One sentence of the emulator's own on stderr, prefixed "lab: " and, where LAB_WHERE names a program that
/// turns code addresses into source lines, the line of the first of `frames` that has one. Silent under
/// LAB_QUIET.
void say(std::string_view sentence, const std::vector<std::uint64_t>& frames);

/// "file:line" of the first of `frames` that has a source line; empty without LAB_WHERE.
std::string place_of(const std::vector<std::uint64_t>& frames);

/// Reads LAB_QUIET and LAB_WHERE, and removes them from the environment.
void start_reporting();

}  // namespace lab::emulator

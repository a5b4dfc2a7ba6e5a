#pragma once

#include <cupti.h>

#include <string>

#include "seen.hpp"

/// When the GPU did what it was asked for: CUPTI's activity records, which come in buffers and later.
namespace lab::cupti::device_times {

/// Has CUPTI record them, on the clock that it is given. "" where it does; else why not, and what helps.
std::string start(std::uint64_t (*clock)());

/// Takes what there is. @param wait for the end of what is under way in CUPTI
void collect(bool wait);

/// Moves what was taken into the record, and which GPUs it was, and how much of it was lost.
/// @param started the record's beginning on the clock
void move_to(everything_seen& record, std::uint64_t started);

/// "CUPTI refuses to watch the program: …", with what helps.
std::string refusal(const char* what, CUptiResult result);

}  // namespace lab::cupti::device_times

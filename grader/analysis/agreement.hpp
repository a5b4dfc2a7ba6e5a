#pragma once

#include <string>

#include "recording.hpp"

namespace lab::analysis {

/// What the records of the same program on two devices tell differently, in a sentence; "" where they agree:
/// exactly in what was submitted, in which order, to which streams and with which edges, and in how the host
/// waited; in the time that each piece of work took, within `tolerance` of the longer, where that is more
/// than 50 µs.
std::string disagreement(const recording& emulated, const recording& real, double tolerance = 0.15);

}  // namespace lab::analysis

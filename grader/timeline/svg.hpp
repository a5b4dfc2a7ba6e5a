#pragma once

#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab::timeline {

/// A picture for handouts: needs nothing else, follows the reader's light or dark, and is the same to the
/// byte for the same record. Several runs stand one above the other on one time axis.
std::string svg(const std::vector<model>& runs);

}  // namespace lab::timeline

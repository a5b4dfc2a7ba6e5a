#pragma once

#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab::timeline {

/// A page that needs nothing else, not even a network. Several runs stand one above the other on one time
/// axis, each from the beginning of what the student's file did.
std::string page(const std::vector<model>& runs);

}  // namespace lab::timeline

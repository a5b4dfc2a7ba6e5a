#pragma once

#include <optional>

#include "explanation.hpp"
#include "measurement.hpp"
#include "narration.hpp"

namespace lab::analysis {

explanation explain_clock(const recording& of, const clock_measurement& found,
                          const std::vector<work>& named);
explanation explain_events(const recording& of, const event_measurement& found,
                           const std::vector<work>& named);

}  // namespace lab::analysis

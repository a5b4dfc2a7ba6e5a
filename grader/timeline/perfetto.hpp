#pragma once

#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab::timeline {

/// In the trace event format that ui.perfetto.dev and chrome://tracing open: the host and the device as
/// processes, threads and streams as their threads, measured intervals as threads of their own, waits and
/// hazards as flows. Times are in microseconds; "ns" is what chrome://tracing is to count in, which nests
/// slices by whole microseconds otherwise.
std::string perfetto(const std::vector<model>& runs);

}  // namespace lab::timeline

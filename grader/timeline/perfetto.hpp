#pragma once

#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab::timeline {

/// In the trace event format that ui.perfetto.dev and chrome://tracing open: the host and the device as
/// processes, threads and streams as their threads, waits and hazards as flows, measured intervals as
/// asynchronous slices. Times are in microseconds.
std::string perfetto(const std::vector<model>& runs);

}  // namespace lab::timeline

#pragma once

#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab::timeline {

/// In the trace event format that ui.perfetto.dev and chrome://tracing open: the host and the device as
/// processes, threads and streams as their threads, measured intervals as threads of their own, waits and
/// hazards as flows. Times are in microseconds; the file names no unit to show them in, which Perfetto once
/// took for that of the times (https://github.com/google/perfetto/issues/141).
std::string perfetto(const std::vector<model>& runs);

}  // namespace lab::timeline

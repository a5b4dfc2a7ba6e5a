#pragma once

#include <optional>
#include <trace/model.hpp>

/// Between two things that it does and that are recorded, a thread may have to wait because the system gives
/// its processor to others. Each function is about the calling thread.
namespace lab::cupti::preemption {

/// What it does and is recorded ended at `now`, and took `took` nanoseconds.
void did_something(trace::time_ns now, trace::time_ns took);

/// How long it had to wait since, where it next does something at `now`. Nothing where that is too short to
/// be told, or the thread itself went to wait in between (for a file, say, or a lock): then nobody knows
/// which of the two it was.
std::optional<trace::time_ns> waited_until(trace::time_ns now);

/// Time begins anew.
void forget();

}  // namespace lab::cupti::preemption

#pragma once

#include <functional>

#include "scheduler.hpp"
#include "trace/model.hpp"

namespace lab::emulator {

/// What that thread waits for when it has nothing to do.
inline constexpr const char* idle_service_wait = "work for host functions";

/// Starts that thread, once; called by host code before it submits the first function.
void prepare_host_functions();

/// Runs `function(argument)`, which is the operation `work`, at `at` on the runtime's own host thread, after
/// those queued before; then calls `done(end)`. Returns at once.
void run_host_function(void (*function)(void*), void* argument, trace::id work, time_ns at,
                       std::function<void(time_ns)> done);

}  // namespace lab::emulator

#pragma once

#include "scheduler.hpp"
#include "trace/schedule.hpp"

/// The schedule that the environment asks for (trace/schedule.hpp), which leaves the program's files as a
/// natural run has written them.
namespace lab::emulator::schedule {

/// Reads it, and removes it from the environment. Ends the program where it makes no sense.
void start();

bool by_submission();
/// How long the host then waits for work, which may itself wait for what the host does next.
inline constexpr time_ns patience = time_ns{10} * 1'000'000'000;
/// How long the host pauses behind what it submits.
time_ns pause();

const trace::held_work& held();

bool implicit_waits();

/// The call that fails, 0 for none.
trace::id failing_call();

}  // namespace lab::emulator::schedule

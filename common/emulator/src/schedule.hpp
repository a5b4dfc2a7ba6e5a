#pragma once

#include "scheduler.hpp"
#include "trace/model.hpp"

/// Which of the orders that the program leaves open is taken. Other than the natural one they are asked for
/// in the environment, as LAB_SCHEDULE:
///
/// - `submission`: each piece of work is done before the next is submitted, as a program means that leaves
///   nothing to luck; `submission slowly`: and some time passes in between, so that what a program prints of
///   times differs from the former, and nothing else;
/// - `hold A`, `hold A B`: the operation A begins when nothing else is left to do, or when B is done;
/// - `no-implicit-waits`, after one of these or alone: calls do not wait where nothing promises that they do.
///
/// No wait of the program is broken by this: where the host waits for work that is held, the work is let go.
namespace lab::emulator::schedule {

/// Reads LAB_SCHEDULE, and removes it from the environment. Ends the program where it makes no sense.
void start();

bool by_submission();
/// How long the host pauses behind what it submits.
time_ns pause();

/// The operation that is held back; 0 where none is.
trace::id held();
/// The operation that it is held back for; 0: for all there is.
trace::id held_for();

bool implicit_waits();

/// No work is held back longer: far beyond any work of a lab, well within a run's budget.
inline constexpr time_ns longest_hold = time_ns{10} * 1'000'000'000;

}  // namespace lab::emulator::schedule

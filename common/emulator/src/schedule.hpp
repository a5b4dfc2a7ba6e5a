#pragma once

#include "scheduler.hpp"
#include "trace/model.hpp"

/// Which of the orders that the program leaves open is taken. Other than the natural one they are asked for
/// in the environment, as LAB_SCHEDULE:
///
/// - `submission`: each piece of work is done before the next is submitted, as a program means that leaves
///   nothing to luck; `submission slowly`: and some time passes in between, so that what a program prints of
///   times differs from the former, and nothing else;
/// - `hold A for NS`, `hold A until B for NS`: the operation A begins when B is done, or that much later than
///   it could, in ns; the latter comes at once where the host waits for A and nothing else is left to do;
/// - `no-implicit-waits`: calls do not wait where nothing promises that they do;
/// - `fail N`: the call N of the CUDA API fails, with cudaErrorOperatingSystem, and does nothing, as any call
///   may; what comes after it is as if it had not been made.
///
/// They can be combined, in this order: `submission hold 3 until 5 for 1000` is the order of the program's
/// lines but for these two, and for what comes after operation 3. No wait of the program is broken by this,
/// and none of its files changed: a natural run has written them.
namespace lab::emulator::schedule {

/// Reads LAB_SCHEDULE, and removes it from the environment. Ends the program where it makes no sense.
void start();

bool by_submission();
/// How long the host then waits for work, which may itself wait for what the host does next.
inline constexpr time_ns patience = time_ns{10} * 1'000'000'000;
/// How long the host pauses behind what it submits.
time_ns pause();

/// An operation that is held back, 0 where none is, and for what: 0 for as long as may be.
struct hold {
  trace::id operation = 0;
  trace::id until = 0;
  time_ns longest = 0;
};
const hold& held();

bool implicit_waits();

/// The call that fails, 0 for none.
trace::id failing_call();

}  // namespace lab::emulator::schedule

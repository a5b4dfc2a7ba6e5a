#pragma once

#include "model.hpp"

/// Which of the orders that a program leaves open is taken. Other than the natural one they are asked for in
/// the environment, as LAB_SCHEDULE:
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
/// lines but for these two, and for what comes after operation 3. No wait of the program is broken by this.
///
/// On a real GPU work is held back for a quarter of a second at least and two seconds at most, and calls are
/// CUDA's own: the last two cannot be had there.
namespace lab::trace {

/// An operation that is held back, 0 where none is, and for what: 0 for as long as may be.
struct held_work {
  id operation = 0;
  id until = 0;
  time_ns longest = 0;
};

struct schedule {
  bool by_submission = false;
  bool slowly = false;
  held_work held;
  bool implicit_waits = true;
  id failing_call = 0;
};

/// Whether the text is a schedule; `into` is one that asks for nothing.
bool read_schedule(const char* text, schedule& into);

/// The same with LAB_SCHEDULE, which it takes out of the environment; false where there is none. Ends the
/// program, with 125, where it makes no sense.
bool take_schedule(schedule& into);

}  // namespace lab::trace

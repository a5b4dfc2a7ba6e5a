#pragma once

#include "host_thread.hpp"
#include "trace/model.hpp"

/// Nothing hangs silently: deadlocks and endless loops end the run with a sentence.
namespace lab::emulator {

inline constexpr int own_failure = 125;  // the exit code where the emulator ends the program

/// Ends the process: adds the finding to the trace, prints the sentence on stderr, exits with 125. `code`:
/// where; else it is the calling thread's last CUDA call.
[[noreturn]] void end_run(trace::finding_kind kind, const char* sentence, const void* code = nullptr);

/// Once for every second of CPU time: ends the run when nothing at all has been counted for ten of them. The
/// one limit that is not a count, for loops that count nothing.
void watch_progress(const void* code);

/// Every thread waits and the device has nothing left to do.
[[noreturn]] void report_deadlock(host_thread* const* threads, int count);

/// Ends the run when it has used up its virtual time, accesses or calls.
void check_budgets(const host_thread& thread);

/// Ends the run when `call` is the last of far more failing calls in a row than a program makes that looks at
/// their statuses.
void check_failures(const host_thread& thread, const char* call);

/// Ends the run when a kernel has run far longer than any kernel of use.
void check_kernel_budget(time_ns running_for, const char* name, bool host_can_run);

}  // namespace lab::emulator

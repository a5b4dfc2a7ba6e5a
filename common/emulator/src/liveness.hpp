#pragma once

#include "host_thread.hpp"
#include "trace/model.hpp"

/// Nothing hangs silently: deadlocks and endless loops end the run with a sentence.
namespace lab::emulator {

/// Ends the process: adds the finding to the trace, prints the sentence on stderr, exits with 125. `code`:
/// where; else it is the calling thread's last CUDA call.
[[noreturn]] void end_run(trace::finding_kind kind, const char* sentence, const void* code = nullptr);

/// Writes the trace of a program that ends, by itself or by crashing, with what its pending work would do.
void write_last_record(bool complete);

/// Once for every second of CPU time: whether nothing at all has been counted for ten of them. The one limit
/// that is not a count, for loops that count nothing.
bool nothing_moves();
/// Ends the run for that reason.
[[noreturn]] void end_silent_run(const void* code);

/// Every thread waits and the device has nothing left to do.
[[noreturn]] void report_deadlock(host_thread* const* threads, int count);

/// Whether the record takes all the memory that it may.
bool record_is_full();

/// Ends the run when it has used up its virtual time, accesses or calls.
void check_budgets(const host_thread& thread);

/// Ends the run when `call` is the last of far more failing calls in a row than a program makes that looks at
/// their statuses.
void check_failures(const host_thread& thread, const char* call);

/// Ends the run when a kernel has run far longer than any kernel of use.
void check_kernel_budget(time_ns running_for, const char* name, bool host_can_run);

}  // namespace lab::emulator

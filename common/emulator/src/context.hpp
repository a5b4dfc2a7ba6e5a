#pragma once

#include <string>

#include "scheduler.hpp"
#include "trace/model.hpp"

/// The CUDA context: created by the first call that needs it, gone for good after a fault of a kernel.
namespace lab::emulator {

/// The error every call returns since a kernel failed; 0 while all is well.
int sticky_error();

/// A kernel has failed at `at`: all work ends, every call from now on returns `error`.
void fail_context(int error, const std::string& sentence, trace::id operation, const void* code, time_ns at);

/// The same for work that is no code of the program: the place is that of the call which submitted it.
void fail_context(int error, const std::string& sentence, const struct operation& work, time_ns at);

/// cudaDeviceReset after a fault "succeeds", but only a new process helps.
void lose_device();

/// The time the calling thread spends creating the context: once, then 0.
time_ns context_creation();

}  // namespace lab::emulator

#pragma once

namespace lab::emulator {

/// Faults of kernels become CUDA errors, crashes of host code are recorded before they kill the process,
/// SIGTERM writes the trace and ends it.
void catch_signals();

/// Gives the calling OS thread a stack for signal handlers, so that a stack overflow can be told.
void use_signal_stack();

}  // namespace lab::emulator

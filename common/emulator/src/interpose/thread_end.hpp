#pragma once

namespace lab::emulator {

/// Whether the caller runs on a thread that the program created (not its main thread).
bool is_created_thread();

/// Runs what the calling thread is to do at its end: destructors of its thread_local objects, then those of
/// its thread-specific data. libc would do so after the baton has been passed on.
void run_thread_end_functions();

}  // namespace lab::emulator

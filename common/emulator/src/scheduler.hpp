#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Virtual time, and who runs next.
///
/// Each host thread is an OS thread with a virtual clock of its own; exactly one of them runs at any moment
/// (it holds the baton). At every yield point the one that is earliest goes on: a host thread, a deadline, or
/// the device's next event. Nothing here depends on the real clock, so a run repeats to the bit on a loaded
/// machine.
namespace lab::emulator {

using time_ns = std::int64_t;
inline constexpr time_ns never = INT64_MAX;

class host_thread;

/// Host threads that wait for one thing, in the order in which they came.
struct wait_queue {
  std::vector<host_thread*> waiting;
};

enum class wake { notified, timed_out };

/// The virtual time of the calling thread, its counted accesses included.
time_ns now();

/// The calling thread computes for `cost`: moves its clock, runs nobody else.
void advance(time_ns cost);

/// What it costs the calling thread to ask a question (read a clock, query an event) that takes `usual` by
/// itself: more and more in a loop of nothing but questions.
time_ns cost_of_asking(time_ns usual);

/// Lets everything that is earlier than the calling thread run first. Every CUDA call, clock read, lock
/// operation and host atomic passes here, and every few thousand accesses, so that a busy-wait makes
/// progress.
void yield();

/// Moves the calling thread to `deadline`; the others and the device run meanwhile.
void sleep_until(time_ns deadline);

/// Blocks the calling thread until it is notified or `deadline` has come; a notified thread continues at the
/// notifier's time or its own, whichever is later. Reports a deadlock, and does not return, when nothing is
/// left that could end the wait. `what` names the wait in that report, e.g. "cudaStreamSynchronize", "a
/// mutex".
wake wait(wait_queue& queue, const char* what, time_ns deadline = never);

/// Makes the threads in `queue` ready at `at` (the caller's now() where the caller is a host thread).
void notify_one(wait_queue& queue, time_ns at);
void notify_all(wait_queue& queue, time_ns at);

/// Interposed thread creation. The creator calls `announce_thread` (which reserves the number and starts the
/// clock at the creator's), the new OS thread calls `enter_thread` first of all, which blocks until it is its
/// turn, and `leave_thread` as the last thing it does; `leave_thread` passes the baton on and returns at
/// once.
host_thread* announce_thread();
void enter_thread(host_thread* thread);
void leave_thread();

/// For signals, which reach any OS thread: notes that the calling one runs the program's thread, and asks for
/// it.
void note_os_thread();
int os_thread_of_program();

/// Number of the calling thread: 0 is the main thread.
int thread_number();
/// Whether the program has ever started another thread.
bool several_threads();
host_thread* current_thread();

}  // namespace lab::emulator

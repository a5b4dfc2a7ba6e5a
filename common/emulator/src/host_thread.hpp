#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "interpose/hooks.hpp"
#include "scheduler.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator {

struct stream_state;

/// A loop that does nothing but ask (a clock, an event) need not be simulated question by question: each
/// further one takes 1/512 of the time the loop has lasted. So it ends within 0.2 % of where it should, and
/// even an endless one asks only some thousand times.
struct asking_loop {
  time_ns begin = 0;
  time_ns end = 0;

  /// What a question asked at `at` costs, which takes `usual` by itself.
  time_ns cost(time_ns at, time_ns usual) {
    constexpr time_ns nothing_between = 2'000;  // a yield, or a sleep as short as may be
    if (at - end > nothing_between) begin = at;
    const time_ns taken = std::max(usual, (at - begin) / 512);
    end = at + taken;
    return taken;
  }
  /// Any other answer than "not ready" ends the loop.
  void answered() { end = INT64_MIN / 2; }
};

/// One host thread: its virtual clock, what it waits for, and what CUDA keeps per thread.
class host_thread {
 public:
  enum class state { ready, running, blocked };

  host_thread(int number, time_ns clock);
  ~host_thread();
  host_thread(const host_thread&) = delete;
  host_thread& operator=(const host_thread&) = delete;

  const int number;
  time_ns clock;
  host_thread::state state = state::ready;

  // While blocked.
  wait_queue* queue = nullptr;
  const char* waits_for = nullptr;
  time_ns deadline = never;
  wake outcome = wake::notified;

  time_ns blocked_total;  ///< time in which the thread took no CPU time, that before it began included
  asking_loop asking;
  const volatile void* polled = nullptr;   ///< the atomic that was loaded last, ...
  std::uint64_t polled_value = 0;          ///< ... and what it held
  const void* call_site = nullptr;         ///< of the CUDA call in progress, or the last one
  int last_error = 0;                      ///< what cudaGetLastError returns: a cudaError_t
  int failures_in_a_row = 0;               ///< CUDA calls that failed, with none in between that did not
  std::uint32_t current_call = 0;          ///< in the trace: the CUDA call in progress, or the last one
  stream_state* default_stream = nullptr;  ///< its per-thread default stream, once it has used it
  bool in_host_function = false;
  bool is_service = false;  ///< the runtime's own, which runs host functions

  shadow_stack calls{};
  execution mode = execution::host;  ///< kept here while another thread runs
  std::atomic<std::uint32_t> baton{0};
};

}  // namespace lab::emulator

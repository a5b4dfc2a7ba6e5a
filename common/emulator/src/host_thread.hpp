#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/hooks.hpp"
#include "scheduler.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator {

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

  time_ns blocked_total = 0;       ///< time in which the thread took no CPU time
  int last_error = 0;              ///< what cudaGetLastError returns: a cudaError_t
  std::uint32_t current_call = 0;  ///< in the trace: the CUDA call in progress, or the last one
  bool in_host_function = false;
  bool is_service = false;  ///< the runtime's own, which runs host functions

  shadow_stack calls{};
  execution mode = execution::host;  ///< kept here while another thread runs
  std::atomic<std::uint32_t> baton{0};
};

}  // namespace lab::emulator

#include "scheduler.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "accesses.hpp"
#include "device.hpp"
#include "host_memory.hpp"
#include "host_thread.hpp"
#include "interpose/syscalls.hpp"
#include "liveness.hpp"
#include "memory.hpp"
#include "signals.hpp"

namespace lab::emulator {

namespace {

constexpr int most_threads = 1024;

/// All threads that have not ended. Plain data: the interposers come here before any constructor has run.
struct {
  host_thread* living[most_threads];
  int count;
  int created;
  host_thread* running;
  time_ns cpu_time_of_ended;
  std::atomic<int> os_thread;
} threads;

alignas(host_thread) unsigned char main_storage[sizeof(host_thread)];

host_thread& running() {
  if (threads.running == nullptr) {
    auto* main = new (main_storage) host_thread(threads.created++, 0);
    main->state = host_thread::state::running;
    threads.living[threads.count++] = threads.running = main;
    shadow = &main->calls;
  }
  return *threads.running;
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  // Not libc's syscall(): that is interposed, and a thread without the baton must not look at the emulator's
  // state.
  raw_syscall(SYS_futex, reinterpret_cast<long>(&word), operation | FUTEX_PRIVATE_FLAG, value);
}

void await_baton(host_thread& self) {
  while (self.baton.load(std::memory_order_acquire) == 0) futex(self.baton, FUTEX_WAIT, 0);
  self.baton.store(0, std::memory_order_relaxed);
  note_os_thread();
  shadow = &self.calls;
  executing = self.mode;
}

void pass_baton(host_thread& to) {
  to.state = host_thread::state::running;
  threads.running = &to;
  to.baton.store(1, std::memory_order_release);
  futex(to.baton, FUTEX_WAKE, 1);
}

void make_ready(host_thread& thread, wake outcome, time_ns at) {
  if (thread.queue != nullptr) {
    auto& waiting = thread.queue->waiting;
    waiting.erase(std::find(waiting.begin(), waiting.end(), &thread));
    thread.queue = nullptr;
  }
  thread.state = host_thread::state::ready;
  thread.outcome = outcome;
  thread.deadline = never;
  thread.clock = std::max(thread.clock, at);
}

/// The thread that is to run next, after everything that comes before it has happened: deadlines, and the
/// device's events, which go first where times are equal.
host_thread& earliest() {
  for (;;) {
    host_thread* first = nullptr;
    host_thread* timeout = nullptr;
    for (int i = 0; i < threads.count; ++i) {
      auto* thread = threads.living[i];
      if (thread->state == host_thread::state::blocked) {
        if (thread->deadline != never && (timeout == nullptr || thread->deadline < timeout->deadline)) {
          timeout = thread;
        }
      } else if (first == nullptr || thread->clock < first->clock) {
        first = thread;
      }
    }
    const time_ns host_time = first == nullptr ? never : first->clock;
    const time_ns timeout_time = timeout == nullptr ? never : timeout->deadline;
    const time_ns device_time = device::next_event();
    if (device_time != never && device_time <= std::min(host_time, timeout_time)) {
      device::step(first != nullptr || timeout != nullptr);
    } else if (timeout != nullptr && timeout_time <= host_time) {
      make_ready(*timeout, wake::timed_out, timeout_time);
    } else if (first != nullptr) {
      return *first;
    } else {
      report_deadlock(threads.living, threads.count);
    }
  }
}

/// Runs whatever is earlier than the calling thread; returns when it is the calling thread's turn.
void give_turn(host_thread& self) {
  host_thread& next = earliest();
  memory::close_device();
  if (&next == &self) {
    self.state = host_thread::state::running;
    return;
  }
  host_memory::end_stretch();
  self.mode = executing;
  if (self.state == host_thread::state::running) self.state = host_thread::state::ready;
  pass_baton(next);
  await_baton(self);
}

}  // namespace

host_thread::host_thread(int thread_number, time_ns start)
    : number(thread_number), clock(start), blocked_total(start) {
  calls = make_shadow_stack(host_shadow_frames);
}

host_thread::~host_thread() {
  free_shadow_stack(calls);
}

void note_os_thread() {
  threads.os_thread = static_cast<int>(raw_syscall(SYS_gettid));
}

int os_thread_of_program() {
  return threads.os_thread;
}

host_thread* current_thread() {
  return &running();
}

bool several_threads() {
  return threads.created > 1;
}

int thread_number() {
  return running().number;
}

time_ns now() {
  auto& self = running();
  if (executing == execution::host) charge_host_accesses(self);
  return self.clock;
}

time_ns cost_of_asking(time_ns usual) {
  return running().asking.cost(now(), usual);
}

void advance(time_ns cost) {
  running().clock += cost;
}

void yield() {
  if (executing != execution::host) return;
  now();
  runtime_section emulator;
  auto& self = running();
  check_budgets(self);
  give_turn(self);
}

void sleep_until(time_ns deadline) {
  wait_queue nobody;
  wait(nobody, "a sleep", std::max(deadline, now()));
}

wake wait(wait_queue& queue, const char* what, time_ns deadline) {
  const time_ns start = now();
  runtime_section emulator;
  auto& self = running();
  check_budgets(self);
  self.state = host_thread::state::blocked;
  self.queue = &queue;
  self.waits_for = what;
  self.deadline = deadline;
  queue.waiting.push_back(&self);
  give_turn(self);
  self.blocked_total += self.clock - start;
  return self.outcome;
}

void notify_one(wait_queue& queue, time_ns at) {
  runtime_section emulator;
  if (!queue.waiting.empty()) make_ready(*queue.waiting.front(), wake::notified, at);
}

void notify_all(wait_queue& queue, time_ns at) {
  runtime_section emulator;
  while (!queue.waiting.empty()) make_ready(*queue.waiting.front(), wake::notified, at);
}

host_thread* announce_thread() {
  const time_ns start = now();
  runtime_section emulator;
  if (threads.count == most_threads) {
    end_run(trace::finding_kind::budget, "the program has more than 1024 host threads at once.");
  }
  auto* thread = new host_thread(threads.created++, start);
  threads.living[threads.count++] = thread;
  return thread;
}

void enter_thread(host_thread* thread) {
  use_signal_stack();
  await_baton(*thread);
}

void leave_thread() {
  auto& self = running();
  now();
  executing = execution::runtime;
  threads.cpu_time_of_ended += self.clock - self.blocked_total;
  auto** end = threads.living + threads.count;
  std::copy(std::find(threads.living, end, &self) + 1, end, std::find(threads.living, end, &self));
  --threads.count;
  host_memory::end_stretch();
  if (self.default_stream != nullptr) device::forget_stream(*self.default_stream);
  host_thread& next = earliest();
  delete &self;
  pass_baton(next);
}

time_ns thread_cpu_time() {
  return now() - running().blocked_total;
}

time_ns process_cpu_time() {
  now();
  time_ns total = threads.cpu_time_of_ended;
  for (int i = 0; i < threads.count; ++i)
    total += threads.living[i]->clock - threads.living[i]->blocked_total;
  return total;
}

}  // namespace lab::emulator

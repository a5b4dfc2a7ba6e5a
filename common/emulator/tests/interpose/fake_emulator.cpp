#include "fake_emulator.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "interpose/syscalls.hpp"

namespace lab::emulator {

class host_thread {
 public:
  int number = 0;
  time_ns clock = 0;
  time_ns blocked = 0;
  bool waits = false;
  time_ns deadline = never;
  wait_queue* queue = nullptr;
  const char* what = "";
  wake outcome = wake::notified;
  execution mode = execution::host;
  std::atomic<int> baton{0};
};

namespace {

constexpr int most_threads = 256;

/// Plain data: the first calls come before any constructor has run.
struct {
  host_thread* all[most_threads];
  int count;
  int created;
  host_thread* running;
} threads;

alignas(host_thread) unsigned char main_storage[sizeof(host_thread)];
alignas(fake::notes) unsigned char notes_storage[sizeof(fake::notes)];
fake::notes* noted = nullptr;

fake::notes& noted_so_far() {
  if (noted == nullptr) noted = new (notes_storage) fake::notes;
  return *noted;
}

host_thread& self() {
  if (threads.running == nullptr) {
    threads.running = new (main_storage) host_thread;
    threads.all[threads.count++] = threads.running;
    ++threads.created;
  }
  return *threads.running;
}

void futex(std::atomic<int>& word, int operation, int value) {
  raw_syscall(SYS_futex, reinterpret_cast<long>(&word), operation | FUTEX_PRIVATE_FLAG, value);
}

void await_baton(host_thread& me) {
  while (me.baton.load() == 0) futex(me.baton, FUTEX_WAIT, 0);
  me.baton.store(0);
  executing = me.mode;
}

void pass_baton(host_thread& to) {
  threads.running = &to;
  to.baton.store(1);
  futex(to.baton, FUTEX_WAKE, 1);
}

[[noreturn]] void end(const std::string& sentence) {
  executing = execution::runtime;
  const std::string line = "lab: " + sentence + "\n";
  raw_syscall(SYS_write, 2, reinterpret_cast<long>(line.data()), static_cast<long>(line.size()));
  for (;;) raw_syscall(SYS_exit_group, 125);
}

void make_ready(host_thread& thread, wake outcome, time_ns at) {
  auto& waiting = thread.queue->waiting;
  waiting.erase(std::find(waiting.begin(), waiting.end(), &thread));
  thread.waits = false;
  thread.outcome = outcome;
  thread.clock = std::max(thread.clock, at);
}

time_ns due(const host_thread& thread) {
  return thread.waits ? thread.deadline : thread.clock;
}

host_thread& earliest() {
  host_thread* first = threads.all[0];
  for (int i = 1; i < threads.count; ++i) {
    if (due(*threads.all[i]) < due(*first)) first = threads.all[i];
  }
  if (due(*first) == never) end(std::string("deadlock: waits for ") + first->what);
  if (first->waits) make_ready(*first, wake::timed_out, first->deadline);
  return *first;
}

void give_turn(host_thread& me) {
  host_thread& next = earliest();
  if (&next == &me) return;
  me.mode = executing;
  pass_baton(next);
  await_baton(me);
}

}  // namespace

time_ns now() {
  return self().clock;
}
time_ns cost_of_asking(time_ns usual) {
  return usual;
}
void advance(time_ns cost) {
  self().clock += cost;
}
int thread_number() {
  return self().number;
}
host_thread* current_thread() {
  return &self();
}

void yield() {
  if (executing == execution::runtime) return;
  runtime_section emulator;
  give_turn(self());
}

void sleep_until(time_ns deadline) {
  wait_queue nobody;
  wait(nobody, "a sleep", deadline);
}

wake wait(wait_queue& queue, const char* what, time_ns deadline) {
  runtime_section emulator;
  host_thread& me = self();
  const time_ns begin = me.clock;
  me.waits = true;
  me.queue = &queue;
  me.what = what;
  me.deadline = deadline;
  queue.waiting.push_back(&me);
  give_turn(me);
  me.blocked += me.clock - begin;
  return me.outcome;
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
  runtime_section emulator;
  auto* thread = new host_thread;
  thread->number = threads.created++;
  thread->clock = now();
  return threads.all[threads.count++] = thread;
}

void enter_thread(host_thread* thread) {
  await_baton(*thread);
}

void leave_thread() {
  executing = execution::runtime;
  host_thread* me = &self();
  auto** last = threads.all + threads.count--;
  std::copy(std::find(threads.all, last, me) + 1, last, std::find(threads.all, last, me));
  host_thread& next = earliest();
  delete me;
  pass_baton(next);
}

bool host_range_access(const void* address, std::size_t bytes, bool write, const char* function,
                       const void*) {
  runtime_section emulator;
  noted_so_far().host_ranges.push_back({address, bytes, write, function});
  return false;
}

void kernel_range_access(const void* address, std::size_t bytes, bool write, const void*) {
  runtime_section emulator;
  noted_so_far().kernel_ranges.push_back({address, bytes, write, ""});
}

void record_host_access(const void*, std::size_t, bool, bool, const void*) {}
void host_releases(const void*) {}
void host_acquires(const void*) {}

void charge_bytes(std::size_t bytes) {
  noted_so_far().charged_bytes += bytes;
}

void record_clock_read(trace::clock_kind clock, time_ns at, time_ns value, const void*) {
  runtime_section emulator;
  noted_so_far().clock_reads.push_back({clock, at, value});
}

void record_host_pause(trace::pause_kind kind, time_ns begin, time_ns end_of_it, const void*) {
  runtime_section emulator;
  noted_so_far().pauses.push_back({kind, begin, end_of_it});
}

void be_preempted_before_call() {}
void be_preempted_before_clock_read() {}

time_ns thread_cpu_time() {
  return now() - self().blocked;
}

time_ns process_cpu_time() {
  time_ns total = 0;
  for (int i = 0; i < threads.count; ++i) total += threads.all[i]->clock - threads.all[i]->blocked;
  return total;
}

long device_clock() {
  return 4242;
}

int device_printf(const char* format, std::va_list arguments) {
  runtime_section emulator;
  char text[256];
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  noted_so_far().device_output += text;
  return length;
}

void kernel_called_host_function(const char* function) {
  end(std::string("a kernel called ") + function);
}

void report_host_fault(const char* sentence, const void*) {
  end(sentence);
}

void host_frees(const void*, std::size_t, const char*, const void*) {}

void report_not_emulated(const char* sentence) {
  runtime_section emulator;
  noted_so_far().not_emulated.push_back(sentence);
}

void process_ending(int status) {
  const std::string line = "ending with " + std::to_string(status) + "\n";
  raw_syscall(SYS_write, 2, reinterpret_cast<long>(line.data()), static_cast<long>(line.size()));
}

namespace fake {

notes take_notes() {
  runtime_section emulator;
  return std::exchange(noted_so_far(), {});
}

}  // namespace fake

}  // namespace lab::emulator

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/real.hpp"
#include "interpose/stacks.hpp"
#include "interpose/syscalls.hpp"
#include "interpose/thread_end.hpp"
#include "trace/model.hpp"

/// Creating, joining and ending threads. A thread is an OS thread on a stack of ours that runs when the
/// scheduler says so. Its OS thread is always joined, at a moment of virtual time, also where the program
/// detached it: what libc frees then must not depend on real time.
namespace lab::emulator {

namespace {

struct thread_record {
  pthread_t os_thread = 0;
  stack_region stack;
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  std::atomic<host_thread*> scheduled{nullptr};
  wait_queue joiners;
  bool finished = false;
  bool detached = false;
  bool being_joined = false;
  thread_record* next = nullptr;
};

/// Every thread that was created and not joined yet. The main thread has no record.
thread_record* records = nullptr;

using create_function = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
real<create_function> real_create("pthread_create");
real<int(pthread_t, void**)> real_join("pthread_join");
real<void(void*)> real_exit("pthread_exit");

thread_record* find(pthread_t thread) {
  thread_record* at = records;
  while (at != nullptr && at->os_thread != thread) at = at->next;
  return at;
}

/// Waits (for real, and shortly) until a finished thread's OS thread is gone, and forgets it.
void reap(thread_record* record) {
  runtime_section emulator;
  real_join(record->os_thread, static_cast<void**>(nullptr));
  give_back_stack(record->stack);
  thread_record** link = &records;
  while (*link != record) link = &(*link)->next;
  *link = record->next;
  delete record;
}

void reap_detached() {
  for (thread_record* record = records; record != nullptr;) {
    thread_record* next = record->next;
    if (record->finished && record->detached) reap(record);
    record = next;
  }
}

/// The end of a thread, however it comes: after it the OS thread only runs libc's own last instructions.
class thread_end {
 public:
  explicit thread_end(thread_record& record) : record_(record) {}
  ~thread_end() {
    run_thread_end_functions();
    record_.finished = true;
    host_releases(&record_.joiners);
    notify_all(record_.joiners, now());
    leave_thread();
  }
  thread_end(const thread_end&) = delete;
  thread_end& operator=(const thread_end&) = delete;

 private:
  thread_record& record_;
};

extern "C" void* lab_run_thread(void* argument) {
  auto& record = *static_cast<thread_record*>(argument);
  host_thread* scheduled;
  while ((scheduled = record.scheduled.load(std::memory_order_acquire)) == nullptr)
    raw_syscall(SYS_sched_yield);
  enter_thread(scheduled);
  host_acquires(&record.argument);
  thread_end end(record);
  record.result = record.routine(record.argument);
  return nullptr;
}

std::size_t stack_bytes_of(const pthread_attr_t* attributes) {
  std::size_t bytes = usual_stack_bytes;
  if (attributes != nullptr) pthread_attr_getstacksize(attributes, &bytes);
  return std::max(bytes, usual_stack_bytes);
}

bool asks_for_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

/// The OS thread runs `routine(argument)` on `stack`, with every signal as its creator has it.
int start_on(const stack_region& stack, pthread_t* thread, void* (*routine)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.begin, stack.bytes);
  const int error = real_create(thread, &attributes, routine, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  pass_time(thread_creation_cost);
  runtime_section emulator;
  reap_detached();
  const stack_region stack = take_stack(stack_bytes_of(attributes));
  if (stack.begin == nullptr) return EAGAIN;
  auto* record = new thread_record;
  record->stack = stack;
  record->routine = routine;
  record->argument = argument;
  record->detached = asks_for_detached(attributes);
  const int error = start_on(stack, &record->os_thread, lab_run_thread, record);
  if (error != 0) {
    give_back_stack(stack);
    delete record;
    return error;
  }
  *thread = record->os_thread;
  record->next = records;
  records = record;
  host_thread* announced = announce_thread();
  host_releases(&record->argument);
  record->scheduled.store(announced, std::memory_order_release);
  return 0;
}

int join(pthread_t thread, void** result, time_ns deadline, const void* caller) {
  pass_time(lock_cost);
  thread_record* record = find(thread);
  if (pthread_equal(thread, pthread_self())) return EDEADLK;
  if (record == nullptr) return ESRCH;
  if (record->detached || record->being_joined) return EINVAL;
  if (!record->finished) {
    if (deadline <= now()) return ETIMEDOUT;
    const time_ns begin = now();
    record->being_joined = true;
    const wake outcome = wait(record->joiners, "the end of another thread", deadline);
    record->being_joined = false;
    record_host_pause(trace::pause_kind::waited_for_thread, begin, now(), caller);
    if (outcome == wake::timed_out && !record->finished) return ETIMEDOUT;
  }
  host_acquires(&record->joiners);
  if (result != nullptr) *result = record->result;
  reap(record);
  return 0;
}

thread_record* first_unfinished() {
  thread_record* record = records;
  while (record != nullptr && record->finished) record = record->next;
  return record;
}

/// pthread_exit in main: the process lives on until its other threads have ended.
[[noreturn]] void exit_main_thread() {
  while (thread_record* record = first_unfinished()) wait(record->joiners, "the end of another thread");
  std::exit(0);
}

struct main_call {
  int (*program)(int, char**, char**);
  int argc;
  char** argv;
  char** environment;
  int result;
};

extern "C" void* lab_run_main(void* argument) {
  auto& call = *static_cast<main_call*>(argument);
  call.result = call.program(call.argc, call.argv, call.environment);
  return nullptr;
}

}  // namespace

int run_main_on_own_stack(int (*program)(int, char**, char**), int argc, char** argv, char** environment) {
  const stack_region stack = take_stack(usual_stack_bytes);
  main_call call{program, argc, argv, environment, 0};
  pthread_t thread;
  if (stack.begin == nullptr || start_on(stack, &thread, lab_run_main, &call) != 0) {
    report_host_fault("the system has no memory for a stack of 8 MiB.", nullptr);
  }
  real_join(thread, static_cast<void**>(nullptr));
  return call.result;
}

bool is_created_thread() {
  return find(pthread_self()) != nullptr;
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  host_only("pthread_create");
  return create(thread, attributes, routine, argument);
}

int pthread_join(pthread_t thread, void** result) {
  host_only("pthread_join");
  return join(thread, result, never, __builtin_return_address(0));
}

int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  host_only("pthread_tryjoin_np");
  const int error = join(thread, result, 0, __builtin_return_address(0));
  return error == ETIMEDOUT ? EBUSY : error;
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* deadline) {
  host_only("pthread_clockjoin_np");
  if (deadline == nullptr) return join(thread, result, never, __builtin_return_address(0));
  if (!is_wait_clock(clock) || !is_valid(*deadline)) return EINVAL;
  return join(thread, result, trace_time(clock, *deadline), __builtin_return_address(0));
}

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
  return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, deadline);
}

int pthread_detach(pthread_t thread) noexcept {
  host_only("pthread_detach");
  pass_time(lock_cost);
  thread_record* record = find(thread);
  if (record == nullptr) return ESRCH;
  if (record->detached || record->being_joined) return EINVAL;
  record->detached = true;
  if (record->finished) reap(record);
  return 0;
}

void pthread_exit(void* result) {
  host_only("pthread_exit");
  thread_record* self = find(pthread_self());
  if (self == nullptr) exit_main_thread();
  self->result = result;
  real_exit(result);
  __builtin_unreachable();
}

int pthread_cancel(pthread_t) {
  host_only("pthread_cancel");
  report_not_emulated(
      "pthread_cancel is not emulated; let the thread end by itself, for instance through a flag.");
  return ENOSYS;
}

}  // extern "C"

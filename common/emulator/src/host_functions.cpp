#include "host_functions.hpp"

#include <pthread.h>

#include <deque>
#include <utility>

#include "host_memory.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "recorder.hpp"

namespace lab::emulator {

namespace {

struct job {
  void (*function)(void*);
  void* argument;
  trace::id work;
  time_ns at;
  std::function<void(time_ns)> done;
};

struct everything {
  std::deque<job> jobs;
  wait_queue arrival;
  bool started = false;
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

/// The service thread: an ordinary host thread to the scheduler, so a host function may lock, wait and sleep.
void* serve(void*) {
  auto* self = current_thread();
  self->is_service = true;
  self->in_host_function = true;
  for (;;) {
    while (all().jobs.empty()) wait(all().arrival, idle_service_wait);
    runtime_section emulator;
    const job next = std::move(all().jobs.front());
    all().jobs.pop_front();
    if (self->clock < next.at) self->clock = next.at;
    recorder::operation(next.work).thread = self->number;
    recorder::operation(next.work).begun = recorder::next_in_sequence();
    executing = execution::host;
    next.function(next.argument);
    const time_ns end = now();
    executing = execution::runtime;
    host_memory::end_stretch();
    recorder::operation(next.work).returned = recorder::next_in_sequence();
    next.done(end);
  }
}

}  // namespace

void prepare_host_functions() {
  if (all().started) return;
  all().started = true;
  const execution outer = std::exchange(executing, execution::host);
  pthread_t thread;
  pthread_create(&thread, nullptr, &serve, nullptr);
  executing = outer;
}

void run_host_function(void (*function)(void*), void* argument, trace::id work, time_ns at,
                       std::function<void(time_ns)> done) {
  all().jobs.push_back({function, argument, work, at, std::move(done)});
  notify_one(all().arrival, at);
}

}  // namespace lab::emulator

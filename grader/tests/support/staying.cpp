#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exercise/scenario.hpp>
#include <iostream>  // has an object of its own
#include <stdexcept>

extern bool something_is_left, is_prepared;  // of staying_record.cpp

// What a lab's code may leave in its variables.

static int counted = 40;
static int zero_at_first;

namespace {

/// Built at the first call of the process, or of what looks like one.
struct built {
  int value = ++zero_at_first;
};

int built_once() {
  static built instance;
  return instance.value;
}

}  // namespace

thread_local int counted_by_thread = 10;
thread_local int zero_of_thread;

/// Built in a run, it is to be destroyed with the program.
struct to_be_destroyed {
  ~to_be_destroyed() { zero_at_first = 1; }
};

SCENARIO(has_object) {
  out.integer("process", getpid());
  static to_be_destroyed instance;
}

SCENARIO(has_object_of_thread) {
  out.integer("process", getpid());
  thread_local to_be_destroyed instance;
  out.integer("place", reinterpret_cast<std::intptr_t>(&instance));
}

SCENARIO(has_function_called) {
  out.integer("process", getpid());
  std::atexit([] { zero_at_first = 1; });
}

SCENARIO(count) {
  out.integer("process", getpid());
  out.integer("prepared", is_prepared);
  out.integer("counted", ++counted);
  out.integer("built", built_once());
  out.integer("zero_at_first", zero_at_first);
  out.integer("counted_by_thread", ++counted_by_thread);
  out.integer("zero_of_thread", ++zero_of_thread);
  out.integer("given", in.integer("given"));
  lab::exercise::kept_for_all_runs() += 1;
  out.number("kept", lab::exercise::kept_for_all_runs());
}

SCENARIO(throws) {
  throw std::runtime_error("no such luck");
}

SCENARIO(exits) {
  _exit(3);
}

SCENARIO(takes_a_while_to_go) {
  close(std::atoi(std::getenv("LAB_TRACE_FD")));
  usleep(400'000);
  _exit(0);
}

SCENARIO(leaves_something) {
  out.integer("process", getpid());
  something_is_left = true;
}

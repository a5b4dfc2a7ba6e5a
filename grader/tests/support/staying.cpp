#include <unistd.h>

#include <exercise/scenario.hpp>
#include <stdexcept>

extern bool something_is_left;  // for the next run to feel; of staying_record.cpp

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

SCENARIO(count) {
  out.integer("process", getpid());
  out.integer("counted", ++counted);
  out.integer("built", built_once());
  out.integer("zero_at_first", zero_at_first);
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

SCENARIO(leaves_something) {
  out.integer("process", getpid());
  something_is_left = true;
}

#include "schedule.hpp"

#include "interpose/hooks.hpp"

namespace lab::emulator::schedule {

namespace {

// Constant from the start: it is read before any constructor has run.
trace::schedule chosen;

}  // namespace

void start() {
  files_stay = trace::take_schedule(chosen);
}

bool by_submission() {
  return chosen.by_submission;
}

time_ns pause() {
  return chosen.slowly ? 1'000'000 : 0;
}

const trace::held_work& held() {
  return chosen.held;
}

bool implicit_waits() {
  return chosen.implicit_waits;
}

trace::id failing_call() {
  return chosen.failing_call;
}

}  // namespace lab::emulator::schedule

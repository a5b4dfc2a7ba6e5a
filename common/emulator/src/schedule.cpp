#include "schedule.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "liveness.hpp"

namespace lab::emulator::schedule {

namespace {

struct {
  bool by_submission;
  bool slowly;
  trace::id held;
  trace::id held_for;
  bool no_implicit_waits;
} chosen;

/// Takes the word off the beginning of the text, where it stands there.
bool take(const char*& text, const char* word) {
  const std::size_t length = std::strlen(word);
  if (std::strncmp(text, word, length) != 0) return false;
  text += length;
  return true;
}

trace::id take_number(const char*& text) {
  char* end = nullptr;
  const auto number = static_cast<trace::id>(std::strtoul(text, &end, 10));
  text = end;
  return number;
}

bool parse(const char* text) {
  if (take(text, "submission")) {
    chosen.by_submission = true;
    chosen.slowly = take(text, " slowly");
  } else if (take(text, "hold ")) {
    chosen.held = take_number(text);
    chosen.held_for = take_number(text);
    if (chosen.held == 0) return false;
  }
  while (*text == ' ') ++text;
  chosen.no_implicit_waits = take(text, "no-implicit-waits");
  return *text == '\0';
}

}  // namespace

void start() {
  const char* text = std::getenv("LAB_SCHEDULE");
  if (text != nullptr && !parse(text)) {
    std::fprintf(stderr,
                 "lab: LAB_SCHEDULE=\"%s\" is no schedule: give \"submission\" (or \"submission slowly\"), "
                 "\"hold A\" or \"hold A B\" (the "
                 "numbers of two operations), then \"no-implicit-waits\", or one of the two.\n",
                 text);
    _exit(own_failure);
  }
  unsetenv("LAB_SCHEDULE");
}

bool by_submission() {
  return chosen.by_submission;
}

time_ns pause() {
  return chosen.slowly ? 1'000'000 : 0;
}

trace::id held() {
  return chosen.held;
}

trace::id held_for() {
  return chosen.held_for;
}

bool implicit_waits() {
  return !chosen.no_implicit_waits;
}

}  // namespace lab::emulator::schedule

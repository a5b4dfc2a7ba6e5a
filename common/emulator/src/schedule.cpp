#include "schedule.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "interpose/hooks.hpp"
#include "liveness.hpp"

namespace lab::emulator::schedule {

namespace {

// Constant from the start: it is read before any constructor has run.
struct {
  bool by_submission = false;
  bool slowly = false;
  hold held = {};
  bool no_implicit_waits = false;
  trace::id failing_call = 0;
} chosen;

/// Takes the word off the beginning of the text, where it stands there.
bool take(const char*& text, const char* word) {
  const std::size_t length = std::strlen(word);
  if (std::strncmp(text, word, length) != 0) return false;
  text += length;
  return true;
}

template <class T>
bool take_number(const char*& text, T& number) {
  char* end = nullptr;
  number = static_cast<T>(std::strtoll(text, &end, 10));
  return number > 0 && std::exchange(text, end) != end;
}

bool take_hold(const char*& text) {
  hold& held = chosen.held;
  if (!take_number(text, held.operation)) return false;
  if (take(text, " until ") && !take_number(text, held.until)) return false;
  return take(text, " for ") && take_number(text, held.longest);
}

bool parse(const char* text) {
  if (take(text, "submission")) {
    chosen.by_submission = true;
    chosen.slowly = take(text, " slowly");
  }
  while (*text == ' ') ++text;
  if (take(text, "hold ") && !take_hold(text)) return false;
  while (*text == ' ') ++text;
  chosen.no_implicit_waits = take(text, "no-implicit-waits");
  while (*text == ' ') ++text;
  if (take(text, "fail ") && !take_number(text, chosen.failing_call)) return false;
  return *text == '\0';
}

}  // namespace

void start() {
  const char* text = std::getenv("LAB_SCHEDULE");
  if (text != nullptr && !parse(text)) {
    std::fprintf(
        stderr,
        "lab: LAB_SCHEDULE=\"%s\" is no schedule: give, in this order, \"submission\" or \"submission "
        "slowly\", \"hold A [until B] for NS\" (two numbers of operations, and ns), \"no-implicit-waits\", "
        "\"fail N\" (the number of a call), or some of the four.\n",
        text);
    _exit(own_failure);
  }
  files_stay = text != nullptr;
  unsetenv("LAB_SCHEDULE");
}

bool by_submission() {
  return chosen.by_submission;
}

time_ns pause() {
  return chosen.slowly ? 1'000'000 : 0;
}

const hold& held() {
  return chosen.held;
}

bool implicit_waits() {
  return !chosen.no_implicit_waits;
}

trace::id failing_call() {
  return chosen.failing_call;
}

}  // namespace lab::emulator::schedule

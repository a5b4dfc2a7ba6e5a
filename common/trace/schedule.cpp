#include "trace/schedule.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace lab::trace {

namespace {

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
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  const auto most = static_cast<unsigned long long>(std::numeric_limits<T>::max());
  if (errno == ERANGE || value <= 0 || static_cast<unsigned long long>(value) > most) return false;
  number = static_cast<T>(value);
  return std::exchange(text, end) != end;
}

bool take_hold(const char*& text, held_work& held) {
  if (!take_number(text, held.operation)) return false;
  if (take(text, " until ") && !take_number(text, held.until)) return false;
  return take(text, " for ") && take_number(text, held.longest);
}

}  // namespace

bool read_schedule(const char* text, schedule& into) {
  if (take(text, "submission")) {
    into.by_submission = true;
    into.slowly = take(text, " slowly");
  }
  while (*text == ' ') ++text;
  if (take(text, "hold ") && !take_hold(text, into.held)) return false;
  while (*text == ' ') ++text;
  into.implicit_waits = !take(text, "no-implicit-waits");
  while (*text == ' ') ++text;
  if (take(text, "fail ") && !take_number(text, into.failing_call)) return false;
  return *text == '\0';
}

bool take_schedule(schedule& into) {
  const char* text = std::getenv("LAB_SCHEDULE");
  if (text == nullptr) return false;
  if (!read_schedule(text, into)) {
    std::fprintf(
        stderr,
        "lab: LAB_SCHEDULE=\"%s\" is no schedule: give, in this order, \"submission\" or \"submission "
        "slowly\", \"hold A [until B] for NS\" (two numbers of operations, and ns), \"no-implicit-waits\", "
        "\"fail N\" (the number of a call), or some of the four.\n",
        text);
    _exit(125);
  }
  unsetenv("LAB_SCHEDULE");
  return true;
}

}  // namespace lab::trace

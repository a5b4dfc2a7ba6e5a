#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "lab_cuda/hooks.h"

namespace {

struct failure {
  std::string expression, file, function;
  unsigned int line;
};

}  // namespace

namespace lab::emulator {
// The runtime's own never returns either; this one gets away by an exception.
void assertion_failed(const char* expression, const char* file, unsigned int line, const char* function) {
  throw failure{expression, file, function, line};
}
}  // namespace lab::emulator

#undef NDEBUG
#include <cassert>

namespace {

void checked(int n) {
  assert(n > 0 && "n counts something");
  assert(std::pair<int, int>(n, n).first);  // a comma outside parentheses
}

}  // namespace

TEST_CASE("a failed assert in a .cu file reaches the runtime with its place") {
  CHECK_NOTHROW(checked(1));
  try {
    checked(-1);
    FAIL("the assert let -1 pass");
  } catch (const failure& failed) {
    CHECK(failed.expression == "n > 0 && \"n counts something\"");
    CHECK(failed.file.find("assert_test.cpp") != std::string::npos);
    CHECK(failed.function.find("checked") != std::string::npos);
    CHECK(failed.line > 0);
  }
}

#define NDEBUG
#include <cassert>

TEST_CASE("with NDEBUG an assert is nothing, and does not evaluate") {
  int evaluated = 0;
  assert(++evaluated < 0);
  CHECK(evaluated == 0);
}

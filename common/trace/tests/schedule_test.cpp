#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <trace/schedule.hpp>

using namespace lab::trace;

namespace {

schedule read(const char* text) {
  schedule result;
  CAPTURE(text);
  REQUIRE(read_schedule(text, result));
  return result;
}

}  // namespace

TEST_CASE("all four are read, in their order") {
  const schedule all = read("submission slowly hold 3 until 5 for 1000 no-implicit-waits fail 7");
  CHECK(all.by_submission);
  CHECK(all.slowly);
  CHECK(all.held.operation == 3);
  CHECK(all.held.until == 5);
  CHECK(all.held.longest == 1000);
  CHECK_FALSE(all.implicit_waits);
  CHECK(all.failing_call == 7);
}

TEST_CASE("what is not asked for is not done") {
  for (const char* nothing : {"", " "}) {
    const schedule natural = read(nothing);
    CHECK_FALSE(natural.by_submission);
    CHECK_FALSE(natural.slowly);
    CHECK(natural.held.operation == 0);
    CHECK(natural.implicit_waits);
    CHECK(natural.failing_call == 0);
  }
  CHECK_FALSE(read("submission").slowly);
  CHECK_FALSE(read("hold 2 for 10").by_submission);
  CHECK(read("hold 2 for 10").held.until == 0);
  CHECK(read("submission hold 1 for 5 ").held.longest == 5);
}

TEST_CASE("nonsense is refused") {
  for (const char* nonsense : {"later", "hold", "hold x", "hold 1 for", "hold 1 until for 5", "hold 0 for 5",
                               "hold 1 for 5 until 2", "hold 1 for 5 submission", "fail", "fail 0", "fail -1",
                               "hold -2 for 5", "hold 1 for 99999999999999999999", "submission quickly"}) {
    schedule result;
    CAPTURE(nonsense);
    CHECK_FALSE(read_schedule(nonsense, result));
  }
}

#include "../gate.hpp"

#include <doctest/doctest.h>

using namespace lab;
using lab::cupti::gate;

namespace {

constexpr trace::time_ns ms = 1'000'000, never = trace::unfinished;

/// Held since 1 s on the clock.
gate closed(const trace::held_work& held) {
  gate made(held);
  made.close(1000 * ms);
  return made;
}

}  // namespace

TEST_CASE("a gate that is not closed opens for nobody") {
  CHECK_FALSE(gate({1, 2, 5 * ms}).due(9000 * ms, 0).has_value());
  gate opened = closed({1, 2, 5 * ms});
  opened.open();
  CHECK_FALSE(opened.due(9000 * ms, 0).has_value());
}

TEST_CASE("it opens after its time: a quarter of a second at least, two seconds at most") {
  CHECK_FALSE(closed({1, 2, 5}).due(1249 * ms, never).has_value());
  CHECK(closed({1, 2, 5}).due(1250 * ms, never) == gate::cause::its_time);
  CHECK_FALSE(closed({1, 2, 700 * ms}).due(1699 * ms, never).has_value());
  CHECK(closed({1, 2, 700 * ms}).due(1700 * ms, never) == gate::cause::its_time);
  CHECK(closed({1, 0, 3'600'000 * ms}).due(3000 * ms, never) == gate::cause::its_time);
}

TEST_CASE("it opens soon where the host is stuck in a call, unless what opens it is submitted") {
  gate made = closed({1, 2, 1500 * ms});
  CHECK_FALSE(made.due(1100 * ms, 1060 * ms).has_value());
  CHECK(made.due(1110 * ms, 1060 * ms) == gate::cause::host_waits);
  CHECK_FALSE(made.due(1049 * ms, 10 * ms).has_value());  // the call that is held itself
  CHECK(made.due(1050 * ms, 10 * ms) == gate::cause::host_waits);
  made.opener_comes();
  CHECK_FALSE(made.due(1900 * ms, 1060 * ms).has_value());
  CHECK(made.due(2500 * ms, 1060 * ms) == gate::cause::its_time);
}

TEST_CASE("the record says where work was not held back as asked") {
  const gate until(trace::held_work{3, 5, 5 * ms});
  CHECK(until.broken_by(gate::cause::its_time) ==
        "operation 3 was to be held back until operation 5 was done, which it was not after 250 ms");
  for (const auto why : {gate::cause::host_waits, gate::cause::opener_waits_too, gate::cause::program_ends}) {
    CHECK_FALSE(until.broken_by(why).empty());
  }
  const gate for_a_while(trace::held_work{3, 0, 5 * ms});
  for (const auto why : {gate::cause::its_time, gate::cause::host_waits, gate::cause::program_ends}) {
    CHECK(for_a_while.broken_by(why).empty());
  }
  const gate for_too_long(trace::held_work{3, 0, 5000 * ms});
  CHECK(for_too_long.broken_by(gate::cause::host_waits).empty());
  CHECK(for_too_long.broken_by(gate::cause::its_time) ==
        "operation 3 was held back for two seconds, and nothing is for longer");
}

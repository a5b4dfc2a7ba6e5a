#include <doctest/doctest.h>

#include <analysis/order.hpp>

#include "support/program.hpp"

using namespace lab::analysis;

TEST_CASE("clocks share what they have in common, and join to the larger of each position") {
  clocks all(5000);
  const auto a = all.with(all.with(clocks::nothing, 3, 7), 4999, 2);
  const auto b = all.with(all.with(clocks::nothing, 3, 5), 64, 9);
  const auto both = all.joined(a, b);
  CHECK(all.known(both, 3) == 7);
  CHECK(all.known(both, 64) == 9);
  CHECK(all.known(both, 4999) == 2);
  CHECK(all.known(both, 65) == 0);
  CHECK(all.known(a, 64) == 0);
  CHECK(all.joined(both, a) == both);
  CHECK(all.joined(clocks::nothing, a) == a);
  CHECK(all.joined(clocks::nothing, {a, b, a}) != clocks::nothing);
}

TEST_CASE("work is before work behind it in its stream, and not the other way round") {
  program p;
  const auto s = p.stream();
  const auto a = p.kernel("a", s, 1), b = p.kernel("b", s, 2);
  const order of(p.run);
  CHECK(of.before(a, b));
  CHECK_FALSE(of.before(b, a));
  CHECK_FALSE(of.before(a, a));
}

TEST_CASE("a record covers what was submitted before it, a wait holds back what is submitted after it") {
  program p;
  const auto s = p.stream(true), t = p.stream(true), e = p.event();
  const auto a = p.kernel("a", s, 1);
  p.record(e, s, 2);
  const auto late = p.kernel("late", s, 3);
  const auto early = p.kernel("early", t, 4);
  p.wait(t, e, 5);
  const auto b = p.kernel("b", t, 6);
  const order of(p.run);
  CHECK(of.before(a, b));
  CHECK_FALSE(of.before(late, b));
  CHECK_FALSE(of.before(a, early));
}

TEST_CASE("a wait keeps the record that it saw") {
  program p;
  const auto s = p.stream(true), t = p.stream(true), u = p.stream(true), e = p.event();
  const auto a = p.kernel("a", s, 1);
  p.record(e, s, 2);
  p.wait(t, e, 3);
  const auto other = p.kernel("other", u, 4);
  p.record(e, u, 5);
  const auto b = p.kernel("b", t, 6);
  const order of(p.run);
  CHECK(of.before(a, b));
  CHECK_FALSE(of.before(other, b));
}

TEST_CASE("the legacy stream is ordered with blocking streams only") {
  program p;
  const auto s = p.stream(false), n = p.stream(true), t = p.stream(false);
  const auto a = p.kernel("a", s, 1), x = p.kernel("x", n, 2), legacy = p.kernel("legacy", 0, 3);
  const auto b = p.kernel("b", t, 4), y = p.kernel("y", n, 5);
  const order of(p.run);
  CHECK(of.before(a, legacy));
  CHECK(of.before(legacy, b));
  CHECK(of.before(a, b));
  CHECK_FALSE(of.before(x, legacy));
  CHECK_FALSE(of.before(legacy, y));
  CHECK(of.before(x, y));
}

TEST_CASE("what a thread was told is before what it submits next, in any stream") {
  program p;
  const auto s = p.stream(true), t = p.stream(true);
  const auto a = p.kernel("a", s, 1);
  p.stream_sync(s, 2);
  const auto b = p.kernel("b", t, 3);
  p.thread = 1;
  const auto c = p.kernel("c", t, 4);
  const order of(p.run);
  CHECK(of.before(a, b));
  CHECK_FALSE(of.before(a, c));
  CHECK_FALSE(of.before(b, c));
}

TEST_CASE("a graph comes after its launch before, in whichever stream that was, and after no other graph's") {
  program p;
  const auto s = p.stream(true), t = p.stream(true), u = p.stream(true);
  const auto before = p.kernel("before", s, 1);
  const auto first = p.graph(s, 2);
  const auto other = p.graph(u, 3);
  const auto second = p.graph(t, 4, {}, first);
  const auto behind = p.kernel("behind", t, 5);
  const order of(p.run);
  CHECK(of.before(first, second));
  CHECK(of.before(before, behind));
  CHECK_FALSE(of.before(other, second));
  CHECK_FALSE(of.before(first, other));
}

TEST_CASE("cudaFree orders with luck only") {
  program p;
  const auto s = p.stream(true), t = p.stream(true), unused = p.device();
  const auto a = p.kernel("a", s, 1);
  p.free(unused, 2);
  const auto b = p.kernel("b", t, 3);
  CHECK_FALSE(order(p.run).before(a, b));
  CHECK(order(p.run, edges::with_luck).before(a, b));
}

TEST_CASE("a failed cudaFree, a failed wait and one that did not return order nothing") {
  program p;
  const auto s = p.stream(true), t = p.stream(true);
  const auto a = p.kernel("a", s, 1);
  p.stream_sync(s, 2);
  p.run.calls.back().status = 700;
  p.device_sync(3);
  p.run.calls.back().returned = 0;
  const auto b = p.kernel("b", t, 4);
  CHECK_FALSE(order(p.run, edges::with_luck).before(a, b));
}

TEST_CASE("a device-wide wait of many streams is known in each of them") {
  program p;
  std::vector<program::id> streams, firsts, seconds;
  for (int i = 0; i < 300; ++i) streams.push_back(p.stream(true));
  for (const auto s : streams) firsts.push_back(p.kernel("first", s, 1));
  p.device_sync(2);
  for (const auto s : streams) seconds.push_back(p.kernel("second", s, 3));
  const order of(p.run);
  for (const auto a : firsts) CHECK(of.before(a, seconds[17]));
  for (const auto b : seconds) CHECK(of.before(firsts[299], b));
  CHECK_FALSE(of.before(seconds[0], seconds[1]));
}

TEST_CASE("a trace without an order of threads has none") {
  program p;
  const auto s = p.stream(true);
  const auto a = p.kernel("a", s, 1), b = p.kernel("b", s, 2);
  for (auto& each : p.run.calls) each.begun = each.returned = 0;
  const order of(p.run);
  CHECK_FALSE(of.before(a, b));
  CHECK(of.steps().empty());
}

#include <doctest/doctest.h>

#include <analysis/agreement.hpp>

#include "support/program.hpp"

using namespace lab::analysis;

namespace {

/// An upload, an edge and a kernel of so many milliseconds.
lab::trace::run one_job(bool edge = true, bool recorded_twice = false, double kernel_ms = 1) {
  program p;
  const auto s = p.stream(true), t = p.stream(true), e = p.event();
  p.kernel("load", s, 1);
  p.record(e, s, 2);
  if (recorded_twice) p.record(e, s, 2);
  if (edge) p.wait(t, e, 3);
  const auto kernel = p.kernel("scale", t, 4);
  auto& work = p.run.operations[kernel - 1];
  work.end = work.begin + static_cast<lab::trace::time_ns>(kernel_ms * 1e6);
  return p.run;
}

std::string between(const lab::trace::run& one, const lab::trace::run& other) {
  return disagreement(recording(one), recording(other));
}

}  // namespace

TEST_CASE("two records of the same work agree, whatever lies within the tolerance") {
  CHECK(between(one_job(), one_job()).empty());
  CHECK(between(one_job(true, false, 1), one_job(true, false, 1.14)).empty());
  CHECK(between(one_job(true, false, 0.01), one_job(true, false, 0.049)).empty());  // too short to compare
}

TEST_CASE("another edge, more work and another time are told") {
  CHECK(between(one_job(), one_job(false)) ==
        "of the work, number 3 is event wait in stream 2, event 1, record 2 on the emulated GPU, scale in "
        "stream 2 on "
        "the real one");
  CHECK(between(one_job(), one_job(true, true)) ==
        "of the work, number 3 is event wait in stream 2, event 1, record 2 on the emulated GPU, event "
        "record in stream "
        "1, event 1 on the real one");
  CHECK(between(one_job(true, false, 1), one_job(true, false, 1.3)) ==
        "scale in stream 2 took 1 ms on the emulated GPU, 1.3 ms on the real one");
}

TEST_CASE("another way of waiting is told") {
  const auto waiting = [](bool for_all) {
    program p;
    const auto s = p.stream();
    p.kernel("scale", s, 1);
    if (for_all) {
      p.device_sync(2);
    } else {
      p.stream_sync(s, 2);
    }
    return p.run;
  };
  CHECK(between(waiting(true), waiting(true)).empty());
  CHECK(between(waiting(true), waiting(false)).find("of the calls, number ") == 0);
}

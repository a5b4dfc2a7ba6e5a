#include <doctest/doctest.h>

#include <trace/host_access_runs.hpp>
#include <vector>

using namespace lab;

namespace {

struct place {
  std::uintptr_t low = 0, high = 0;
};

/// Memory from 1000 to 2000, and what is told of the accesses to it.
struct told {
  struct range {
    std::uintptr_t begin, end;
    bool write;
  };
  trace::host_access_runs<place> runs;
  std::vector<range> ranges;

  auto out() {
    return [this](const place&, const trace::host_touch& touch, std::uintptr_t begin, std::uintptr_t end) {
      ranges.push_back({begin, end, touch.write});
    };
  }
  void access(std::uintptr_t address, bool write = false, std::uintptr_t code = 7) {
    const auto meet = [&] { return address >= 1000 && address < 2000 ? place{1000, 2000} : place{}; };
    runs.add({code, 1, address, 4, write, false}, meet, out());
  }
  void end() { runs.end_stretch(out()); }
};

}  // namespace

TEST_CASE("a loop over memory is one range, in either direction") {
  for (const int step : {4, -4}) {
    told seen;
    for (int i = 0; i < 100; ++i) seen.access(static_cast<std::uintptr_t>(1500 + step * i), true);
    CHECK(seen.ranges.empty());
    seen.end();
    REQUIRE(seen.ranges.size() == 1);
    CHECK(seen.ranges[0].begin == (step > 0 ? 1500 : 1104));
    CHECK(seen.ranges[0].end == (step > 0 ? 1900 : 1504));
    CHECK(seen.ranges[0].write);
    seen.end();
    CHECK(seen.ranges.size() == 1);
  }
}

TEST_CASE("what a loop leaves out is no access") {
  told seen;
  for (std::uintptr_t at = 1000; at < 1030; at += 10) seen.access(at);
  seen.end();
  REQUIRE(seen.ranges.size() == 3);
  CHECK(seen.ranges[2].begin == 1020);
  CHECK(seen.ranges[2].end == 1024);
}

TEST_CASE("an access elsewhere ends a run, one of no interest does not") {
  told seen;
  seen.access(1000);
  seen.access(1004);
  seen.access(5000);
  seen.access(1008);
  CHECK(seen.ranges.empty());
  seen.access(1500);
  REQUIRE(seen.ranges.size() == 1);
  CHECK(seen.ranges[0].end == 1012);
}

TEST_CASE("each instruction has its own run, and what comes after a stretch is another one") {
  told seen;
  seen.access(1000, true, 7);
  seen.access(1000, false, 8);
  seen.end();
  REQUIRE(seen.ranges.size() == 2);
  seen.access(1004, true, 7);
  seen.end();
  REQUIRE(seen.ranges.size() == 3);
  CHECK(seen.ranges[2].begin == 1004);
}

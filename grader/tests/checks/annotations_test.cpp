#include <doctest/doctest.h>

#include <checks/observe.hpp>
#include <cstdlib>
#include <set>
#include <tuple>

using namespace lab;

namespace {

using byte_use = std::tuple<std::int64_t, std::uint64_t, bool>;  // allocation, offset, whether it is written

}  // namespace

TEST_CASE("each annotation says exactly what its kernel reads and writes") {
  const auto seen = checks::run_exercise(std::getenv("LAB_ANNOTATED"), {"annotated_kernels", {}});
  REQUIRE(seen.how == checks::ending::returned);
  const auto launches = seen.values.integer("launches");
  std::vector<trace::operation> kernels;
  for (const auto& each : seen.trace.run().operations) {
    if (each.kind == trace::operation_kind::kernel) kernels.push_back(each);
  }
  REQUIRE(kernels.size() == static_cast<std::size_t>(launches));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CAPTURE(seen.values.text("kernel " + std::to_string(i)));
    CHECK_FALSE(kernels[i].failed);
    std::set<byte_use> used, said;
    for (const auto& range : kernels[i].accesses) {
      for (auto at = range.begin; at < range.end; ++at) used.insert({range.allocation, at, range.write});
    }
    const auto words = seen.values.buffer<std::int64_t>("uses " + std::to_string(i));
    for (std::size_t at = 0; at < words.size(); at += 4) {
      for (auto byte = words[at + 1]; byte < words[at + 2]; ++byte) {
        said.insert({words[at], static_cast<std::uint64_t>(byte), words[at + 3] != 0});
      }
    }
    CHECK(used == said);
  }
}

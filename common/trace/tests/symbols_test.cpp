#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "trace/symbols.hpp"

#include <doctest/doctest.h>

using namespace lab;

namespace {

/// The address after the call of it.
[[gnu::noinline]] std::uint64_t here() {
  asm volatile("");
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

struct place {
  std::uint64_t address;
  int line;  // of the call
};

// Each does something after its call, so that no call becomes a jump.
[[gnu::always_inline]] inline place in_one_place() {
  const auto address = here();
  return {address, __LINE__ - 1};
}

template <class T>
struct caller {
  [[gnu::always_inline]] place operator()(T) const { return in_one_place(); }
  static constexpr int line = __LINE__ - 1;
};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

namespace named {

[[gnu::noinline]] place around(int value) {
  auto inlined = caller<int>()(value);
  asm volatile("" : : "r"(value));
  return inlined;
}
constexpr int around_line = __LINE__ - 4;

}  // namespace named

TEST_CASE("a call has its line, then those where the functions it was inlined into were called") {
  trace::symbols names("/proc/self/exe");
  const auto seen = named::around(1);
  const auto& stack = names.at(seen.address);
  REQUIRE(stack.size() == 3);
  for (const auto& each : stack) CHECK(file_name(each.file) == "symbols_test.cpp");
  CHECK(stack[0].function == "in_one_place");
  CHECK(stack[0].line == seen.line);
  CHECK(stack[1].function == "operator()");
  CHECK(stack[1].line == caller<int>::line);
  CHECK(stack[2].function == "named::around(int)");
  CHECK(stack[2].line == named::around_line);
}

TEST_CASE("files are named from the root on") {
  trace::symbols names("/proc/self/exe", LAB_SOURCE);
  const auto& stack = names.at(named::around(2).address);
  REQUIRE(stack.size() == 3);
  CHECK(stack[0].file == "common/trace/tests/symbols_test.cpp");
}

TEST_CASE("many are looked up at once, known ones and unknown ones among them") {
  trace::symbols names("/proc/self/exe");
  const auto first = in_one_place();
  const auto second = in_one_place();
  names.at(first.address);
  const auto in_a_library = reinterpret_cast<std::uint64_t>(&std::fclose);
  names.prepare({second.address, 0, 1, first.address, in_a_library, ~std::uint64_t{0}, second.address});
  for (const auto& each : {first, second}) {
    REQUIRE(names.at(each.address).size() == 2);
    CHECK(names.at(each.address)[0].function == "in_one_place");
    CHECK(names.at(each.address)[0].line == each.line);
  }
  for (const std::uint64_t unknown : {std::uint64_t{0}, std::uint64_t{1}, in_a_library, ~std::uint64_t{0}})
    CHECK(names.at(unknown).empty());
}

TEST_CASE("what is no program has no lines") {
  CHECK(trace::symbols("/nowhere").at(0x401000).empty());
  CHECK(trace::symbols("/dev/null").at(0x401000).empty());
  CHECK(trace::symbols(LAB_SOURCE "/README.md").at(0x401000).empty());
}

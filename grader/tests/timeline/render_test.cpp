#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <timeline/excerpt.hpp>
#include <timeline/render.hpp>

#include "support/trace_builder.hpp"

using namespace lab;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char byte : line) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

/// Compares with timeline/golden/NAME.txt. LAB_WRITE_GOLDEN=1 writes the file instead: look at it before
/// committing.
void check_golden(const std::string& name, const timeline::excerpt& what) {
  std::string drawn;
  for (const int width : {60, 80, 120}) drawn += joined(timeline::render(what, width, {})) + "\n";
  drawn += joined(timeline::render(what, 60, {false, false}));
  const std::string path = std::string(LAB_GOLDEN) + "/" + name + ".txt";
  if (std::getenv("LAB_WRITE_GOLDEN") != nullptr) std::ofstream(path) << drawn;
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  CHECK_MESSAGE(drawn == expected.str(), path);
}

analysis::span between(double begin_ms, double end_ms) {
  return {trace_builder::ns(begin_ms), trace_builder::ns(end_ms)};
}

timeline::excerpt unwaited_launch() {
  trace_builder made;
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.04, 42);
  made.clock_read(10.006, 43);
  made.call("cudaStreamSynchronize", 10.01, 15.05, 44, 5.03);
  return timeline::make_excerpt(analysis::recording(made.run), between(10, 15.05),
                                {{between(10, 10.006), "0.006 ms"}});
}

timeline::excerpt queued_before() {
  trace_builder made;
  made.kernel("earlier", 1, 9, 9.01, 49.01, 30);
  made.kernel("spin", 1, 10.001, 49.01, 54.03, 42);
  made.call("cudaStreamSynchronize", 10.01, 54.04, 43, 44);
  return timeline::make_excerpt(analysis::recording(made.run), between(9, 54.04),
                                {{between(10, 54.041), "44 ms"}});
}

timeline::excerpt two_threads_two_streams() {
  trace_builder made;
  made.call("cudaMalloc", 0, 152, 20);
  for (int i = 0; i < 12; ++i)
    made.kernel("tiny", 1, 152 + i * 0.01, 152.02 + i * 0.01, 152.025 + i * 0.01, 21);
  made.copy(2, 153, 160, 190, 22);
  made.kernel("scale", 2, 153, 190, 230, 23);
  made.run.calls.back().thread = 1;
  made.call("cudaEventSynchronize", 153.2, 230, 24, 76.8);
  made.run.pauses.push_back(
      {1, trace::pause_kind::slept, trace_builder::ns(160), trace_builder::ns(220), {}});
  return timeline::make_excerpt(analysis::recording(made.run), between(0, 231),
                                {{between(152, 230), "78 ms"}});
}

timeline::excerpt default_streams() {
  trace_builder made;
  made.run.streams = {{1, false, 0, 0, 0},
                      {2, true, made.call("cudaStreamCreateWithFlags", 0, 0.1, 20), 0},
                      {3, false, 0, 0, 1}};
  made.kernel("first", trace::legacy_stream, 1, 1.1, 3, 41);
  made.kernel("mine", 1, 1.1, 3, 6, 42);
  made.kernel("apart", 2, 1.2, 1.3, 5, 43);
  made.thread = 1;
  made.kernel("yours", 3, 1.3, 3, 7, 44);
  return timeline::make_excerpt(analysis::recording(made.run), between(1, 7));
}

timeline::excerpt microseconds() {
  trace_builder made;
  made.record(1, 1, 1.004, 40);
  made.kernel("add", 1, 1.002, 1.012, 1.018, 41);
  made.record(1, 1.008, 1.02, 42);
  made.call("cudaEventSynchronize", 1.01, 1.03, 43, 0.015);
  return timeline::make_excerpt(analysis::recording(made.run), between(1, 1.03),
                                {{between(1.004, 1.02), "0.016 ms"}});
}

}  // namespace

TEST_CASE("pictures look as they were when somebody looked at them") {
  check_golden("unwaited_launch", unwaited_launch());
  check_golden("queued_before", queued_before());
  check_golden("two_threads_two_streams", two_threads_two_streams());
  check_golden("default_streams", default_streams());
  check_golden("microseconds", microseconds());
}

TEST_CASE("no line is wider than asked for, and ASCII is ASCII") {
  for (const auto& what :
       {unwaited_launch(), queued_before(), two_threads_two_streams(), default_streams(), microseconds()}) {
    for (int width = 40; width <= 200; width += 7) {
      for (const auto& line : timeline::render(what, width, {}))
        CHECK(columns(line) <= static_cast<std::size_t>(width));
      for (const auto& line : timeline::render(what, width, {false, false})) {
        for (const char byte : line) CHECK(static_cast<unsigned char>(byte) < 0x80);
      }
    }
  }
}

TEST_CASE("colour changes no character") {
  for (const auto& line : timeline::render(two_threads_two_streams(), 80, {true, true})) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\033') {
        i = line.find('m', i);
      } else {
        plain += line[i];
      }
    }
    const auto lines = timeline::render(two_threads_two_streams(), 80, {});
    CHECK(std::find(lines.begin(), lines.end(), plain) != lines.end());
  }
}

TEST_CASE("an excerpt survives the way through JSON") {
  const auto before = two_threads_two_streams();
  const nlohmann::json json = nlohmann::json::parse(nlohmann::json(before).dump());
  const auto after = json.get<timeline::excerpt>();
  CHECK(timeline::render(after, 100, {}) == timeline::render(before, 100, {}));
  CHECK_THROWS_AS(nlohmann::json::object().get<timeline::excerpt>(), nlohmann::json::exception);
}

TEST_CASE("a wait of the driver's is not taken for one of the student's") {
  trace_builder made;
  made.call("cudaEventSynchronize", 10, 15, 44, 5);
  made.call("cudaDeviceSynchronize", 15, 20, 45, 5);
  auto& of_driver = made.run.calls.back().stack;
  of_driver = {of_driver[0], of_driver[2]};
  made.call("cudaStreamSynchronize", 20, 25, 46, 5);
  made.run.calls.back().stack = {};  // nobody knows whose
  const auto what = timeline::make_excerpt(analysis::recording(made.run), between(10, 25));
  REQUIRE(what.rows.size() == 1);
  REQUIRE(what.rows[0].spans.size() == 3);
  CHECK(what.rows[0].spans[0].detail == "(cudaEventSynchronize)");
  CHECK(what.rows[0].spans[1].label == "the checker waits");
  CHECK(what.rows[0].spans[1].detail.empty());
  CHECK(what.rows[0].spans[2].label == "waiting");
}

TEST_CASE("of a hundred thousand calls a row keeps what can be seen") {
  trace_builder made;
  for (int i = 0; i < 50'000; ++i) {
    made.call("cudaEventQuery", i * 0.01, i * 0.01 + 0.001, 40);
    made.call("cudaStreamQuery", i * 0.01 + 0.005, i * 0.01 + 0.006, 41);
  }
  made.call("cudaDeviceSynchronize", 500, 600, 42, 100);
  const auto what = timeline::make_excerpt(analysis::recording(made.run), between(0, 600));
  REQUIRE(what.rows.size() == 1);
  CHECK(what.rows[0].spans.size() <= 201);
  CHECK(what.rows[0].spans.back().label == "waiting");
}

TEST_CASE("empty and absurd excerpts are survived") {
  CHECK(timeline::render({}, 80, {}).size() == 1);
  CHECK(timeline::render({}, -5, {}).size() == 1);
  timeline::excerpt odd{
      5,
      5,
      {{"host", {{timeline::span_kind::kernel, 90, -3, "backwards", ""}}}, {std::string(300, 'n'), {}}}};
  for (const auto& line : timeline::render(odd, 60, {})) CHECK(columns(line) <= 60);
  const analysis::recording nothing{trace::run{}};
  CHECK(timeline::make_excerpt(nothing, between(0, 0)).rows.empty());
}

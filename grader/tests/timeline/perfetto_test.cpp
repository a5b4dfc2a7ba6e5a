#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <timeline/perfetto.hpp>
#include <timeline/timeline.hpp>
#include <utility>
#include <vector>

#include "support/program.hpp"
#include "support/trace_builder.hpp"

using namespace lab;
using nlohmann::json;

namespace {

struct slice {
  std::string name;
  long long begin = 0, end = 0;  // ns
  bool operator==(const slice& other) const {
    return name == other.name && begin == other.begin && end == other.end;
  }
};

/// What viewers take for granted, by the Trace Event Format's document and by what Perfetto and catapult made
/// of files that did not keep to it.
class viewer {
 public:
  explicit viewer(const std::vector<timeline::model>& runs) : file_(json::parse(timeline::perfetto(runs))) {
    CHECK(file_.at("displayTimeUnit") == "ns");  // else chrome://tracing nests by whole microseconds
    for (const json& event : file_.at("traceEvents")) take(event);
    for (const auto& each : slices_) {
      CHECK_MESSAGE(threads_.count(each.first) == 1, "thread " << each.first);
      check_nesting(each.second);
    }
    for (const auto& each : threads_) {
      CHECK_MESSAGE(processes_.count(process_of_.at(each.first)) == 1, each.second);
      CHECK_MESSAGE(slices_.count(each.first) == 1, each.second);  // without a slice some viewers hide it
    }
    CHECK(begun_.empty());
  }

  /// "from -> to" in lines, each the innermost slice that the flow binds to.
  const std::string& flows() const { return flows_; }
  std::string names() const {  // in lines, in the order in which they are shown
    std::string all;
    for (const auto& [position, name] : sorted_) all += name + "\n";
    return all;
  }
  const std::vector<slice>& slices(const std::string& thread) const {
    for (const auto& [number, name] : threads_) {
      if (name == thread) return slices_.at(number);
    }
    FAIL("no track " << thread);
    return slices_.begin()->second;
  }

 private:
  static double ns(const json& microseconds) {
    REQUIRE(microseconds.is_number());
    const double value = microseconds.get<double>() * 1000;
    REQUIRE(std::isfinite(value));
    return value;
  }
  static long long whole_ns(const json& microseconds) {
    const double value = ns(microseconds);
    CHECK(std::fabs(value - std::round(value)) < 0.01);
    return std::llround(value);
  }

  void take(const json& event) {
    const std::string phase = event.at("ph"), name = event.at("name");
    const int process = event.at("pid"), thread = event.at("tid");
    CHECK(process > 0);  // the thread 0 is the idle one to Perfetto
    CHECK(thread > 0);
    CHECK(process_of_.emplace(thread, process).first->second == process);
    if (phase == "M") return describe(name, thread, event.at("args"));
    const double at = ns(event.at("ts"));
    CHECK(at >= 0);
    if (phase == "X") {
      const long long begin = whole_ns(event.at("ts"));
      slices_[thread].push_back({name, begin, begin + whole_ns(event.at("dur"))});
    } else if (phase == "s") {
      CHECK(begun_.emplace(event.at("id"), std::pair(at, slice_at(thread, at))).second);
    } else if (phase == "f") {
      CHECK(event.at("bp") == "e");
      const auto begun = begun_.find(event.at("id"));
      REQUIRE(begun != begun_.end());
      CHECK(begun->second.first <= at);
      flows_ += begun->second.second + " -> " + slice_at(thread, at) + "\n";
      begun_.erase(begun);
    } else {
      CHECK(phase == "i");
    }
  }

  void describe(const std::string& what, int thread, const json& arguments) {
    const int process = process_of_.at(thread);
    if (what == "process_name") {
      CHECK(processes_.emplace(process, arguments.at("name")).second);
    } else if (what == "thread_name") {
      CHECK(threads_.emplace(thread, arguments.at("name")).second);
    } else if (what == "process_sort_index") {
      CHECK(sorted_.emplace(std::pair(int{arguments.at("sort_index")}, 0), processes_.at(process)).second);
    } else {
      CHECK(what == "thread_sort_index");
      CHECK(sorted_.emplace(std::pair(int{arguments.at("sort_index")}, 1), threads_.at(thread)).second);
    }
  }

  static void check_nesting(const std::vector<slice>& slices) {
    std::vector<slice> open;
    long long before = 0;
    for (const slice& each : slices) {
      CAPTURE(each.name);
      CHECK(each.begin >= before);
      CHECK(each.end > each.begin);
      before = each.begin;
      while (!open.empty() && open.back().end <= each.begin) open.pop_back();
      if (!open.empty()) CHECK_MESSAGE(each.end <= open.back().end, "overlaps " << open.back().name);
      open.push_back(each);
    }
  }

  /// The innermost one; at the very ends viewers differ.
  std::string slice_at(int thread, double at) const {
    std::string innermost;
    for (const slice& each : slices_.at(thread)) {
      const auto begin = static_cast<double>(each.begin), end = static_cast<double>(each.end);
      if (begin + 0.1 < at && at < end - 0.1) innermost = each.name;
    }
    CHECK(innermost != "");
    return innermost;
  }

  json file_;
  std::map<int, int> process_of_;                   // by thread
  std::map<int, std::string> processes_, threads_;  // their names
  std::map<std::pair<int, int>, std::string> sorted_;
  std::map<int, std::vector<slice>> slices_;             // by thread
  std::map<int, std::pair<double, std::string>> begun_;  // flows that lead nowhere yet
  std::string flows_;
};

timeline::model drawn(const trace_builder& made, const std::string& title = "student.cu") {
  return timeline::make_timeline(analysis::recording(made.run), title);
}

trace_builder with_stream() {
  trace_builder made;
  made.run.streams.push_back({1, true, made.call("cudaStreamCreateWithFlags", 8, 8.01, 30), 0, 0});
  return made;
}

trace_builder race() {
  program made;
  const auto one = made.stream(true), two = made.stream(true), memory = made.device();
  made.kernel("writer", one, 10, {program::writes(memory)});
  made.kernel("reader", two, 11, {program::reads(memory)});
  return made;
}

}  // namespace

TEST_CASE("a trace for other viewers has named lanes, in their order, and microseconds") {
  const viewer seen({drawn(race())});
  CHECK(seen.names() == "host\nhost\ndevice\nstream 1 (non-blocking)\nstream 2 (non-blocking)\n");
  const auto& work = seen.slices("stream 1 (non-blocking)");
  REQUIRE(work.size() == 1);
  CHECK(work[0].name == "writer");
  CHECK(work[0].end - work[0].begin == 1'000'000);
  CHECK(seen.flows() == "writer -> reader\n");
}

TEST_CASE("a flow leads from the record to the wait, where work begins at the same moment too") {
  program made;
  const auto one = made.stream(true), two = made.stream(true), event = made.event();
  const auto writer = made.kernel("writer", one, 10);
  const auto record = made.record(event, one, 11);
  const auto wait = made.wait(two, event, 12);
  const auto reader = made.kernel("reader", two, 13);
  made.event_sync(event, 14);
  auto& work = made.run.operations;
  const auto met = work[writer - 1].end;
  work[record - 1].begin = work[record - 1].end = met;
  work[wait - 1].begin = work[wait - 1].end = work[reader - 1].begin = met;
  work[reader - 1].end = met + 1'000'000;
  made.run.calls.back().end = met + 1000;
  made.run.calls.back().blocked = 1000;
  const viewer seen({drawn(made)});
  CHECK(seen.flows() == "record of event 1 -> wait for event 1\nrecord of event 1 -> waits for the device\n");
  const auto& second = seen.slices("stream 2 (non-blocking)");
  CHECK(second ==
        std::vector<slice>{{"wait for event 1", met, met + 1}, {"reader", met + 1, met + 1'000'000}});
}

TEST_CASE("any number of moments at once lie one behind the other") {
  trace_builder made = with_stream();
  for (int i = 0; i < 5; ++i) made.record(1, 10, 10.5, 40);
  made.kernel("short", 1, 10, 10.5, 10.500002, 41);  // over before there is room for it
  made.kernel("next", 1, 10, 10.500003, 11, 42);
  const viewer seen({drawn(made)});
  const auto& work = seen.slices("stream 1 (non-blocking)");
  REQUIRE(work.size() == 7);
  CHECK(work[5] == slice{"short", 10'500'005, 10'500'006});
  CHECK(work[6] == slice{"next", 10'500'006, 11'000'000});
}

TEST_CASE("work of one stream that overlaps, as of a graph, lies in tracks side by side") {
  trace_builder made = with_stream();
  made.kernel("left", 1, 10, 10, 12, 41);
  made.kernel("right", 1, 10, 11, 13, 41);
  const viewer seen({drawn(made)});
  CHECK(seen.slices("stream 1 (non-blocking)").at(0).name == "left");
  CHECK(seen.slices("stream 1 (non-blocking), at the same time").at(0).name == "right");
}

TEST_CASE("what the program measured is a track beneath the one it was measured in") {
  trace_builder made = with_stream();
  made.clock_read(9, 39);
  const auto start = made.record(1, 10, 10.1, 40);
  made.kernel("spin", 1, 10.01, 10.11, 15.11, 41);
  made.clock_read(10.02, 41);
  const auto middle = made.record(1, 10.02, 15.12, 42);
  made.kernel("spin", 1, 10.03, 15.13, 20.11, 41);
  const auto stop = made.record(1, 10.02, 20.12, 42);
  made.elapsed(start, middle, 30, 44);
  made.elapsed(middle, stop, 31, 44);
  made.elapsed(start, stop, 32, 44);
  const viewer seen({drawn(made)});
  CHECK(seen.names() ==
        "host\nhost\nhost: measured by the program\n"
        "device\nstream 1 (non-blocking)\nstream 1: measured by the program\n");
}

TEST_CASE("two runs, an unfinished one, an empty one and none are traces too") {
  trace_builder stopped;
  stopped.kernel("spin", 1, 10, 10, 15, 42);
  stopped.call("cudaStreamSynchronize", 10.01, 15.03, 44, 5);
  stopped.run.complete = false;
  stopped.run.calls.back().end = stopped.run.operations.back().begin = stopped.run.operations.back().end =
      trace::unfinished;
  const viewer both({drawn(race(), "yours"), drawn(stopped, "the solution")});
  CHECK(both.names().rfind("host: yours\n", 0) == 0);
  CHECK(viewer({drawn(trace_builder())}).names() == "");
  CHECK(viewer({timeline::without_record("student.cu", "no trace")}).names() == "");
}

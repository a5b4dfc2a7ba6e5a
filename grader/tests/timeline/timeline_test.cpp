#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <timeline/page.hpp>
#include <timeline/perfetto.hpp>
#include <timeline/svg.hpp>
#include <timeline/text.hpp>
#include <timeline/timeline.hpp>
#include <utility>
#include <vector>

#include "support/program.hpp"
#include "support/trace_builder.hpp"

using namespace lab;
using nlohmann::json;
using timeline::mark;

namespace {

timeline::model drawn(const trace_builder& made, const std::string& title = "student.cu") {
  return timeline::make_timeline(analysis::recording(made.run), title);
}

std::vector<const timeline::item*> items(const timeline::model& of, mark kind) {
  std::vector<const timeline::item*> found;
  for (const auto& each : of.items) {
    if (each.kind == kind) found.push_back(&each);
  }
  return found;
}

std::string value(const timeline::model& of, const std::string& total) {
  for (const auto& each : of.totals) {
    if (each.name == total) return each.value;
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// What the page has as its data.
json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"record\">";
  const std::size_t begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// The point of lab 01: the clock was read before the kernel had run.
trace_builder unwaited_launch() {
  trace_builder made;
  made.run.complete = true;
  made.run.device = {"emulated T4, virtual time", true};
  made.run.streams.push_back({1, true, made.call("cudaStreamCreateWithFlags", 9, 9.01, 30), 0, 0});
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.02, 42);
  made.clock_read(10.006, 43);
  made.call("cudaStreamSynchronize", 10.01, 15.03, 44, 5);
  return made;
}

trace_builder race() {
  program made;
  made.run.complete = true;
  const auto one = made.stream(true), two = made.stream(true), memory = made.device();
  made.kernel("writer", one, 10, {program::writes(memory)});
  made.kernel("reader", two, 11, {program::reads(memory)});
  return made;
}

}  // namespace

TEST_CASE("lanes, and what lies in them") {
  const auto made = drawn(unwaited_launch());
  REQUIRE(made.lanes.size() == 3);
  CHECK(made.lanes[0].name == "host");
  CHECK(made.lanes[1].name == "stream 1");
  CHECK(made.lanes[1].note == "non-blocking");
  CHECK(made.lanes[2].name == "kernel");
  const auto kernels = items(made, mark::kernel), waits = items(made, mark::blocked);
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0]->name == "spin");
  CHECK(kernels[0]->where == "student.cu:42");
  CHECK(kernels[0]->engine == 2);
  REQUIRE(kernels[0]->cause != timeline::no_item);
  CHECK(made.items[kernels[0]->cause].name == "cudaLaunchKernel");
  REQUIRE(waits.size() == 1);
  CHECK(waits[0]->begin == trace_builder::ns(10.03));
  CHECK(waits[0]->label == "waits (cudaStreamSynchronize)");
  CHECK(value(made, "host blocked in calls") == "5 ms");
  CHECK(value(made, "kernels") == "1");
}

TEST_CASE("a graph launched is work of the device, with a lane, a colour and a place in the legend") {
  program p;
  p.run.complete = true;
  const auto stream = p.stream(true);
  p.graph(stream, 10);
  const auto made = drawn(p);
  REQUIRE(made.lanes.size() == 3);
  CHECK(made.lanes[2].name == "graph");
  const auto graphs = items(made, mark::graph);
  REQUIRE(graphs.size() == 1);
  CHECK(graphs[0]->name == "graph");
  CHECK(graphs[0]->engine == 2);
  CHECK(value(made, "graphs launched") == "1");
  CHECK(has(timeline::svg({made}), ">graph launched<"));
  CHECK(value(drawn(race()), "graphs launched").empty());
  CHECK_FALSE(has(timeline::svg({drawn(race())}), ">graph launched<"));
}

TEST_CASE("a clock's bracket says how little of the work was in it") {
  const auto made = drawn(unwaited_launch());
  REQUIRE(made.brackets.size() == 1);
  CHECK(made.brackets[0].label == "clock 0.006 ms");
  CHECK(made.brackets[0].where == "student.cu:41 to student.cu:43");
  CHECK(made.brackets[0].inside == "inside: 0 ms of the 5 ms of spin");
}

TEST_CASE("pairs of clock reads follow the stated rule") {
  trace_builder made;
  for (const int line : {10, 12, 14}) made.clock_read(line, line);
  CHECK(drawn(made).brackets.size() == 3);  // 10-12, 12-14, and 10-14
  trace_builder loop;                       // from the end of one round to the begin of the next: none
  for (int round = 0; round < 3; ++round) {
    loop.clock_read(10 + round, 10);
    loop.clock_read(10.5 + round, 12);
  }
  CHECK(drawn(loop).brackets.size() == 4);  // one a round, and from the first to the last
  trace_builder waiting;                    // while (now() < end)
  for (int i = 0; i < 5; ++i) waiting.clock_read(10 + i, 10);
  CHECK(drawn(waiting).brackets.empty());
}

TEST_CASE("reads in a function of the student's own count where it was called") {
  trace_builder made;
  const auto read_from = [&](double at_ms, int line) {
    made.clock_read(at_ms, 5);
    auto& stack = made.run.clock_reads.back().stack;
    stack = {{"student.cu", 5, "now"}, {"student.cu", line, "main"}};
  };
  read_from(10, 20);
  read_from(15, 22);
  const auto brackets = drawn(made).brackets;
  REQUIRE(brackets.size() == 1);
  CHECK(brackets[0].where == "student.cu:20 to student.cu:22");
}

TEST_CASE("reads of the grader's own are nobody's measurement") {
  trace_builder made;
  for (const int line : {10, 12}) {
    made.clock_read(line, line);
    made.run.clock_reads.back().stack = {{"grader/checks/01_timing_pitfalls/driver.cu", line, "scenario"}};
  }
  CHECK(drawn(made).brackets.empty());
}

TEST_CASE("an elapsed time is a bracket between the stamps of its records") {
  trace_builder made;
  made.run.streams.push_back({1, true, 0, 0, 0});
  const auto start = made.record(1, 10, 10.1, 40);
  made.kernel("spin", 1, 10.01, 10.11, 15.11, 41);
  const auto stop = made.record(1, 10.02, 15.12, 42);
  made.elapsed(stop, start, 20, 44);  // the wrong way round
  const auto brackets = drawn(made).brackets;
  REQUIRE(brackets.size() == 1);
  CHECK(brackets[0].label == "events -5.02 ms");
  CHECK(brackets[0].begin == trace_builder::ns(10.1));
  CHECK(brackets[0].end == trace_builder::ns(15.12));
  CHECK(brackets[0].inside == "inside: all 5 ms of spin");
}

TEST_CASE("an arrow leads from the record to what waits for it") {
  program made;
  const auto one = made.stream(true), two = made.stream(true), event = made.event();
  made.record(event, one, 10);
  made.wait(two, event, 11);
  made.event_sync(event, 12);
  made.run.calls.back().blocked = 1000;
  const auto model = drawn(made);
  REQUIRE(model.arrows.size() == 2);
  CHECK(model.items[model.arrows[0].from].kind == mark::record);
  CHECK(model.items[model.arrows[0].to].kind == mark::wait);
  CHECK(model.arrows[1].kind == timeline::arrow_kind::host_waits);
  CHECK(model.items[model.arrows[1].to].name == "cudaEventSynchronize");
}

TEST_CASE("a race links the two, with the grader's sentence") {
  const auto model = drawn(race());
  REQUIRE(model.hazards.size() == 1);
  CHECK(model.items[model.hazards[0].first].name == "writer");
  CHECK(model.items[model.hazards[0].second].name == "reader");
  CHECK(model.hazards[0].what == "race");
  CHECK(has(model.hazards[0].text, "nothing orders the two"));
  const std::string picture = timeline::svg({model});
  CHECK(times(picture, "class=\"missing\"") == 2);  // the link, and the legend
  CHECK(has(picture, "nothing orders the two"));
}

TEST_CASE("the legend explains what the picture shows, and nothing else") {
  const auto legend_of = [](const timeline::model& of) {
    const std::string picture = timeline::svg({of});
    const std::size_t begin = picture.find("<g class=\"legend\">");
    return picture.substr(begin, picture.find("</g>", begin) - begin);
  };
  const std::string racing = legend_of(drawn(race()));
  CHECK(has(racing, ">kernel<"));
  CHECK(has(racing, ">a wait that is missing<"));
  for (const char* absent : {"event", "measured", "clock", "copy", "waits", "failed", "faint"})
    CHECK_MESSAGE(!has(racing, absent), absent);
  const std::string unwaited = legend_of(drawn(unwaited_launch()));
  for (const char* there :
       {">a call<", ">the host waits<", ">clock read<", ">kernel<", ">measured by the program<"})
    CHECK_MESSAGE(has(unwaited, there), there);
  CHECK(!has(unwaited, "missing"));
  CHECK(!has(legend_of(timeline::without_record("student.cu", "no trace")), "<text"));
}

TEST_CASE("links there and back lie apart, and so do their numbers") {
  auto model = drawn(race());
  auto back = model.hazards.at(0);
  std::swap(back.first, back.second);
  model.hazards.push_back(back);
  const std::string picture = timeline::svg({model}), badge = "class=\"badge\" cx=\"";
  CHECK(times(picture, "class=\"missing\"") == 3);
  std::vector<std::pair<double, double>> places;
  for (auto at = picture.find(badge); at != std::string::npos; at = picture.find(badge, at + 1)) {
    double x = 0, y = 0;
    REQUIRE(std::sscanf(picture.c_str() + at + badge.size(), "%lf\" cy=\"%lf", &x, &y) == 2);
    places.emplace_back(x, y);
  }
  REQUIRE(places.size() == 2);
  CHECK(std::hypot(places[0].first - places[1].first, places[0].second - places[1].second) > 18);
}

TEST_CASE("a record that lost something says so, and that nothing else is wrong it does not say") {
  auto made = race();
  made.run.findings.push_back({trace::finding_kind::incomplete_record, "42 records were lost", 0, 0, {}});
  const auto model = drawn(made);
  CHECK(model.hazards.empty());
  REQUIRE(model.notices.size() == 1);
  CHECK(has(model.notices[0], "42 records were lost"));
}

TEST_CASE("host code that takes part lies behind the call before it") {
  program made;
  const auto one = made.stream(true), memory = made.device(), pinned = made.pinned();
  made.download(one, pinned, memory, 10);
  made.host(program::reads(pinned), 12);
  const auto model = drawn(made);
  const auto accesses = items(model, mark::access);
  REQUIRE(accesses.size() == 1);
  CHECK(accesses[0]->where == "student.cu:12");
  CHECK(accesses[0]->begin == made.run.calls.back().end);
  CHECK(model.hazards.size() == 1);
}

TEST_CASE("gaps are where the device did nothing between its work") {
  trace_builder made;
  made.kernel("first", 1, 10, 10, 12, 40);
  made.kernel("beside", 2, 10, 11, 13, 41);
  made.kernel("last", 1, 10, 15, 16, 42);
  const auto model = drawn(made);
  REQUIRE(model.gaps.size() == 1);
  CHECK(model.gaps[0].begin == trace_builder::ns(13));
  CHECK(model.gaps[0].end == trace_builder::ns(15));
  CHECK(value(model, "device at work") == "4 ms");
  CHECK(value(model, "device idle between its work") == "2 ms");
}

TEST_CASE("shown first is what the student's file does, without the making of the context") {
  trace_builder made;
  made.call("cudaFree", 0, 150, 10);
  made.kernel("spin", 1, 151, 151, 153, 42);
  CHECK(drawn(made).focus.begin == trace_builder::ns(151));
  CHECK(drawn(made).focus.end == trace_builder::ns(153));
  made.clock_read(0, 9);  // which the program measured itself
  made.clock_read(150, 11);
  CHECK(drawn(made).focus.begin == 0);
}

TEST_CASE("the first race is in what is shown first, also where somebody else takes part") {
  auto made = race();
  auto& reader = made.run.calls.back();
  reader.stack = {{"grader/checks/02_stream_waits/driver.cu", 90, "scenario"}};
  made.run.operations.back().begin += 5'000'000'000;
  made.run.operations.back().end += 5'000'000'000;
  const auto model = drawn(made);
  REQUIRE(model.hazards.size() == 1);
  CHECK(model.focus.end == made.run.operations.back().end);
}

TEST_CASE("an empty record, an unfinished one and none at all are pictures too") {
  trace_builder empty;
  empty.run.complete = true;
  trace_builder stopped = unwaited_launch();
  stopped.run.complete = false;
  stopped.run.calls.back().end = stopped.run.operations.back().end = trace::unfinished;
  const std::vector<std::pair<timeline::model, std::string>> models{
      {drawn(empty), "The record is empty"},
      {drawn(stopped), "The program did not come to its end"},
      {timeline::without_record("student.cu", "this is not a trace of this version"),
       "not a trace of this version"}};
  for (const auto& [model, notice] : models) {
    REQUIRE(!model.notices.empty());
    CHECK(has(model.notices[0], notice));
    CHECK(has(timeline::svg({model}), notice));
    CHECK(has(data_of(timeline::page({model})).at("runs")[0].at("notices")[0], notice));
    CHECK(!json::parse(timeline::perfetto({model})).empty());
  }
  CHECK(items(models[1].first, mark::kernel)[0]->open);
}

TEST_CASE("work that never began lies at the end") {
  auto made = unwaited_launch();
  made.run.complete = false;
  made.run.operations.back().begin = made.run.operations.back().end = trace::unfinished;
  const auto model = drawn(made);
  const auto kernels = items(model, mark::kernel);
  CHECK(kernels[0]->begin == model.whole.end);
  CHECK(has(kernels[0]->detail, "had not begun"));
  CHECK(kernels[0]->engine == -1);
}

TEST_CASE("hostile names are text, and short") {
  const std::string names[] = {"</script><script>alert(1)</script>",
                               "<img src=x onerror=alert(1)>",
                               "\"quoted' & <b>bold</b>",
                               "@RECORD@ @TITLE@ ]]>",
                               "🙂 emoji",
                               "line\xE2\x80\xA8separator\xE2\x80\xAEturned",
                               "broken \xFF\xC3 bytes",
                               std::string("nul\0byte", 8),
                               std::string(2000, 'x')};
  for (const std::string& name : names) {
    CAPTURE(timeline::shown_text(name, 40));
    trace_builder made;
    made.run.device.name = name;
    made.kernel(name, 1, 10, 10, 12, 42);
    made.call(name, 12, 13, 43, 1);
    made.run.findings.push_back({trace::finding_kind::crash, name, 0, 0, {}});
    const auto model = timeline::make_timeline(analysis::recording(made.run), name, name);
    const std::string page = timeline::page({model}), picture = timeline::svg({model});
    // The page's own, and no other.
    CHECK(times(page, "<script") == 3);
    CHECK(times(page, "</script") == 3);
    CHECK(times(page, "<img") == 0);
    CHECK(times(picture, "<script") + times(picture, "<img") + times(picture, "<b>") == 0);
    for (const std::string& text : {page, picture}) {
      CHECK(!has(text, std::string(1001, 'x')));
      CHECK(!has(text, "\xE2\x80\xA8"));
      CHECK(!has(text, "\xFF"));
    }
    const json run = data_of(page).at("runs")[0];
    CHECK(run.at("title") == timeline::shown_text(name));
    CHECK(run.at("strings").dump().find(json(timeline::shown_text(name)).dump()) != std::string::npos);
    CHECK(!json::parse(timeline::perfetto({model})).empty());
  }
}

TEST_CASE("shown text is of one line, valid, and no longer than asked for") {
  CHECK(timeline::shown_text("plain") == "plain");
  CHECK(timeline::shown_text("größer 🙂") == "größer 🙂");
  CHECK(timeline::shown_text("a\nb\tc") == "a b c");
  CHECK(timeline::shown_text("\xFF\xC3(") == "\\xff\\xc3(");
  CHECK(timeline::shown_text("\xED\xA0\x80") == "\\xed\\xa0\\x80");  // half of a pair
  CHECK(timeline::shown_text("\xE2\x80\xAE") == "\\xe2\\x80\\xae");
  CHECK(timeline::shown_text("äöüß", 4) == "äöüß");
  CHECK(timeline::shown_text("äöüß", 3) == "äö…");
  CHECK(timeline::shown_text("äöüß\x1b", 4) == "äöü…");
  CHECK(timeline::shown_text("\xE2\x80") == "\\xe2\\x80");
}

TEST_CASE("what cannot be shown is there byte by byte, and cannot hurt a terminal") {
  CHECK(timeline::printable("a\x1b[31m\xff µ\n\tb\r\x7f") == "a\\x1b[31m\\xff µ\n\tb\\x0d\\x7f");
  CHECK(timeline::printable(std::string_view("\0", 1)) == "\\x00");
  const std::string once = timeline::printable("\x1b");
  CHECK(timeline::printable(once) == once);
}

TEST_CASE("two runs stand on one time axis") {
  auto later = unwaited_launch();
  for (auto& call : later.run.calls) call.begin += 1'000'000'000, call.end += 1'000'000'000;
  for (auto& read : later.run.clock_reads) read.at += 1'000'000'000;
  for (auto& work : later.run.operations) {
    for (auto* time : {&work.submitted, &work.begin, &work.end}) *time += 1'000'000'000;
  }
  const auto one = drawn(unwaited_launch(), "yours"), two = drawn(later, "the solution");
  const json runs = data_of(timeline::page({one, two})).at("runs");
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].at("title") == "the solution");
  const std::string picture = timeline::svg({one, two});
  // Both begin at the same place.
  const std::string kernel = "class=\"mark kernel\" x=\"";
  const std::size_t first = picture.find(kernel), second = picture.find(kernel, picture.find("id=\"run-1\""));
  REQUIRE(second != std::string::npos);
  CHECK(picture.substr(first, kernel.size() + 5) == picture.substr(second, kernel.size() + 5));
  const json trace = json::parse(timeline::perfetto({one, two}));
  CHECK(has(trace.dump(), "host: the solution"));
}

TEST_CASE("the same record gives the same bytes") {
  for (const auto& made : {unwaited_launch(), race()}) {
    CHECK(timeline::svg({drawn(made)}) == timeline::svg({drawn(made)}));
    CHECK(timeline::page({drawn(made)}) == timeline::page({drawn(made)}));
    CHECK(timeline::perfetto({drawn(made)}) == timeline::perfetto({drawn(made)}));
  }
}

TEST_CASE("a picture of many operations is bounded by its pixels") {
  trace_builder made;
  for (int i = 0; i < 20'000; ++i) made.kernel("tiny", 1 + i % 3, i * 0.01, i * 0.01, i * 0.01 + 0.005, 42);
  const std::string picture = timeline::svg({drawn(made)});
  CHECK(times(picture, "<rect") < 4000);
  CHECK(picture.size() < 1'000'000);
}

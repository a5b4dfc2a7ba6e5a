#include <doctest/doctest.h>

#include <analysis/hazards.hpp>
#include <analysis/witness.hpp>

#include "support/program.hpp"

using namespace lab::analysis;
using lab::trace::copy_direction;

namespace {

std::string line(int number) {
  return number == 0 ? "" : "student.cu:" + std::to_string(number);
}

void nothing_is_wrong(const program& made) {
  const recording seen(made.run);
  const auto found = find_hazards(seen);
  CAPTURE(found.empty() ? "" : hazard_text(seen, found[0]));
  CHECK(found.empty());
}

struct expected {
  hazard_level level;
  int first, second;  // the lines of the two
  edge_fault fault;
  int call = 0, record = 0;  // the lines of the edge
};

/// The only hazard; its text goes to `text`.
void is_wrong(const program& made, const expected& wanted, std::string* text = nullptr) {
  const recording seen(made.run);
  const auto found = find_hazards(seen);
  REQUIRE(!found.empty());
  CAPTURE(hazard_text(seen, found[0]));
  CAPTURE(hazard_text(seen, found.back()));
  REQUIRE(found.size() == 1);
  const hazard& only = found[0];
  const auto place = [&](lab::trace::id call) { return call == 0 ? "" : seen.call_with_id(call).where(); };
  CHECK(only.level == wanted.level);
  CHECK(only.first.where == line(wanted.first));
  CHECK(only.second.where == line(wanted.second));
  CHECK(static_cast<int>(only.edge.fault) == static_cast<int>(wanted.fault));
  CHECK(place(only.edge.call) == line(wanted.call));
  CHECK(place(only.edge.record) == line(wanted.record));
  if (text != nullptr) *text = hazard_text(seen, only);
}

constexpr auto race = hazard_level::race;
constexpr auto luck = hazard_level::relies_on_luck;
constexpr auto lifetime = hazard_level::lifetime;

/// Upload on one stream, scale on another, download on the first: the course's program.
struct two_streams : program {
  id copies, compute, d, in, out, copied, scaled;
  explicit two_streams(bool non_blocking = true)
      : copies(stream(non_blocking, 8)),
        compute(stream(non_blocking, 9)),
        d(device()),
        in(pinned()),
        out(pinned()),
        copied(event()),
        scaled(event()) {
    host(writes(in), 20);
  }
  void uploads() { upload(copies, d, in, 38); }
  void scales() { kernel("scale", compute, 40, {reads(d), writes(d)}); }
  void downloads() { download(copies, out, d, 42); }
  void reads_result() { host(reads(out), 50); }
};

}  // namespace

TEST_SUITE("two streams and an event between them") {
  TEST_CASE("both edges and the final wait: nothing is wrong") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    p.record(p.scaled, p.compute, 41);
    p.wait(p.copies, p.scaled, 41);
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.reads_result();
    nothing_is_wrong(p);
  }
  TEST_CASE("no event at all") {
    two_streams p;
    p.uploads();
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::none_recorded}, &text);
    CHECK(text ==
          "scale (student.cu:40, stream 2) reads bytes 0 to 4096 of the device memory allocated at "
          "student.cu:3 "
          "while the upload (student.cu:38, stream 1) may still be writing them: nothing orders the two. No "
          "event "
          "is recorded in stream 1 behind the upload for stream 2 to wait for before scale.");
  }
  TEST_CASE("recorded, and nobody waits") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::not_waited_for, 0, 39});
  }
  TEST_CASE("recorded before the copy") {
    two_streams p;
    p.record(p.copied, p.copies, 37);
    p.uploads();
    p.wait(p.compute, p.copied, 39);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::recorded_too_early, 39, 37}, &text);
    CHECK(
        text.find(
            "cudaStreamWaitEvent (student.cu:39) waits for an event that was recorded (student.cu:37) before "
            "the upload was submitted: that is not waiting for the upload.") != std::string::npos);
  }
  TEST_CASE("waited before the record") {
    two_streams p;
    p.uploads();
    p.wait(p.compute, p.copied, 36);
    p.record(p.copied, p.copies, 39);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::waited_too_early, 36, 39}, &text);
    CHECK(text.find("was called before the event was recorded (student.cu:39), so it waits for nothing") !=
          std::string::npos);
  }
  TEST_CASE("the wait is for an event never recorded") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.scaled, 36);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::never_recorded, 36});
  }
  TEST_CASE("the wait is in another stream") {
    two_streams p;
    const auto other = p.stream(true, 10);
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(other, p.copied, 36);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::wait_in_other_stream, 36}, &text);
    CHECK(text.find("makes stream 3 wait for the upload, not stream 2, in which scale runs") !=
          std::string::npos);
  }
  TEST_CASE("recorded in the stream that waits") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.compute, 39);
    p.wait(p.compute, p.copied, 40);
    p.scales();
    p.record(p.scaled, p.compute, 41);
    p.wait(p.copies, p.scaled, 41);
    p.downloads();
    p.record(p.copied, p.copies, 43);  // covers the upload, but much later
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::recorded_in_other_stream, 40, 39}, &text);
    CHECK(text.find("The event that cudaStreamWaitEvent (student.cu:40) waits for is recorded "
                    "(student.cu:39) in stream 2, not in stream 1, where the upload is") !=
          std::string::npos);
  }
  TEST_CASE("recorded in a third stream") {
    two_streams p;
    const auto other = p.stream(true, 10);
    p.uploads();
    p.record(p.copied, other, 39);
    p.wait(p.compute, p.copied, 40);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::recorded_in_other_stream, 40, 39});
  }
  TEST_CASE("a wait that is needed for something else is not the wrong one") {
    two_streams p;
    const auto other = p.stream(true, 10), table = p.device();
    p.uploads();
    p.kernel("prepare", other, 36, {p.writes(table)});
    p.record(p.scaled, other, 37);
    p.wait(p.compute, p.scaled, 39);
    p.kernel("scale", p.compute, 40, {p.reads(table), p.reads(p.d), p.writes(p.d)});
    is_wrong(p, {race, 38, 40, edge_fault::none_recorded});
  }
  TEST_CASE("whatever else the streams do around a wait for the wrong stream") {
    two_streams p;
    const auto table = p.device();
    p.uploads();
    p.record(p.copied, p.compute, 39);
    p.wait(p.compute, p.copied, 40);
    p.kernel("prepare", p.copies, 41, {p.writes(table)});
    p.record(p.scaled, p.compute, 42);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::recorded_in_other_stream, 40, 39});
  }
  TEST_CASE("a wait for what only reads the same is of no need") {
    two_streams p;
    const auto other = p.stream(true, 10), table = p.device();
    p.uploads();
    p.kernel("look", other, 36, {p.reads(table)});
    p.record(p.scaled, other, 37);
    p.wait(p.compute, p.scaled, 39);
    p.kernel("scale", p.compute, 40, {p.reads(table), p.reads(p.d), p.writes(p.d)});
    is_wrong(p, {race, 38, 40, edge_fault::recorded_in_other_stream, 39, 37});
  }
  TEST_CASE("the wait for an event never recorded is no reason where the right wait comes too late") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 37);
    p.wait(p.compute, p.scaled, 39);
    p.scales();
    p.wait(p.compute, p.copied, 41);
    is_wrong(p, {race, 38, 40, edge_fault::waited_too_late, 41});
  }
  TEST_CASE("the wait is in front of both, the next record behind both") {
    two_streams p;
    p.record(p.copied, p.copies, 30);
    p.wait(p.compute, p.copied, 31);
    p.uploads();
    p.scales();
    p.record(p.copied, p.copies, 41);
    is_wrong(p, {race, 38, 40, edge_fault::bound_to_older_round, 31, 41});
  }
  TEST_CASE("the host waits for an event that was recorded too early, and another is recorded in time") {
    two_streams p;
    p.record(p.scaled, p.copies, 37);
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.event_sync(p.scaled, 39);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::recorded_too_early, 39, 37});
  }
  TEST_CASE("an event of another stream tells of the first: it is waited for too late, or elsewhere") {
    for (const bool late : {true, false}) {
      two_streams p;
      const auto blocking = p.stream(false, 10), other = p.stream(true, 11);
      p.kernel("make", blocking, 38, {p.writes(p.d)});
      p.record(p.copied, 0, 39);
      if (!late) p.wait(other, p.copied, 39);
      p.scales();
      if (late) p.wait(p.compute, p.copied, 41);
      is_wrong(p, {race, 38, 40, late ? edge_fault::waited_too_late : edge_fault::wait_in_other_stream,
                   late ? 41 : 39});
    }
  }
  TEST_CASE("the wait is for the event of something else, the right one is recorded") {
    two_streams p;
    const auto other = p.stream(true, 10);
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.record(p.scaled, other, 36);
    p.wait(p.compute, p.scaled, 37);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::waited_for_another_event, 37, 39}, &text);
    CHECK(text.find("An event is recorded (student.cu:39) behind the upload, but cudaStreamWaitEvent "
                    "(student.cu:37) waits for another one, recorded at student.cu:36") != std::string::npos);
  }
  TEST_CASE("the download waits for the upload once more") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    p.record(p.scaled, p.compute, 41);
    p.wait(p.copies, p.copied, 41);
    p.downloads();
    is_wrong(p, {race, 40, 42, edge_fault::waited_for_another_event, 41, 41});
  }
  TEST_CASE("the wait is for the event that is recorded only behind the kernel itself") {
    two_streams p;
    p.uploads();
    p.wait(p.compute, p.scaled, 39);
    p.scales();
    p.record(p.scaled, p.compute, 41);
    is_wrong(p, {race, 38, 40, edge_fault::waited_too_early, 39, 41});
  }
  TEST_CASE("the stream that copies waits for its own event") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.copies, p.copied, 39);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::wait_in_other_stream, 39}, &text);
    CHECK(text.find("makes stream 1 wait for the upload, which is in that stream itself, not stream 2, in "
                    "which scale runs") != std::string::npos);
  }
  TEST_CASE("a record behind both is no help to the second") {
    two_streams p;
    p.uploads();
    p.scales();
    p.record(p.copied, p.copies, 41);
    is_wrong(p, {race, 38, 40, edge_fault::none_recorded});
  }
  TEST_CASE("the wait comes after the kernel") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.scales();
    p.wait(p.compute, p.copied, 41);
    is_wrong(p, {race, 38, 40, edge_fault::waited_too_late, 41});
  }
  TEST_CASE("the second edge is missing: the download may come before scale is done") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.reads_result();
    is_wrong(p, {race, 40, 42, edge_fault::none_recorded});
  }
  TEST_CASE("one event for both edges, recorded again too early") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.record(p.copied, p.compute, 41);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::recorded_again, 39, 41});
  }
  TEST_CASE("one event for both edges, in turn: each wait keeps what it saw") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    p.record(p.copied, p.compute, 41);
    p.wait(p.copies, p.copied, 41);
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.reads_result();
    nothing_is_wrong(p);
  }
  TEST_CASE("both on one stream need no event") {
    two_streams p;
    p.uploads();
    p.kernel("scale", p.copies, 40, {p.reads(p.d), p.writes(p.d)});
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.reads_result();
    nothing_is_wrong(p);
  }
  TEST_CASE("a host wait in the middle orders as well") {
    two_streams p;
    p.uploads();
    p.stream_sync(p.copies, 39);
    p.scales();
    p.device_sync(41);
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.reads_result();
    nothing_is_wrong(p);
  }
  TEST_CASE("a query that answers not ready orders nothing") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.event_query(p.copied, false, 39);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::not_ready, 39}, &text);
    CHECK(text.find("cudaEventQuery (student.cu:39) answered \"not ready\", and the program went on") !=
          std::string::npos);
  }
  TEST_CASE("an answer counts where it is the right one's, in time, and of the thread that goes on") {
    for (int way = 0; way < 3; ++way) {
      CAPTURE(way);
      two_streams p;
      p.uploads();
      p.thread = way == 0 ? 1 : 0;
      if (way < 2) p.stream_query(way == 0 ? p.copies : p.compute, false, 39);
      p.thread = 0;
      p.scales();
      if (way == 2) p.stream_query(p.copies, false, 41);
      is_wrong(p, {race, 38, 40, edge_fault::none_recorded});
    }
  }
  TEST_CASE("polling until success orders: what PyTorch's sanitizer reports wrongly") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.event_query(p.copied, false, 39);
    p.event_query(p.copied, true, 39);
    p.scales();
    nothing_is_wrong(p);
  }
  TEST_CASE("polling a stream until success orders") {
    two_streams p;
    p.uploads();
    p.stream_query(p.copies, false, 39);
    p.stream_query(p.copies, true, 39);
    p.scales();
    nothing_is_wrong(p);
  }
  TEST_CASE("the host waits for the other stream in the middle") {
    two_streams p;
    p.uploads();
    p.stream_sync(p.compute, 39);
    p.scales();
    std::string text;
    is_wrong(p, {race, 38, 40, edge_fault::other_work_waited_for, 39}, &text);
    CHECK(text.find("waits for work in stream 2; the upload is in stream 1") != std::string::npos);
  }
}

TEST_SUITE("records") {
  TEST_CASE("work submitted after a record is not covered by it: what cusan misses") {
    two_streams p;
    const auto other = p.device();
    p.kernel("prepare", p.copies, 35, {p.writes(other)});
    p.record(p.copied, p.copies, 36);
    p.uploads();
    p.wait(p.compute, p.copied, 39);
    p.kernel("use", p.compute, 41, {p.reads(other)});
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::recorded_too_early, 39, 36});
  }
  TEST_CASE("a record again on another stream counts, also for the host: what cusan misses") {
    two_streams p;
    p.kernel("one", p.compute, 35, {p.writes(p.out)});
    p.record(p.copied, p.compute, 36);
    p.record(p.copied, p.copies, 37);
    p.event_sync(p.copied, 45);
    p.reads_result();
    is_wrong(p, {race, 35, 50, edge_fault::recorded_again, 45, 37});
  }
  TEST_CASE("a record again on the same stream covers the older work too") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 36);
    p.record(p.copied, p.copies, 37);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    nothing_is_wrong(p);
  }
  TEST_CASE("one event recorded on each producer: only the last is waited for") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), c = p.stream(true), e = p.event();
    const auto x = p.device(), y = p.device();
    p.kernel("first", a, 20, {p.writes(x)});
    p.record(e, a, 21);
    p.kernel("second", b, 22, {p.writes(y)});
    p.record(e, b, 23);
    p.wait(c, e, 24);
    p.kernel("sum", c, 25, {p.reads(x), p.reads(y)});
    is_wrong(p, {race, 20, 25, edge_fault::recorded_again, 24, 23});
  }
  TEST_CASE("an event for each producer") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), c = p.stream(true), e = p.event(), f = p.event();
    const auto x = p.device(), y = p.device();
    p.kernel("first", a, 20, {p.writes(x)});
    p.record(e, a, 21);
    p.kernel("second", b, 22, {p.writes(y)});
    p.record(f, b, 23);
    p.wait(c, e, 24);
    p.wait(c, f, 24);
    p.kernel("sum", c, 25, {p.reads(x), p.reads(y)});
    nothing_is_wrong(p);
  }
  TEST_CASE("destroying an event after the wait was called changes nothing") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.wait(p.compute, p.copied, 39);
    p.destroy_event(p.copied, 39);
    p.scales();
    nothing_is_wrong(p);
  }
  TEST_CASE("destroying a stream with work in it is no wait") {
    two_streams p;
    p.downloads();
    p.destroy_stream(p.copies, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::stream_destroyed, 45});
  }
  TEST_CASE("waits reach through a third stream") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), c = p.stream(true), e = p.event(), f = p.event();
    const auto x = p.device();
    p.kernel("make", a, 20, {p.writes(x)});
    p.record(e, a, 21);
    p.wait(b, e, 22);
    p.record(f, b, 23);
    p.wait(c, f, 24);
    p.kernel("use", c, 25, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a wait issued in the last round is for that round") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 30);
    p.wait(p.compute, p.copied, 31);
    p.scales();
    p.record(p.scaled, p.compute, 32);
    p.wait(p.copies, p.scaled, 33);
    p.wait(p.compute, p.copied, 34);
    p.upload(p.copies, p.d, p.in, 35);
    p.record(p.copied, p.copies, 36);
    p.kernel("again", p.compute, 37, {p.reads(p.d)});
    is_wrong(p, {race, 35, 37, edge_fault::bound_to_older_round, 34, 36});
  }
}

TEST_SUITE("answers") {
  TEST_CASE("what only an answer orders is no hazard, and found where answers do not count") {
    program p;
    const auto s = p.stream(true), d = p.device(), out = p.pinned(), e = p.event();
    p.download(s, out, d, 20);
    p.record(e, s, 21);
    p.event_query(e, true, 22);
    p.host(p.reads(out), 23);
    const recording seen(p.run);
    CHECK(find_hazards(seen).empty());
    const auto found = find_answered(seen);
    REQUIRE(found.size() == 1);
    CHECK(found[0].level == luck);
    CHECK(found[0].edge.fault == edge_fault::answer_not_looked_at);
    CHECK(hazard_text(seen, found[0])
              .find("cudaEventQuery (student.cu:22) answered that the download was done, this time; "
                    "the program goes on whatever the answer is.") != std::string::npos);
  }
  TEST_CASE("turned round is what the program does though it is told \"not ready\"") {
    const auto run = [](const std::vector<bool>& answers, bool waits, bool reads) {
      program p;
      const auto s = p.stream(true), d = p.device(), out = p.pinned(), e = p.event();
      p.download(s, out, d, 20);
      p.record(e, s, 21);
      for (const bool answer : answers) p.event_query(e, answer, 22);
      if (waits) p.event_sync(e, 23);
      if (reads) p.host(p.reads(out), 24);
      return recording(p.run);
    };
    const recording original = run({true}, false, true);
    const auto found = find_answered(original);
    REQUIRE(found.size() == 1);
    const auto turned_round = [&](const recording& other) {
      return was_turned_round(original, other, found[0]);
    };
    CHECK(turned_round(run({false}, false, true)));
    CHECK(turned_round(run({false, false, false}, false, true)));
    CHECK_FALSE(turned_round(run({false, false, true}, false, true)));  // goes on asking
    CHECK_FALSE(turned_round(run({false}, true, true)));                // waits
    CHECK_FALSE(turned_round(run({false}, false, false)));              // does without
  }
  TEST_CASE("on a real GPU it has to be seen that the host came first, and that the order was kept") {
    struct other_run {
      lab::trace::time_ns begins = 0;  // after the host's next call began
      bool kept = true, finds_same_call = true;
    };
    const auto run = [](const other_run& how) {
      program p;
      p.run.device.emulated = false;
      const auto s = p.stream(true), d = p.device(), out = p.pinned();
      const auto download = p.download(s, out, d, 20);
      p.host(p.reads(out), 21);
      how.finds_same_call ? p.stream_sync(s, 22) : p.device_sync(22);
      p.run.operations[download - 1].begin = p.run.calls.back().begin + how.begins;
      p.run.operations[download - 1].end = p.run.calls.back().begin + how.begins + 1000;
      if (!how.kept)
        p.run.findings.push_back({lab::trace::finding_kind::order_not_kept, "it was not", 0, 0, {}});
      return recording(p.run);
    };
    const recording original = run({});
    const auto found = find_hazards(original);
    REQUIRE(found.size() == 1);
    CHECK(was_turned_round(original, run({5000}), found[0]));
    CHECK_FALSE(was_turned_round(original, run({-5000}), found[0]));
    CHECK_FALSE(was_turned_round(original, run({5000, false}), found[0]));
    CHECK_FALSE(was_turned_round(original, run({5000, true, false}), found[0]));
  }
  TEST_CASE("on a real GPU luck and lifetimes cannot be turned round, a race can") {
    for (const bool emulated : {true, false}) {
      program p;
      p.run.device.emulated = emulated;
      const auto s = p.stream(true), t = p.stream(true), d = p.device(), other = p.device(), in = p.pinned();
      p.upload(s, d, in, 20);
      p.kernel("scale", t, 21, {p.reads(d)});
      p.kernel("fill", s, 22, {p.writes(other)});
      p.free(other, 23);
      const recording seen(p.run);
      const auto found = find_hazards(seen);
      REQUIRE(found.size() == 2);
      CAPTURE(emulated);
      for (const auto& each : found) {
        CHECK(turn_round(seen, each, found).has_value() == (emulated || each.level == race));
      }
    }
  }
  TEST_CASE("a wait beside the answer is enough") {
    program p;
    const auto s = p.stream(true), d = p.device(), out = p.pinned(), e = p.event();
    p.download(s, out, d, 20);
    p.record(e, s, 21);
    p.event_query(e, true, 22);
    p.event_sync(e, 23);
    p.host(p.reads(out), 24);
    CHECK(find_answered(recording(p.run)).empty());
  }
  TEST_CASE("what nothing orders, answers or not, is a hazard and no answered one") {
    program p;
    const auto s = p.stream(true), d = p.device(), out = p.pinned(), e = p.event();
    p.record(e, s, 19);
    p.download(s, out, d, 20);
    p.event_query(e, true, 22);
    p.host(p.reads(out), 23);
    CHECK(find_answered(recording(p.run)).empty());
    CHECK(find_hazards(recording(p.run)).size() == 1);
  }
}

TEST_SUITE("rings of slots") {
  /// `frames` through `depth` slots; consumer waits for ready[slot], producer for free[slot].
  program ring(int frames, int depth, bool ready_before_wait, bool guards_slots) {
    program p;
    const auto producer = p.stream(true), consumer = p.stream(true);
    std::vector<program::id> slot, ready, free;
    for (int i = 0; i < depth; ++i) {
      slot.push_back(p.device());
      ready.push_back(p.event());
      free.push_back(p.event());
    }
    for (int frame = 0; frame < frames; ++frame) {
      const auto i = static_cast<std::size_t>(frame % depth);
      if (guards_slots) p.wait(producer, free[i], 30);
      p.kernel("fill", producer, 31, {p.writes(slot[i])});
      if (ready_before_wait) p.record(ready[i], producer, 32);
      p.wait(consumer, ready[i], 33);
      if (!ready_before_wait) p.record(ready[i], producer, 32);
      p.kernel("use", consumer, 34, {p.reads(slot[i])});
      p.record(free[i], consumer, 35);
    }
    return p;
  }
  TEST_CASE("events recorded again each frame, whatever the depth") {
    for (const int depth : {1, 2, 3, 8}) {
      for (const int frames : {1, depth, depth + 1, 5 * depth})
        nothing_is_wrong(ring(frames, depth, true, true));
    }
  }
  TEST_CASE("the slot is filled again while it is read") {
    const auto p = ring(12, 3, true, false);
    is_wrong(p, {race, 34, 31, edge_fault::not_waited_for, 0, 35});
    CHECK(find_hazards(recording(p.run))[0].count == 9);
  }
  TEST_CASE("the consumer waits before the record: for nothing, then for the round before") {
    const auto p = ring(6, 2, false, true);
    const auto found = find_hazards(recording(p.run));
    REQUIRE(!found.empty());
    CHECK(found[0].first.where == "student.cu:31");
    CHECK(found[0].edge.fault == edge_fault::waited_too_early);
  }
  // Once its stream has waited, every event of a ring tells of all that came before: only one of them is
  // meant.
  TEST_CASE("the record is in front of the work: the wait means that, not an older round") {
    program p;
    const auto producer = p.stream(true), consumer = p.stream(true), slot = p.device();
    const auto ready = p.event(), free = p.event();
    for (int frame = 0; frame < 4; ++frame) {
      p.wait(producer, free, 30);
      p.record(ready, producer, 31);
      p.kernel("fill", producer, 32, {p.writes(slot)});
      p.wait(consumer, ready, 33);
      p.kernel("use", consumer, 34, {p.reads(slot)});
      p.record(free, consumer, 35);
    }
    const auto found = find_hazards(recording(p.run));
    REQUIRE(!found.empty());
    CHECK(found[0].edge.fault == edge_fault::recorded_too_early);
  }
  TEST_CASE("the wait for a free slot comes behind what fills it") {
    program p;
    const auto producer = p.stream(true), consumer = p.stream(true), other = p.stream(true);
    const auto ready = p.event(), free = p.event(), free_too = p.event(), slot = p.device();
    for (int frame = 0; frame < 4; ++frame) {
      p.wait(producer, free_too, 30);
      p.kernel("fill", producer, 31, {p.writes(slot)});
      p.wait(producer, free, 32);
      p.record(ready, producer, 33);
      p.wait(consumer, ready, 34);
      p.wait(other, ready, 35);
      p.kernel("use", consumer, 36, {p.reads(slot)});
      p.record(free, consumer, 37);
      p.kernel("use_too", other, 38, {p.reads(slot)});
      p.record(free_too, other, 39);
    }
    is_wrong(p, {race, 36, 31, edge_fault::waited_too_late, 32});
  }
  TEST_CASE("the consumer waits in front of what fills the slot: for nothing, not too late") {
    program p;
    const auto producer = p.stream(true), consumer = p.stream(true);
    const std::vector<program::id> slot{p.device(), p.device()}, ready{p.event(), p.event()},
        free{p.event(), p.event()};
    for (std::size_t frame = 0; frame < 6; ++frame) {
      p.wait(producer, free[frame % 2], 30);
      p.wait(consumer, ready[frame % 2], 31);
      p.kernel("fill", producer, 32, {p.writes(slot[frame % 2])});
      p.record(ready[frame % 2], producer, 33);
      p.kernel("use", consumer, 34, {p.reads(slot[frame % 2])});
      p.record(free[frame % 2], consumer, 35);
    }
    is_wrong(p, {race, 32, 34, edge_fault::waited_too_early, 31, 33});
  }
  TEST_CASE("one of two readers is not waited for; that the host waits for something else is no fault") {
    program p;
    const auto producer = p.stream(true), consumer = p.stream(true), other = p.stream(true);
    const auto ready = p.event(), free = p.event(), free_too = p.event(), slot = p.device();
    for (int frame = 0; frame < 4; ++frame) {
      p.event_sync(ready, 29);
      p.wait(producer, free, 30);
      p.kernel("fill", producer, 31, {p.writes(slot)});
      p.record(ready, producer, 33);
      p.wait(consumer, ready, 34);
      p.wait(other, ready, 35);
      p.kernel("use", consumer, 36, {p.reads(slot)});
      p.record(free, consumer, 37);
      p.kernel("use_too", other, 38, {p.reads(slot)});
      p.record(free_too, other, 39);
    }
    is_wrong(p, {race, 38, 31, edge_fault::not_waited_for, 0, 39});
  }
  TEST_CASE("ping-pong buffers without an edge between the rounds") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device(), y = p.device();
    p.kernel("ping", a, 30, {p.reads(x), p.writes(y)});
    p.kernel("pong", b, 31, {p.reads(y), p.writes(x)});
    is_wrong(p, {race, 30, 31, edge_fault::none_recorded});
  }
  TEST_CASE("the host refills a slot whose upload is pending") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pinned();
    p.host(p.writes(in), 20);
    p.upload(s, d, in, 21);
    p.host(p.writes(in), 22);
    p.upload(s, d, in, 23);
    std::string text;
    is_wrong(p, {race, 21, 22, edge_fault::no_host_wait}, &text);
    CHECK(text ==
          "The host (student.cu:22) writes bytes 0 to 4096 of the pinned memory allocated at student.cu:4 "
          "while the "
          "upload (student.cu:21, stream 1) may still be reading them: nothing orders the two. Nothing makes "
          "the host "
          "wait for stream 1 before that.");
  }
  TEST_CASE("the host waits for the slot's own event when it has refilled it") {
    program p;
    const auto s = p.stream(true), d = p.device();
    const std::vector<program::id> in{p.pinned(), p.pinned()}, e{p.event(), p.event()};
    for (std::size_t frame = 0; frame < 4; ++frame) {
      p.host(p.writes(in[frame % 2]), 19);
      p.event_sync(e[frame % 2], 20);
      p.upload(s, d, in[frame % 2], 21);
      p.record(e[frame % 2], s, 22);
    }
    is_wrong(p, {race, 21, 19, edge_fault::waited_too_late, 20});
  }
  TEST_CASE("the host waits for the slot's own event before it refills") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pinned(), e = p.event();
    for (int round = 0; round < 4; ++round) {
      p.event_sync(e, 19);
      p.host(p.writes(in), 20);
      p.upload(s, d, in, 21);
      p.record(e, s, 22);
    }
    nothing_is_wrong(p);
  }
}

TEST_SUITE("default streams") {
  TEST_CASE(
      "the legacy stream waits for blocking streams and they for it: cusan has it, PyTorch's sanitizer not") {
    program p;
    const auto a = p.stream(false), b = p.stream(false), x = p.device();
    p.kernel("one", a, 20, {p.writes(x)});
    p.kernel("two", 0, 21, {p.reads(x), p.writes(x)});
    p.kernel("three", b, 22, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("two blocking streams do not wait for each other") {
    program p;
    const auto a = p.stream(false), b = p.stream(false), x = p.device();
    p.kernel("one", a, 20, {p.writes(x)});
    p.kernel("two", b, 22, {p.reads(x)});
    is_wrong(p, {race, 20, 22, edge_fault::none_recorded});
  }
  TEST_CASE("an unrelated kernel in the legacy stream stands between two blocking streams") {
    program p;
    const auto a = p.stream(false), b = p.stream(false), x = p.device();
    p.kernel("one", a, 20, {p.writes(x)});
    p.kernel("nothing", 0, 21);
    p.kernel("two", b, 22, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a wait in the legacy stream stands between blocking streams too") {
    program p;
    const auto a = p.stream(false), b = p.stream(false), x = p.device(), e = p.event();
    p.kernel("one", a, 20, {p.writes(x)});
    p.wait(0, e, 21);
    p.kernel("two", b, 22, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a non-blocking stream does not wait for the legacy stream") {
    program p;
    const auto s = p.stream(true, 8), x = p.device();
    p.memset(0, p.writes(x), 20, "cudaMemset");
    p.kernel("use", s, 21, {p.reads(x)});
    std::string text;
    is_wrong(p, {race, 20, 21, edge_fault::non_blocking_stream}, &text);
    CHECK(
        text.find(
            "Stream 1 was created non-blocking (student.cu:8): it and the legacy default stream do not wait "
            "for each other.") != std::string::npos);
  }
  TEST_CASE("a non-blocking stream does not wait, though there is an event") {
    program p;
    const auto s = p.stream(true, 8), x = p.device(), e = p.event();
    p.memset(0, p.writes(x), 20, "cudaMemset");
    p.record(e, 0, 20);
    p.kernel("use", s, 21, {p.reads(x)});
    is_wrong(p, {race, 20, 21, edge_fault::non_blocking_stream});
  }
  TEST_CASE("nor the legacy stream for a non-blocking one: the launch without a stream") {
    program p;
    const auto s = p.stream(true, 8), x = p.device();
    p.kernel("make", s, 20, {p.writes(x)});
    p.kernel("use", 0, 21, {p.reads(x)});
    is_wrong(p, {race, 20, 21, edge_fault::non_blocking_stream});
  }
  TEST_CASE("a plain copy back does not wait for a non-blocking stream") {
    program p;
    const auto s = p.stream(true, 8), x = p.device(), out = p.pinned();
    p.kernel("make", s, 20, {p.writes(x)});
    p.download(0, out, x, 21, "cudaMemcpy");
    p.host(p.reads(out), 22);
    is_wrong(p, {race, 20, 21, edge_fault::non_blocking_stream});
  }
  TEST_CASE("a plain copy back waits for a blocking stream, and the host for the copy") {
    program p;
    const auto s = p.stream(false), x = p.device(), out = p.pageable();
    p.kernel("make", s, 20, {p.writes(x)});
    p.download(0, out, x, 21, "cudaMemcpy");
    p.host(p.reads(out), 22);
    nothing_is_wrong(p);
  }
  TEST_CASE("an event in the legacy stream covers blocking streams") {
    program p;
    const auto s = p.stream(false), t = p.stream(true), x = p.device(), e = p.event();
    p.kernel("make", s, 20, {p.writes(x)});
    p.record(e, 0, 21);
    p.wait(t, e, 22);
    p.kernel("use", t, 23, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("waiting for the legacy stream waits for blocking streams") {
    program p;
    const auto s = p.stream(false), out = p.pinned(), x = p.device();
    p.download(s, out, x, 20);
    p.stream_sync(0, 21);
    p.host(p.reads(out), 22);
    nothing_is_wrong(p);
  }
  TEST_CASE("waiting for the legacy stream does not wait for non-blocking ones") {
    program p;
    const auto s = p.stream(true), out = p.pinned(), x = p.device();
    p.download(s, out, x, 20);
    p.stream_sync(0, 21);
    p.host(p.reads(out), 22);
    is_wrong(p, {race, 20, 22, edge_fault::other_work_waited_for, 21});
  }
  TEST_CASE("waiting for an idle blocking stream does not wait for the legacy stream") {
    program p;
    const auto s = p.stream(false), out = p.pinned(), x = p.device();
    p.download(0, out, x, 20);
    p.stream_sync(s, 21);
    p.host(p.reads(out), 22);
    is_wrong(p, {race, 20, 22, edge_fault::other_work_waited_for, 21});
  }
}

TEST_SUITE("per-thread default streams") {
  TEST_CASE("of two threads do not wait for each other") {
    program p;
    const auto a = p.default_stream_of(0), b = p.default_stream_of(1), x = p.device();
    p.kernel("one", a, 20, {p.writes(x)});
    p.release(1);
    p.thread = 1;
    p.acquire(1);
    p.kernel("two", b, 22, {p.reads(x)});
    std::string text;
    is_wrong(p, {race, 20, 22, edge_fault::none_recorded}, &text);
    CHECK(text.find("while one (student.cu:20, the per-thread default stream of host thread 0) may still be "
                    "writing them") != std::string::npos);
    CHECK(
        text.find("No event is recorded in the per-thread default stream of host thread 0 behind one for the "
                  "per-thread default stream of host thread 1 to wait for before ") != std::string::npos);
  }
  TEST_CASE("the legacy stream waits for them and they for it") {
    program p;
    const auto a = p.default_stream_of(0), b = p.default_stream_of(1), x = p.device();
    p.kernel("one", a, 20, {p.writes(x)});
    p.kernel("two", 0, 21, {p.reads(x), p.writes(x)});
    p.kernel("three", b, 22, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("and blocking streams do not wait for each other: taken for the legacy stream") {
    program p;
    const auto s = p.stream(false), mine = p.default_stream_of(0), x = p.device();
    p.kernel("make", s, 20, {p.writes(x)});
    p.kernel("use", mine, 21, {p.reads(x)});
    is_wrong(p, {race, 20, 21, edge_fault::none_recorded});
  }
  TEST_CASE("waiting for one waits for that alone") {
    program p;
    const auto mine = p.default_stream_of(0), s = p.stream(false), out = p.pinned(), x = p.device();
    p.download(s, out, x, 20);
    p.stream_sync(mine, 21);
    p.host(p.reads(out), 22);
    is_wrong(p, {race, 20, 22, edge_fault::other_work_waited_for, 21});
  }
  TEST_CASE("are nobody's leak") {
    program p;
    p.kernel("one", p.default_stream_of(0), 20);
    CHECK(recording(p.run).leaks().empty());
  }
}

TEST_SUITE("the host") {
  TEST_CASE("reads a download's target at once") {
    two_streams p;
    p.downloads();
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::no_host_wait});
  }
  TEST_CASE("waits one line too late") {
    two_streams p;
    p.downloads();
    p.reads_result();
    p.stream_sync(p.copies, 51);
    std::string text;
    is_wrong(p, {race, 42, 50, edge_fault::waited_too_late, 51}, &text);
    CHECK(text.find("cudaStreamSynchronize (student.cu:51) comes after that.") != std::string::npos);
  }
  TEST_CASE("waits for the other stream") {
    two_streams p;
    p.downloads();
    p.stream_sync(p.compute, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::other_work_waited_for, 45});
  }
  TEST_CASE("waits for an event recorded in the other stream") {
    two_streams p;
    p.downloads();
    p.record(p.copied, p.compute, 43);
    p.event_sync(p.copied, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::recorded_in_other_stream, 45, 43});
  }
  TEST_CASE("waits for its event before it is recorded, which returns at once") {
    two_streams p;
    p.downloads();
    p.event_sync(p.copied, 43);
    p.record(p.copied, p.copies, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::waited_too_early, 43, 45});
  }
  TEST_CASE("takes the record for a wait") {
    two_streams p;
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::no_host_wait});
  }
  TEST_CASE("takes a stream's wait for its own") {
    two_streams p;
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.wait(p.compute, p.copied, 44);
    p.reads_result();
    p.device_sync(60);
    is_wrong(p, {race, 42, 50, edge_fault::only_streams_wait, 44});
  }
  TEST_CASE("makes a stream wait that goes on: that is no wait of its own") {
    two_streams p;
    const auto copy = p.device();
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.wait(p.compute, p.copied, 44);
    p.kernel("use", p.compute, 45, {p.writes(copy)});
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::no_host_wait});
  }
  TEST_CASE("asks for the time of what was before") {
    two_streams p;
    p.record(p.copied, p.copies, 40);
    p.record(p.scaled, p.copies, 41);
    p.downloads();
    p.elapsed_time(p.copied, p.scaled, true, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::no_host_wait});
  }
  TEST_CASE("waits for an event recorded before the download") {
    two_streams p;
    p.record(p.copied, p.copies, 41);
    p.downloads();
    p.event_sync(p.copied, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::recorded_too_early, 45, 41});
  }
  TEST_CASE("waits for an event never recorded, which returns at once") {
    two_streams p;
    p.downloads();
    p.event_sync(p.copied, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::never_recorded, 45});
  }
  TEST_CASE("asks once and goes on") {
    two_streams p;
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.event_query(p.copied, false, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::not_ready, 45});
  }
  TEST_CASE("waits by event, by stream, by device, by asking, by an elapsed time") {
    for (int way = 0; way < 6; ++way) {
      CAPTURE(way);
      two_streams p;
      p.record(p.scaled, p.copies, 40);
      p.downloads();
      p.record(p.copied, p.copies, 43);
      if (way == 0) p.event_sync(p.copied, 45);
      if (way == 1) p.stream_sync(p.copies, 45);
      if (way == 2) p.device_sync(45);
      if (way == 3) p.event_query(p.copied, true, 45);
      if (way == 4) p.stream_query(p.copies, true, 45);
      if (way == 5) p.elapsed_time(p.scaled, p.copied, true, 45);
      p.reads_result();
      nothing_is_wrong(p);
    }
  }
  TEST_CASE("a failed wait tells nothing") {
    two_streams p;
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.run.calls.back().status = 700;
    p.run.calls.back().error = "cudaErrorIllegalAddress";
    p.reads_result();
    std::string text;
    is_wrong(p, {race, 42, 50, edge_fault::wait_failed, 45}, &text);
    CHECK(text.find("cudaStreamSynchronize (student.cu:45) failed with cudaErrorIllegalAddress, so it tells "
                    "nothing of the download.") != std::string::npos);
  }
  TEST_CASE("memory may be freed after a wait that failed") {
    two_streams p;
    p.downloads();
    p.stream_sync(p.copies, 45);
    p.run.calls.back().status = 700;
    p.run.calls.back().error = "cudaErrorIllegalAddress";
    p.free(p.out, 46, "cudaFreeHost");
    p.free(p.d, 47);
    nothing_is_wrong(p);
  }
  TEST_CASE("an elapsed time that is not ready tells nothing") {
    two_streams p;
    p.record(p.scaled, p.copies, 40);
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.elapsed_time(p.scaled, p.copied, false, 45);
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::not_ready, 45});
  }
  TEST_CASE("overwrites an upload's source") {
    two_streams p;
    p.uploads();
    p.host(p.writes(p.in), 44);
    is_wrong(p, {race, 38, 44, edge_fault::no_host_wait});
  }
  TEST_CASE("may read what an upload reads") {
    two_streams p;
    p.uploads();
    p.host(p.reads(p.in), 44);
    nothing_is_wrong(p);
  }
  TEST_CASE("may use another part of the buffer") {
    two_streams p;
    p.copy(copy_direction::device_to_host, p.copies, {p.reads(p.d), p.writes(p.out, 0, 2048)}, 42);
    p.host(p.reads(p.out, 2048, 4096), 50);
    nothing_is_wrong(p);
  }
  TEST_CASE("polls a mapped word that the kernel writes: both are atomic") {
    program p;
    const auto s = p.stream(true), flag = p.pinned(4);
    p.kernel("signal", s, 20, {p.adds(flag, 0, 4)});
    auto load = p.reads(flag, 0, 4);
    load.atomic = true;
    p.host(load, 21);
    nothing_is_wrong(p);
  }
}

TEST_SUITE("copies and sets") {
  TEST_CASE("cudaMemcpy from pinned memory has arrived when it returns") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pinned();
    p.upload(0, d, in, 20, "cudaMemcpy");
    p.kernel("use", s, 21, {p.reads(d)});
    p.host(p.writes(in), 22);
    nothing_is_wrong(p);
  }
  TEST_CASE("cudaMemcpy from ordinary memory is staged: the source is free, the data may be under way") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pageable();
    p.host(p.writes(in), 19);
    p.was_done_in_call(p.upload(0, d, in, 20, "cudaMemcpy"));
    p.host(p.writes(in), 22);
    nothing_is_wrong(p);
    p.kernel("use", s, 23, {p.reads(d)});
    std::string text;
    is_wrong(p, {luck, 20, 23, edge_fault::implicit_wait, 20}, &text);
    CHECK(text.find("only luck orders the two. cudaMemcpy") != std::string::npos);
    CHECK(text.find("copies ordinary (pageable) memory") != std::string::npos);
  }
  TEST_CASE("a kernel in a blocking stream comes after a staged cudaMemcpy") {
    program p;
    const auto s = p.stream(false), d = p.device(), in = p.pageable();
    p.upload(0, d, in, 20, "cudaMemcpy");
    p.kernel("use", s, 23, {p.reads(d)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a staged cudaMemcpy waits for its stream first") {
    program p;
    const auto s = p.stream(false), out = p.pinned(), x = p.device(), d = p.device(), in = p.pageable();
    p.download(s, out, x, 19);
    p.upload(0, d, in, 20, "cudaMemcpy");
    p.host(p.reads(out), 21);
    nothing_is_wrong(p);
  }
  TEST_CASE("cudaMemcpyAsync from ordinary memory: overwriting the source relies on staging") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pageable();
    p.upload(s, d, in, 20);
    p.host(p.writes(in), 21);
    is_wrong(p, {luck, 20, 21, edge_fault::implicit_wait, 20});
  }
  TEST_CASE("cudaMemcpyAsync to ordinary memory: reading at once relies on its waiting") {
    program p;
    const auto s = p.stream(true), d = p.device(), out = p.pageable();
    p.download(s, out, d, 20);
    p.host(p.reads(out), 21);
    std::string text;
    is_wrong(p, {luck, 20, 21, edge_fault::implicit_wait, 20}, &text);
    CHECK(text.find("reads 4096 bytes of the program's ordinary memory while the download") !=
          std::string::npos);
  }
  TEST_CASE("cudaMemcpy between device buffers returns early") {
    program p;
    const auto s = p.stream(true), a = p.device(), b = p.device();
    p.copy(copy_direction::device_to_device, 0, {p.reads(a), p.writes(b)}, 20, "cudaMemcpy");
    p.kernel("use", s, 21, {p.reads(b)});
    is_wrong(p, {race, 20, 21, edge_fault::non_blocking_stream});
  }
  TEST_CASE("copies from host to host are done when they return, with Async too") {
    program p;
    const auto s = p.stream(true), a = p.pinned(), b = p.pinned();
    p.copy(copy_direction::host_to_host, s, {p.reads(a), p.writes(b)}, 20);
    p.host(p.reads(b), 21);
    nothing_is_wrong(p);
  }
  TEST_CASE("cudaMemset of pinned memory is done when it returns, cudaMemsetAsync not") {
    program p;
    const auto s = p.stream(true), a = p.pinned();
    p.memset(0, p.writes(a), 20, "cudaMemset");
    p.host(p.reads(a), 21);
    nothing_is_wrong(p);
    p.memset(s, p.writes(a), 22);
    p.host(p.reads(a), 23);
    is_wrong(p, {race, 22, 23, edge_fault::no_host_wait});
  }
  TEST_CASE("cudaMemset of device memory returns early: freeing relies on it") {
    program p;
    const auto a = p.device();
    p.memset(0, p.writes(a), 20, "cudaMemset");
    p.free(a, 21);
    is_wrong(p, {luck, 20, 21, edge_fault::returns_early, 20});
  }
}

TEST_SUITE("bytes") {
  TEST_CASE("chunks of one buffer do not conflict: what cusan reports wrongly") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.kernel("half", a, 20, {p.reads(x, 0, 2048), p.writes(x, 0, 2048)});
    p.kernel("half", b, 21, {p.reads(x, 2048, 4096), p.writes(x, 2048, 4096)});
    nothing_is_wrong(p);
  }
  TEST_CASE(
      "views with one begin and disjoint strides do not conflict: what PyTorch's sanitizer reports wrongly") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    program::accesses even, odd;
    for (std::uint64_t i = 0; i < 64; i += 8) {
      even.push_back(p.writes(x, i, i + 4));
      odd.push_back(p.writes(x, i + 4, i + 8));
    }
    p.kernel("even", a, 20, even);
    p.kernel("odd", b, 21, odd);
    nothing_is_wrong(p);
  }
  TEST_CASE("overlapping views with different begins conflict: what PyTorch's sanitizer misses") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.kernel("low", a, 20, {p.writes(x, 0, 2052)});
    p.kernel("high", b, 21, {p.writes(x, 2048, 4096)});
    is_wrong(p, {race, 20, 21, edge_fault::none_recorded});
    const auto found = find_hazards(recording(p.run));
    CHECK(found[0].begin == 2048);
    CHECK(found[0].end == 2052);
  }
  TEST_CASE("two readers do not conflict") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.kernel("one", a, 20, {p.reads(x)});
    p.kernel("two", b, 21, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a writer conflicts with each reader since the last write") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), c = p.stream(true), x = p.device();
    p.kernel("one", a, 20, {p.reads(x)});
    p.kernel("two", b, 21, {p.reads(x)});
    p.kernel("three", c, 22, {p.writes(x)});
    const auto found = find_hazards(recording(p.run));
    REQUIRE(found.size() == 2);
    CHECK(found[0].first.name == "one");
    CHECK(found[1].first.name == "two");
    CHECK(found[1].second.name == "three");
  }
  TEST_CASE("an earlier racing write is not forgotten for the later one") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device(), e = p.event();
    p.kernel("one", a, 20, {p.writes(x)});
    p.kernel("two", b, 21, {p.writes(x)});
    p.kernel("three", b, 22, {p.reads(x)});
    p.record(e, b, 23);
    const auto found = find_hazards(recording(p.run));
    REQUIRE(found.size() == 2);
    CHECK(found[0].second.name == "two");
    CHECK(found[1].first.name == "one");
    CHECK(found[1].second.name == "three");
  }
  TEST_CASE("atomic additions on both sides are no conflict") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.kernel("count", a, 20, {p.adds(x)});
    p.kernel("count", b, 21, {p.adds(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a plain read needs all the atomic additions done, not only the last") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device(), e = p.event();
    p.kernel("count", a, 20, {p.adds(x)});
    p.kernel("count", b, 21, {p.adds(x)});
    p.record(e, b, 22);
    p.wait(b, e, 23);
    p.kernel("read", b, 24, {p.reads(x)});
    is_wrong(p, {race, 20, 24, edge_fault::recorded_in_other_stream, 23, 22});
  }
  TEST_CASE("an atomic addition conflicts with a plain write") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.memset(a, p.writes(x), 20);
    p.kernel("count", b, 21, {p.adds(x)});
    is_wrong(p, {race, 20, 21, edge_fault::none_recorded});
  }
  TEST_CASE("one hazard for many bytes, many iterations") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    for (int i = 0; i < 10; ++i) {
      program::accesses pieces;
      for (std::uint64_t at = 0; at < 4096; at += 64) pieces.push_back(p.writes(x, at, at + 8));
      p.kernel("make", a, 20, pieces);
      p.kernel("use", b, 21, {p.reads(x)});
      p.device_sync(22);
    }
    is_wrong(p, {race, 20, 21, edge_fault::none_recorded});
    const auto found = find_hazards(recording(p.run));
    CHECK(found[0].count == 10);
    CHECK(found[0].begin == 0);
    CHECK(found[0].end == 4040);
  }
  TEST_CASE("a loop of the host is one use, however the compiler has unrolled it") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pinned();
    for (int i = 0; i < 2; ++i) {
      p.upload(s, d, in, 20);
      for (std::uint64_t at = 0; at < 64; at += 16) p.host(p.writes(in, at, at + 16), 21);
      p.stream_sync(s, 22);
    }
    is_wrong(p, {race, 20, 21, edge_fault::waited_too_late, 22});
    const auto found = find_hazards(recording(p.run));
    CHECK(found[0].count == 2);
    CHECK(found[0].begin == 0);
    CHECK(found[0].end == 64);
  }
  TEST_CASE("a program full of hazards is told the first of them") {
    program p;
    const auto a = p.stream(true), b = p.stream(true);
    for (int i = 0; i < 200; ++i) {
      const auto x = p.device();
      p.kernel("make", a, 1000 + i, {p.writes(x)});
      p.kernel("use", b, 2000 + i, {p.reads(x)});
    }
    CHECK(find_hazards(recording(p.run)).size() == most_hazards);
  }
}

TEST_SUITE("lifetime") {
  TEST_CASE("device memory freed under a kernel: cudaFree waits, which nothing promises") {
    program p;
    const auto s = p.stream(true), x = p.device();
    p.kernel("use", s, 20, {p.reads(x)});
    p.free(x, 21);
    std::string text;
    is_wrong(p, {luck, 20, 21, edge_fault::no_host_wait}, &text);
    CHECK(
        text ==
        "cudaFree (student.cu:21) frees the device memory allocated at student.cu:3 while use "
        "(student.cu:20, stream 1) may still be reading it. Nothing makes the host wait for stream 1 before "
        "that; cudaFree itself waits today, but the manual says only that it may.");
  }
  TEST_CASE("device memory freed while another thread launches") {
    program p;
    const auto s = p.stream(true), x = p.device();
    p.release(1);
    p.kernel("use", s, 20, {p.reads(x)});
    p.thread = 1;
    p.acquire(1);
    p.free(x, 21);
    is_wrong(p, {lifetime, 20, 21, edge_fault::no_host_wait});
  }
  TEST_CASE("the textbook's program: launch, copy back, free") {
    program p;
    const auto x = p.device(), y = p.device(), in = p.pageable(), out = p.pageable();
    p.upload(0, x, in, 20, "cudaMemcpy");
    p.kernel("use", 0, 21, {p.reads(x), p.writes(y)});
    p.download(0, out, y, 22, "cudaMemcpy");
    p.free(x, 23);
    p.free(y, 24);
    nothing_is_wrong(p);
  }
  TEST_CASE(
      "given up after cudaMemcpy: what of a staged upload is still under way is no matter of the program") {
    program p;
    const auto x = p.device(), in = p.pageable();
    p.upload(0, x, in, 20, "cudaMemcpy");
    p.free(x, 21);
    nothing_is_wrong(p);
  }
  TEST_CASE("given up after cudaMemcpyAsync: that it is") {
    program p;
    const auto s = p.stream(true), x = p.device(), in = p.pageable();
    p.upload(s, x, in, 20);
    p.free(x, 21);
    is_wrong(p, {luck, 20, 21, edge_fault::no_host_wait});
  }
  TEST_CASE("another thread frees the target of cudaMemcpy") {
    program p;
    const auto x = p.device(), in = p.pageable();
    p.release(1);
    p.upload(0, x, in, 20, "cudaMemcpy");
    p.thread = 1;
    p.acquire(1);
    p.free(x, 21);
    is_wrong(p, {lifetime, 20, 21, edge_fault::returns_early, 20});
  }
  TEST_CASE("freed once the work is known to be done") {
    program p;
    const auto s = p.stream(true), x = p.device();
    p.kernel("use", s, 20, {p.reads(x)});
    p.stream_sync(s, 20);
    p.free(x, 21);
    nothing_is_wrong(p);
  }
  TEST_CASE("another buffer freed before helps by luck as well") {
    program p;
    const auto s = p.stream(true), x = p.device(), y = p.device();
    p.kernel("use", s, 20, {p.reads(x)});
    p.free(y, 21);
    p.free(x, 22);
    is_wrong(p, {luck, 20, 22, edge_fault::implicit_wait, 21});
  }
  TEST_CASE("pinned memory freed under an upload") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.pinned();
    p.upload(s, d, in, 20);
    p.free(in, 21, "cudaFreeHost");
    is_wrong(p, {lifetime, 20, 21, edge_fault::no_host_wait});
  }
  TEST_CASE("memory unregistered under an upload") {
    program p;
    const auto s = p.stream(true), d = p.device(), in = p.registered();
    p.upload(s, d, in, 20);
    p.free(in, 21, "cudaHostUnregister");
    std::string text;
    is_wrong(p, {lifetime, 20, 21, edge_fault::no_host_wait}, &text);
    CHECK(text.find("cudaHostUnregister (student.cu:21) unregisters the memory registered at student.cu:5") ==
          0);
  }
  TEST_CASE("the host goes on using memory that it has unregistered") {
    program p;
    const auto in = p.registered();
    p.free(in, 21, "cudaHostUnregister");
    p.host(p.writes(in), 22);
    nothing_is_wrong(p);
  }
}

TEST_SUITE("memory in stream order") {
  /// Allocated and freed in `home`, used in `away`; each edge may be missing.
  struct two_homes : program {
    id home, away, ready, used, x;
    two_homes() : home(stream(true, 8)), away(stream(true, 9)), ready(event()), used(event()) {
      x = allocate(home, 20);
    }
    void goes_away() {
      record(ready, home, 21);
      wait(away, ready, 21);
    }
    void use_it() { kernel("use", away, 22, {writes(x)}); }
    void comes_home() {
      record(used, away, 23);
      wait(home, used, 23);
    }
    void free_it() { free_async(x, home, 24); }
  };

  TEST_CASE("both edges, or one stream for all: nothing is wrong") {
    two_homes p;
    p.goes_away();
    p.use_it();
    p.comes_home();
    p.free_it();
    nothing_is_wrong(p);
    const auto y = p.allocate(p.home, 30);
    p.kernel("use", p.home, 31, {p.writes(y)});
    p.free_async(y, p.home, 32);
    nothing_is_wrong(p);
  }
  TEST_CASE("used in another stream that does not wait for the allocation") {
    two_homes p;
    p.use_it();
    p.comes_home();
    p.free_it();
    std::string text;
    is_wrong(p, {lifetime, 20, 22, edge_fault::none_recorded}, &text);
    CHECK(text ==
          "use (student.cu:22, stream 2) writes bytes 0 to 4096 of the device memory allocated at "
          "student.cu:20, which cudaMallocAsync (student.cu:20, stream 1) may not have allocated by then. No "
          "event is recorded in stream 1 behind cudaMallocAsync for stream 2 to wait for before use.");
  }
  TEST_CASE("the event is recorded before the allocation") {
    program p;
    const auto home = p.stream(true), away = p.stream(true), e = p.event();
    p.record(e, home, 19);
    const auto x = p.allocate(home, 20);
    p.wait(away, e, 21);
    p.kernel("use", away, 22, {p.reads(x)});
    is_wrong(p, {lifetime, 20, 22, edge_fault::recorded_too_early, 21, 19});
  }
  TEST_CASE("freed in its stream while another may still use it") {
    two_homes p;
    p.goes_away();
    p.use_it();
    p.free_it();
    std::string text;
    is_wrong(p, {lifetime, 22, 24, edge_fault::none_recorded}, &text);
    CHECK(
        text ==
        "cudaFreeAsync (student.cu:24, stream 1) frees the device memory allocated at student.cu:20 while "
        "use (student.cu:22, stream 2) may still be writing it. No event is recorded in stream 2 behind use "
        "for stream 1 to wait for before cudaFreeAsync.");
  }
  TEST_CASE("freed in a stream that does not wait for the allocation") {
    program p;
    const auto home = p.stream(true), away = p.stream(true);
    const auto x = p.allocate(home, 20);
    p.free_async(x, away, 24);
    std::string text;
    is_wrong(p, {lifetime, 20, 24, edge_fault::none_recorded}, &text);
    CHECK(
        text.find("cudaFreeAsync (student.cu:24, stream 2) frees the device memory allocated at "
                  "student.cu:20, which cudaMallocAsync (student.cu:20, stream 1) may not have allocated by "
                  "then.") == 0);
  }
  TEST_CASE("used in the same stream behind the free") {
    two_homes p;
    p.free_it();
    p.kernel("use", p.home, 25, {p.reads(p.x)});
    std::string text;
    is_wrong(p, {lifetime, 24, 25, edge_fault::freed_before}, &text);
    CHECK(text.find(
              "use (student.cu:25, stream 1) reads bytes 0 to 4096 of the device memory allocated at "
              "student.cu:20, which cudaFreeAsync (student.cu:24, stream 1) may have freed by then. "
              "cudaFreeAsync belongs behind the last use of the memory; here it was called before use.") ==
          0);
  }
  TEST_CASE("used in another stream after the call that frees it") {
    two_homes p;
    p.goes_away();
    p.free_it();
    p.use_it();
    is_wrong(p, {lifetime, 24, 22, edge_fault::freed_before});
  }
  TEST_CASE("used by a thread that nothing tells of the free") {
    two_homes p;
    p.release(1);
    p.free_it();
    p.thread = 1;
    p.acquire(1);
    p.kernel("use", p.home, 25, {p.reads(p.x)});
    is_wrong(p, {lifetime, 24, 25, edge_fault::threads_unordered});
  }
  TEST_CASE("a host wait orders allocation, use and free as well") {
    two_homes p;
    p.stream_sync(p.home, 21);
    p.use_it();
    p.device_sync(23);
    p.free_it();
    nothing_is_wrong(p);
  }
  TEST_CASE("cudaFree of such memory waits for nothing, and so orders nothing else either") {
    two_homes p;
    const auto out = p.pinned(), y = p.device();
    p.goes_away();
    p.use_it();
    p.device_sync(23);
    p.download(p.away, out, y, 24);
    p.free(p.x, 25);
    p.host(p.reads(out), 26);
    is_wrong(p, {race, 24, 26, edge_fault::no_host_wait});
  }
  TEST_CASE("cudaFree of such memory under a kernel") {
    two_homes p;
    p.goes_away();
    p.use_it();
    p.free(p.x, 24);
    std::string text;
    is_wrong(p, {lifetime, 22, 24, edge_fault::no_host_wait}, &text);
    CHECK(
        text.find("Nothing makes the host wait for stream 2 before that; cudaFree does not, where the memory "
                  "is a pool's.") != std::string::npos);
  }
  TEST_CASE("never freed is a leak, freed in its stream none") {
    program p;
    const auto s = p.stream(true);
    p.allocate(s, 20);
    p.free_async(p.allocate(s, 21), s, 22);
    p.destroy_stream(s, 23);
    const auto leaks = recording(p.run).leaks();
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].where == "student.cu:20");
  }
}

TEST_SUITE("luck") {
  TEST_CASE("only cudaFree waits in between") {
    program p;
    const auto s = p.stream(true), x = p.device(), out = p.pinned(), unused = p.device();
    p.download(s, out, x, 20);
    p.free(unused, 21);
    p.host(p.reads(out), 22);
    std::string text;
    is_wrong(p, {luck, 20, 22, edge_fault::implicit_wait, 21}, &text);
    CHECK(text ==
          "The host (student.cu:22) reads bytes 0 to 4096 of the pinned memory allocated at student.cu:4 "
          "while the "
          "download (student.cu:20, stream 1) may still be writing them: only luck orders the two. Only "
          "cudaFree "
          "(student.cu:21) in between happens to wait for the device, which nothing promises.");
  }
  TEST_CASE("only an allocation stands between two streams") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device();
    p.kernel("make", a, 20, {p.writes(x)});
    p.pinned(64, 21);
    p.kernel("use", b, 22, {p.reads(x)});
    is_wrong(p, {luck, 20, 22, edge_fault::implicit_wait, 21});
  }
  TEST_CASE("only a copy of ordinary memory stands in between") {
    program p;
    const auto s = p.stream(true), x = p.device(), out = p.pinned(), other = p.pageable();
    p.download(s, out, x, 20);
    p.download(s, other, x, 21);
    p.host(p.reads(out), 22);
    is_wrong(p, {luck, 20, 22, edge_fault::implicit_wait, 21});
  }
  TEST_CASE("a place that is a race once is one") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device(), unused = p.device();
    for (int i = 0; i < 2; ++i) {
      p.kernel("make", a, 20, {p.writes(x)});
      if (i == 0) p.free(unused, 21);
      p.kernel("use", b, 22, {p.reads(x)});
      p.device_sync(23);
    }
    is_wrong(p, {race, 20, 22, edge_fault::none_recorded});
  }
}

TEST_SUITE("host threads") {
  TEST_CASE("a wait joins the thread that waits, and no other") {
    two_streams p;
    p.downloads();
    p.thread = 1;
    p.device_sync(45);
    p.thread = 0;
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::other_thread_waited, 45});
  }
  TEST_CASE("another thread waited for the work, and did not tell") {
    two_streams p;
    p.downloads();
    p.release(1);
    p.thread = 1;
    p.acquire(1);
    p.stream_sync(p.copies, 45);
    p.thread = 0;
    p.reads_result();
    is_wrong(p, {race, 42, 50, edge_fault::other_thread_waited, 45});
  }
  TEST_CASE("the thread that waited hands over by a mutex or a join") {
    two_streams p;
    p.downloads();
    p.release(1);
    p.thread = 1;
    p.acquire(1);
    p.stream_sync(p.copies, 45);
    p.release(2);
    p.thread = 0;
    p.acquire(2);
    p.reads_result();
    nothing_is_wrong(p);
  }
  TEST_CASE("a wait tells nothing of what another thread may submit later") {
    two_streams p;
    p.release(1);
    p.downloads();
    p.thread = 1;
    p.acquire(1);
    p.device_sync(45);
    p.host(p.reads(p.out), 46);
    is_wrong(p, {race, 42, 46, edge_fault::threads_unordered});
  }
  TEST_CASE("two threads use one stream at the same time") {
    program p;
    const auto s = p.stream(true), x = p.device();
    p.release(1);
    p.kernel("make", s, 20, {p.writes(x)});
    p.thread = 1;
    p.acquire(1);
    p.kernel("use", s, 21, {p.reads(x)});
    is_wrong(p, {race, 20, 21, edge_fault::threads_unordered});
  }
  TEST_CASE("one thread makes the stream wait, another submits to it at the same time") {
    two_streams p;
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.release(1);
    p.wait(p.compute, p.copied, 40);
    p.thread = 1;
    p.acquire(1);
    p.kernel("scale", p.compute, 41, {p.reads(p.d)});
    std::string text;
    is_wrong(p, {race, 38, 41, edge_fault::threads_unordered}, &text);
    CHECK(text.find("No join, mutex or atomic variable orders host threads 0 and 1 here: either may come "
                    "first.") != std::string::npos);
  }
  TEST_CASE("the thread that waited does not tell the one that launches") {
    two_streams p;
    p.uploads();
    p.release(1);
    p.stream_sync(p.copies, 39);
    p.thread = 1;
    p.acquire(1);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::other_thread_waited, 39});
  }
  TEST_CASE("two threads use one stream in turn") {
    program p;
    const auto s = p.stream(true), x = p.device();
    p.kernel("make", s, 20, {p.writes(x)});
    p.release(1);
    p.thread = 1;
    p.acquire(1);
    p.kernel("use", s, 21, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("threads hand a buffer over through the legacy stream") {
    program p;
    const auto a = p.stream(false), b = p.stream(false), x = p.device();
    p.kernel("make", a, 20, {p.writes(x)});
    p.kernel("mark", 0, 21);
    p.release(1);
    p.thread = 1;
    p.acquire(1);
    p.kernel("use", b, 22, {p.reads(x)});
    nothing_is_wrong(p);
  }
  TEST_CASE("a wait on an event that another thread records at the same time") {
    two_streams p;
    p.release(1);
    p.uploads();
    p.record(p.copied, p.copies, 39);
    p.thread = 1;
    p.acquire(1);
    p.wait(p.compute, p.copied, 39);
    p.scales();
    is_wrong(p, {race, 38, 40, edge_fault::threads_unordered});
  }
  TEST_CASE("a host wait meets a later record of the same stream: slow, not wrong") {
    two_streams p;
    p.downloads();
    p.record(p.copied, p.copies, 43);
    p.release(1);
    p.record(p.copied, p.copies, 44);
    p.thread = 1;
    p.acquire(1);
    p.event_sync(p.copied, 45);
    p.host(p.reads(p.out), 46);
    nothing_is_wrong(p);
  }
  TEST_CASE("two threads touch pinned memory without an order") {
    program p;
    const auto in = p.pinned();
    p.release(1);
    p.host(p.writes(in), 20);
    p.thread = 1;
    p.acquire(1);
    p.host(p.reads(in), 21);
    std::string text;
    is_wrong(p, {race, 20, 21, edge_fault::threads_unordered}, &text);
    CHECK(text.find("Host thread 1 (student.cu:21) reads") == 0);
  }
}

TEST_SUITE("host functions") {
  TEST_CASE("run behind the work before them and hold back the work behind") {
    program p;
    const auto s = p.stream(true), x = p.device(), out = p.pinned(), d = p.device();
    p.download(s, out, x, 20);
    const auto f = p.host_function(s, 21);
    p.upload(s, d, out, 22);
    p.runs(f, 7, [&] {
      p.host(p.reads(out), 30);
      p.host(p.writes(out), 31);
    });
    p.stream_sync(s, 23);
    p.host(p.reads(out), 24);
    nothing_is_wrong(p);
  }
  TEST_CASE("race with the program") {
    program p;
    const auto s = p.stream(true), out = p.pinned();
    const auto f = p.host_function(s, 21);
    p.runs(f, 7, [&] { p.host(p.writes(out), 30); });
    p.host(p.reads(out), 24);
    std::string text;
    is_wrong(p, {race, 30, 24, edge_fault::no_host_wait}, &text);
    CHECK(text.find("while the host function (student.cu:30, stream 1) may still be writing them") !=
          std::string::npos);
  }
  TEST_CASE("race with the program, also where they come late") {
    program p;
    const auto s = p.stream(true), out = p.pinned();
    const auto f = p.host_function(s, 21);
    p.host(p.writes(out), 24);
    p.runs(f, 7, [&] { p.host(p.reads(out), 30); });
    is_wrong(p, {race, 30, 24, edge_fault::no_host_wait});
    p.free(out, 25, "cudaFreeHost");
    p.stream_sync(s, 26);
    const auto found = find_hazards(recording(p.run));
    REQUIRE(found.size() == 2);
    CHECK(found[1].second.name == "cudaFreeHost");
    CHECK(found[1].edge.fault == edge_fault::waited_too_late);
  }
  TEST_CASE("need their stream to wait, not the host") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), x = p.device(), out = p.pinned();
    p.download(a, out, x, 20);
    const auto f = p.host_function(b, 21);
    p.runs(f, 7, [&] { p.host(p.reads(out), 30); });
    is_wrong(p, {race, 20, 30, edge_fault::none_recorded});
  }
  TEST_CASE("tell the program by a condition variable") {
    program p;
    const auto s = p.stream(true), x = p.device(), out = p.pinned();
    p.download(s, out, x, 20);
    const auto f = p.host_function(s, 21);
    p.runs(f, 7, [&] { p.release(1); });
    p.acquire(1);
    p.host(p.reads(out), 24);
    nothing_is_wrong(p);
  }
  TEST_CASE("what they did before telling is told, and what they do without is not") {
    for (const bool tells : {true, false}) {
      program p;
      const auto s = p.stream(true), out = p.pinned();
      const auto f = p.host_function(s, 21);
      p.runs(f, 7, [&] {
        p.host(p.writes(out), 30);
        if (tells) p.release(1);
      });
      if (tells) p.acquire(1);
      p.host(p.reads(out), 24);
      if (tells) {
        nothing_is_wrong(p);
      } else {
        is_wrong(p, {race, 30, 24, edge_fault::no_host_wait});
      }
    }
  }
  TEST_CASE("what they do after telling is not told") {
    program p;
    const auto s = p.stream(true), out = p.pinned();
    const auto f = p.host_function(s, 21);
    p.runs(f, 7, [&] {
      p.release(1);
      p.host(p.writes(out), 30);
    });
    p.acquire(1);
    p.host(p.reads(out), 24);
    is_wrong(p, {race, 30, 24, edge_fault::no_host_wait});
  }
  TEST_CASE("of two streams are not ordered, though one thread runs them") {
    program p;
    const auto a = p.stream(true), b = p.stream(true), out = p.pinned();
    const auto f = p.host_function(a, 20), g = p.host_function(b, 21);
    p.runs(f, 7, [&] { p.host(p.writes(out), 30); });
    p.runs(g, 7, [&] { p.host(p.writes(out), 31); });
    const auto found = find_hazards(recording(p.run));
    REQUIRE(found.size() == 1);
    CHECK(found[0].level == race);
  }
  TEST_CASE("pass on to their stream what the program told them") {
    program p;
    const auto s = p.stream(true), in = p.pinned(), d = p.device();
    const auto f = p.host_function(s, 20);
    p.upload(s, d, in, 21);
    p.host(p.writes(in), 22);
    p.release(1);
    p.runs(f, 7, [&] { p.acquire(1); });
    nothing_is_wrong(p);
  }
  TEST_CASE("without their thread in the record are work like other work") {
    program p;
    const auto s = p.stream(true), out = p.pinned();
    p.host_function(s, 21, {p.writes(out)});
    p.host(p.reads(out), 24);
    is_wrong(p, {race, 21, 24, edge_fault::no_host_wait});
  }
}

TEST_SUITE("kernels that talk with the host while they run") {
  TEST_CASE("what the kernel wrote before it set the flag is there once the host has seen it") {
    program p;
    const auto s = p.stream(true), out = p.pinned(), flag = p.pinned(4);
    const auto k = p.kernel("answer", s, 20);
    p.runs(k, -1, [&] {
      p.host(p.writes(out), 20);
      p.host(p.adds(flag, 0, 4), 20);
      p.release(1);
    });
    p.acquire(1);
    p.host(p.reads(out), 24);
    nothing_is_wrong(p);
  }
  TEST_CASE("what it writes later is not") {
    program p;
    const auto s = p.stream(true), out = p.pinned(), flag = p.pinned(4);
    auto polls = p.reads(flag, 0, 4);
    polls.atomic = true;
    const auto k = p.kernel("answer", s, 20);
    p.runs(k, -1, [&] {
      p.host(p.adds(flag, 0, 4), 20);
      p.release(1);
      p.host(p.writes(out), 20);
    });
    p.host(polls, 23);
    p.acquire(1);
    p.host(p.reads(out), 24);
    std::string text;
    is_wrong(p, {race, 20, 24, edge_fault::flag_says_nothing}, &text);
    CHECK(text.find("A flag tells the host what answer did before a __threadfence_system()") !=
          std::string::npos);
    CHECK(text.find("while answer (student.cu:20, stream 1) may still be writing them") != std::string::npos);
  }
  TEST_CASE("a flag set without a fence tells nothing") {
    program p;
    const auto s = p.stream(true), out = p.pinned(), flag = p.pinned(4);
    auto polls = p.reads(flag, 0, 4);
    polls.atomic = true;
    p.kernel("answer", s, 20, {p.writes(out), p.adds(flag, 0, 4)});
    p.host(polls, 23);
    p.host(p.reads(out), 24);
    is_wrong(p, {race, 20, 24, edge_fault::flag_says_nothing});
  }
  TEST_CASE("the host goes on writing after it said go") {
    program p;
    const auto s = p.stream(true), in = p.pinned(), flag = p.pinned(4);
    auto polls = p.reads(flag, 0, 4);
    polls.atomic = true;
    const auto k = p.kernel("waits", s, 20);
    p.host(p.adds(flag, 0, 4), 21);
    p.release(1);
    p.host(p.writes(in), 22);
    p.runs(k, -1, [&] {
      p.host(polls, 20);
      p.acquire(1);
      p.host(p.reads(in), 20);
    });
    std::string text;
    is_wrong(p, {race, 20, 22, edge_fault::flag_says_nothing}, &text);
    CHECK(text.find("A flag tells waits what the host did before it set the flag") != std::string::npos);
  }
  TEST_CASE("a flag that the kernel sets by a plain write is none, whatever it is to tell") {
    for (const bool result : {false, true}) {
      program p;
      const auto s = p.stream(true), out = p.pinned(), flag = p.pinned(4);
      auto polls = p.reads(flag, 0, 4);
      polls.atomic = true;
      const auto k = p.kernel("answer", s, 20);
      p.host(polls, 21);
      p.runs(k, -1, [&] {
        if (result) p.host(p.writes(out), 20);
        p.host(p.writes(flag, 0, 4), 20);
      });
      if (result) p.host(p.reads(out), 22);
      const auto found = find_hazards(recording(p.run));
      REQUIRE(found.size() == (result ? 2 : 1));
      for (const auto& each : found) {
        CHECK(each.first.name == "answer");
        CHECK(each.edge.fault == edge_fault::runs_meanwhile);
      }
      CHECK(hazard_text(recording(p.run), found[0])
                .find("The host does that while answer runs: a flag between the two has to be volatile") !=
            std::string::npos);
    }
  }
  TEST_CASE("a volatile result is no flag, nor what is read later") {
    for (const bool talks : {false, true}) {
      program p;
      const auto s = p.stream(true), out = p.pinned(), more = p.pinned();
      auto volatile_read = p.reads(talks ? more : out);
      volatile_read.atomic = true;
      const auto k = p.kernel("answer", s, 20, {p.writes(out)});
      if (talks) p.runs(k, -1, [&] { p.host(p.writes(more), 20); });
      p.host(talks ? p.reads(out) : volatile_read, 21);
      if (talks) p.stream_sync(s, 22);
      if (talks) p.host(volatile_read, 23);
      is_wrong(
          p, {race, 20, 21, talks ? edge_fault::waited_too_late : edge_fault::no_host_wait, talks ? 22 : 0});
    }
  }
  TEST_CASE("the kernel uses what the host wrote before it said go") {
    program p;
    const auto s = p.stream(true), in = p.pinned();
    const auto k = p.kernel("waits", s, 20);
    p.host(p.writes(in), 21);
    p.release(1);
    p.runs(k, -1, [&] {
      p.acquire(1);
      p.host(p.reads(in), 20);
    });
    p.stream_sync(s, 22);
    p.host(p.writes(in), 23);
    nothing_is_wrong(p);
  }
  TEST_CASE("the kernel comes after the work before it in its stream") {
    program p;
    const auto s = p.stream(true), x = p.device(), out = p.pinned();
    p.memset(s, p.writes(x), 19);
    const auto k = p.kernel("answer", s, 20);
    p.runs(k, -1, [&] {
      p.host(p.reads(x), 20);
      p.release(1);
    });
    p.acquire(1);
    p.free(x, 21);
    nothing_is_wrong(p);
    p.host(p.writes(out), 22);
  }
}

// --- on a real GPU

namespace {

lab::trace::access_range may_write(lab::trace::id memory, std::uint64_t begin = 0, std::uint64_t end = 4096) {
  return {memory, begin, end, true, false, true};
}

}  // namespace

TEST_CASE("what rests on a kernel's parameters is said so") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device(), to = made.pinned();
  made.kernel("half", one, 10, {may_write(d)});
  made.copy(copy_direction::device_to_host, other,
            {program::reads(d, 2048, 4096), program::writes(to, 0, 2048)}, 11);
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::none_recorded}, &text);
  CHECK(text.find("Of half only the parameters are known") != std::string::npos);
  const recording seen(made.run);
  CHECK_FALSE(find_hazards(seen)[0].is_certain());
}

TEST_CASE("two kernels of which only the parameters are known may be right") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device();
  made.kernel("left", one, 10, {may_write(d)});
  made.kernel("right", other, 11, {may_write(d, 2048)});
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::none_recorded}, &text);
  CHECK(text.find("right (student.cu:11, stream 2) may write bytes 2048 to 4096") != std::string::npos);
  CHECK(text.find("Of left and right only the parameters are known") != std::string::npos);
}

TEST_CASE("a graph that is launched uses what its nodes use, and is told as one piece of work") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device(), to = made.pinned();
  made.graph(one, 10, {program::writes(d), program::reads(to)});
  made.kernel("reader", other, 11, {program::reads(d, 0, 64)});
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::none_recorded}, &text);
  CHECK(text.find("while the graph (student.cu:10, stream 1) may still be writing them") !=
        std::string::npos);
}

TEST_CASE("a graph launched again in another stream comes after its launch before") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device();
  const auto first = made.graph(one, 10, {program::writes(d)});
  made.graph(other, 11, {program::writes(d)}, first);
  nothing_is_wrong(made);
}

TEST_CASE("of a graph's kernels only the parameters may be known") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device();
  made.graph(one, 10, {may_write(d)});
  made.kernel("reader", other, 11, {program::reads(d, 0, 64)});
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::none_recorded}, &text);
  CHECK(text.find("Of the graph's kernels only the parameters are known") != std::string::npos);
}

TEST_CASE("the host's use of managed memory while a kernel may write it is a race") {
  program made;
  const auto one = made.stream(true), d = made.device();
  made.run.allocations[d - 1].kind = lab::trace::memory_kind::managed;
  made.kernel("half", one, 10, {program::writes(d)});
  made.host(program::reads(d, 0, 4), 11);
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::no_host_wait}, &text);
  CHECK(text.find("the managed memory") != std::string::npos);
}

TEST_CASE("of a variable that a kernel may use it is said that nobody knows") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.device(), to = made.pinned();
  made.run.allocations[d - 1].name = "counter";
  made.kernel("half", one, 10, {may_write(d)});
  made.copy(copy_direction::device_to_host, other, {program::reads(d, 0, 4), program::writes(to, 0, 4)}, 11);
  std::string text;
  is_wrong(made, {race, 10, 11, edge_fault::none_recorded}, &text);
  CHECK(text.find("Of half it is not known which of the program's variables it uses") != std::string::npos);
}

TEST_CASE("an access that is only assumed hides none that is known") {
  for (const bool second_reads : {true, false}) {
    program made;
    const auto one = made.stream(true), other = made.stream(true), d = made.device();
    made.kernel("writes", one, 10, {program::writes(d, 0, 4)});
    made.kernel("may", one, 11, {may_write(d)});
    made.kernel("later", other, 12, {second_reads ? program::reads(d, 0, 4) : program::writes(d, 0, 4)});
    const recording seen(made.run);
    const auto found = find_hazards(seen);
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_certain() != found[1].is_certain());
  }
}

TEST_CASE("memory that a kernel has got is not to be freed, whatever it does with it") {
  program made;
  const auto one = made.stream(true), other = made.stream(true), d = made.allocate(one, 9);
  made.kernel("half", one, 10, {may_write(d)});
  made.free_async(d, other, 11);
  const recording seen(made.run);
  const auto found = find_hazards(seen);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].is_certain());
}

TEST_CASE("of several host threads a real GPU's record tells only how their calls came") {
  const auto made = [](bool emulated, bool waits) {
    program of;
    const auto s = of.stream(true), t = of.stream(true), d = of.device(), to = of.pinned();
    of.kernel("scale", s, 10, {program::writes(d)});
    if (waits) of.stream_sync(s, 11);
    of.thread = 1;
    of.host(program::writes(to), 12);
    of.kernel("shift", t, 13, {program::writes(d)});
    of.thread = 0;
    of.host(program::writes(to), 15);
    of.run.device.emulated = emulated;
    return of;
  };
  nothing_is_wrong(made(false, true));
  is_wrong(made(false, false), {race, 10, 13, edge_fault::none_recorded});
  CHECK(find_hazards(recording(made(true, true).run)).size() > 1);
}

TEST_CASE("a single host thread and the runtime's own are told apart on a real GPU, too") {
  program made;
  const auto s = made.stream(true), d = made.device(), to = made.pinned();
  made.download(s, to, d, 10);
  const auto function = made.host_function(s, 11);
  made.runs(function, 1, [&] { made.host(program::reads(to), 12); });
  made.host(program::reads(to), 13);
  made.run.device.emulated = false;
  is_wrong(made, {race, 10, 13, edge_fault::no_host_wait});
}

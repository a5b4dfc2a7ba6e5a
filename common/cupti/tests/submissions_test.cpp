#include "../submissions.hpp"

#include <doctest/doctest.h>

using namespace lab::cupti;

namespace {

constexpr address s = 0x5000, t = 0x6000, free_running = 0x7000, e = 0xE000;

/// A program whose first work in `s`, operation 1, is held back until operation 4.
class program {
 public:
  program() {
    for (const address stream : {s, t, free_running}) {
      seen_call call;
      call.what = action::create_stream;
      call.stream = stream;
      call.flags = stream == free_running ? 1 : 0;
      work_.created(call);
    }
  }
  submissions::submission submit(address stream, action what = action::launch, address event = 0,
                                 int thread = 0) {
    seen_call call;
    call.what = what;
    call.takes_stream = true;
    call.stream = stream;
    call.event = event;
    call.thread = thread;
    return work_.begin(call);
  }
  submissions& work() { return work_; }

 private:
  submissions work_{{1, 4, 1000}};
};

}  // namespace

TEST_CASE("work is numbered as it is submitted; what fails has no number") {
  program is;
  CHECK(is.submit(s).number == 1);
  CHECK(is.submit(t).number == 2);
  is.work().failed();
  CHECK(is.submit(s).number == 2);
}

TEST_CASE("the held work and its opener are known by their numbers") {
  program is;
  const auto first = is.submit(s);
  CHECK(first.is_held);
  CHECK(first.is_behind);
  CHECK_FALSE(first.is_opener);
  is.submit(t);
  is.submit(t);
  const auto fourth = is.submit(t);
  CHECK(fourth.is_opener);
  CHECK_FALSE(fourth.is_held);
  CHECK_FALSE(fourth.is_behind);
}

TEST_CASE("behind the gate is what comes after it in its stream, and no other stream") {
  program is;
  is.submit(s);
  CHECK(is.submit(s).is_behind);
  CHECK_FALSE(is.submit(t).is_behind);
  CHECK_FALSE(is.submit(free_running).is_behind);
}

TEST_CASE("the legacy stream and the blocking ones are behind each other, non-blocking ones never") {
  program is;
  is.submit(s);
  CHECK_FALSE(is.submit(t).is_behind);
  CHECK(is.submit(stream_zero).is_behind);
  CHECK(is.submit(t).is_behind);
  CHECK_FALSE(is.submit(free_running).is_behind);

  program other;
  other.submit(free_running);
  CHECK_FALSE(other.submit(stream_zero).is_behind);
}

TEST_CASE("a wait for an event is behind the gate where its last record is") {
  program is;
  is.submit(s);
  is.submit(s, action::record_event, e);
  CHECK(is.submit(free_running, action::wait_event, e).is_behind);
  CHECK(is.submit(free_running).is_behind);

  program recorded_again;
  recorded_again.submit(s);
  recorded_again.submit(s, action::record_event, e);
  recorded_again.submit(t, action::record_event, e);
  CHECK_FALSE(recorded_again.submit(free_running, action::wait_event, e).is_behind);
}

TEST_CASE("a graph is behind the gate where its launch before is") {
  program is;
  const auto launch = [&](address stream, address graph) {
    seen_call call;
    call.what = action::launch_graph;
    call.takes_stream = true;
    call.stream = stream;
    call.graph = graph;
    return is.work().begin(call);
  };
  CHECK(launch(s, 0x100).is_held);
  CHECK_FALSE(launch(free_running, 0x200).is_behind);
  CHECK(launch(free_running, 0x100).is_behind);
}

TEST_CASE("each thread's own default stream is another") {
  program is;
  is.submit(per_thread_stream_handle);
  CHECK_FALSE(is.submit(per_thread_stream_handle, action::launch, 0, 1).is_behind);
  CHECK(is.submit(per_thread_stream_handle).is_behind);
}

TEST_CASE("once it is let go nothing is behind it, and the streams that were are known") {
  program is;
  is.submit(s);
  is.submit(s, action::record_event, e);
  is.submit(free_running, action::wait_event, e);
  const auto behind = is.work().let_go();
  REQUIRE(behind.size() == 2);
  CHECK(behind[0].handle == s);
  CHECK(behind[1].handle == free_running);
  CHECK_FALSE(is.submit(s).is_behind);
  CHECK_FALSE(is.submit(t, action::wait_event, e).is_behind);
}

TEST_CASE("a stream that is destroyed is not waited for, though its work is behind the gate") {
  program is;
  is.submit(s);
  seen_call gone;
  gone.what = action::destroy_stream;
  gone.stream = s;
  is.work().destroyed(gone);
  CHECK(is.submit(stream_zero).is_behind);
  const auto behind = is.work().let_go();
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].handle == legacy_stream_handle);
}

TEST_CASE("a stream made anew has nothing behind the gate") {
  program is;
  is.submit(s);
  seen_call again;
  again.what = action::create_stream;
  again.stream = s;
  is.work().created(again);
  CHECK_FALSE(is.submit(s).is_behind);
}

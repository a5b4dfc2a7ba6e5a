// Whether a schedule is kept up, with a driver that only seems to be one.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "../schedule.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "../captures.hpp"
#include "../real.hpp"
#include "../recorder.hpp"
#include "fake_driver.hpp"

using namespace lab::cupti;

// What the recorder and the CUDA runtime are to it.
namespace lab::cupti {
trace::time_ns recorder::now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
int real::nanosleep(const timespec* wanted, timespec* left) {
  return ::nanosleep(wanted, left);
}
}  // namespace lab::cupti
extern "C" int cudaFree(void*) {
  return 0;
}

namespace {

constexpr address s = 0x5000, t = 0x6000, u = 0x7000, without_support = 0xBAD;

void call(action what, address stream, const std::function<int()>& made) {
  seen_call seen;
  seen.what = what;
  seen.takes_stream = true;
  seen.stream = stream;
  schedule::call_begins(seen);
  seen.status = made();
  schedule::call_ended(seen);
}
void work(address stream, const char* name, int status = 0) {
  call(action::copy, stream, [&] {
    if (status == 0) fake_driver::submit(stream, name);
    return status;
  });
}
void create(address stream) {
  seen_call seen;
  seen.what = action::create_stream;
  seen.stream = stream;
  seen.flags = 1;
  schedule::call_begins(seen);
  schedule::call_ended(seen);
}
/// A capture of the stream, and the calls in it.
void capture(address stream, const std::function<void()>& calls) {
  seen_call seen;
  seen.what = action::begin_capture;
  seen.takes_stream = true;
  seen.stream = stream;
  schedule::call_begins(seen);
  fake_driver::begin_capture(stream);
  captures::after(seen);
  schedule::call_ended(seen);
  calls();
  seen.what = action::end_capture;
  schedule::call_begins(seen);
  fake_driver::end_capture(stream);
  captures::after(seen);
  schedule::call_ended(seen);
}
/// A call that goes into the graph, as the recorder tells of it. One that waits takes its stream into it.
void captured(address stream, action what = action::copy) {
  seen_call seen;
  seen.what = what;
  seen.takes_stream = true;
  seen.stream = stream;
  seen.event = what == action::copy ? 0 : 0xE000;
  schedule::call_begins(seen);
  if (what == action::wait_event) fake_driver::begin_capture(stream);
  seen.is_captured = captures::have_taken(seen);
  captures::after(seen);
  schedule::call_ended(seen);
  if (what == action::wait_event) fake_driver::end_capture(stream);
}
/// The program waits until so much is done.
void wait_for(const std::string& done) {
  call(action::synchronize_device, 0, [&] {
    while (fake_driver::done() != done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  });
}

struct came_to {
  std::string text;  ///< what was done at each mark and at the end, and what was not kept
  double seconds = 0;
};

/// Runs it in a process of its own, as a program does that is told so.
came_to run(const char* asked, const std::function<std::string()>& body) {
  int result[2];
  REQUIRE(pipe(result) == 0);
  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    setenv("LAB_SCHEDULE", asked, 1);
    schedule::start(true);
    for (const address stream : {s, t, u}) create(stream);
    std::string text = body();
    schedule::program_ends();
    text += "| " + std::string(fake_driver::done()) + "| " + schedule::not_kept();
    if (write(result[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(result[1]);
  came_to seen;
  char portion[1000];
  ssize_t got;
  while ((got = read(result[0], portion, sizeof portion)) > 0) {
    seen.text.append(portion, static_cast<std::size_t>(got));
  }
  close(result[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  seen.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return seen;
}

std::string upload_and_scale() {
  work(s, "upload");
  work(t, "scale");
  std::string done = fake_driver::done();
  wait_for("scale upload ");
  return done;
}

}  // namespace

TEST_CASE("work is held back until the other is done, and then goes on") {
  for (const char* asked : {"submission hold 1 until 2 for 1000", "hold 1 until 2 for 1000"}) {
    const auto seen = run(asked, upload_and_scale);
    CHECK(seen.text == "scale upload | scale upload | ");
    CHECK(seen.seconds < 1);
  }
}

TEST_CASE("in submission order each piece is done before the next, but for what is behind the gate") {
  const auto seen = run("submission hold 2 until 5 for 1000", [] {
    work(s, "a");
    work(s, "held");
    work(s, "behind");
    work(t, "b");
    std::string before = fake_driver::done();
    work(u, "opener");
    return before + "| " + fake_driver::done();
  });
  CHECK(seen.text == "a b | a b opener held behind | a b opener held behind | ");
  CHECK(seen.seconds < 1);
}

TEST_CASE("held back for a while it goes on where the host waits for it") {
  const auto seen = run("submission hold 1 for 2000000000", [] {
    work(s, "held");
    std::string before = fake_driver::done();
    wait_for("held ");
    return before;
  });
  CHECK(seen.text == "| held | ");
  CHECK(seen.seconds > 0.04);
  CHECK(seen.seconds < 1);
}

TEST_CASE("it goes on by itself where what it waits for never comes") {
  const auto seen = run("submission hold 1 until 7 for 600000000", [] {
    work(s, "held");
    while (std::string(fake_driver::done()).empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::string();
  });
  CHECK(seen.text ==
        "| held | operation 1 was to be held back until operation 7 was done, which it was not after 600 ms");
  CHECK(seen.seconds > 0.55);
  CHECK(seen.seconds < 1.5);
}

TEST_CASE("it goes on where the host waits for it before the other is submitted") {
  const auto seen = run("submission hold 1 until 2 for 2000000000", [] {
    work(s, "held");
    wait_for("held ");
    work(t, "other");
    return std::string();
  });
  CHECK(
      seen.text ==
      "| held other | operation 1 was to be held back until operation 2 was done, but the host waited before "
      "that was submitted");
  CHECK(seen.seconds < 1);
}

TEST_CASE("it goes on where the other waits for it") {
  const auto seen = run("submission hold 1 until 2 for 2000000000", [] {
    work(s, "held");
    work(s, "other");
    return std::string();
  });
  CHECK(seen.text ==
        "| held other | operation 1 was to be held back until operation 2 was done, which itself waits for "
        "operation 1");
  CHECK(seen.seconds < 1);
}

TEST_CASE("it goes on where the program ends") {
  const auto until = run("hold 1 until 2 for 2000000000", [] {
    work(s, "held");
    return std::string();
  });
  CHECK(until.text ==
        "| held | operation 1 was to be held back until operation 2 was done, but the program ended first");
  const auto for_a_while = run("hold 1 for 2000000000", [] {
    work(s, "held");
    return std::string();
  });
  CHECK(for_a_while.text == "| held | ");
}

TEST_CASE("a call that fails leaves no work behind a gate, and the next is the one") {
  const auto seen = run("submission hold 1 until 2 for 1000", [] {
    work(s, "refused", 9);
    return upload_and_scale();
  });
  CHECK(seen.text == "scale upload | scale upload | ");
}

TEST_CASE("what goes into a graph is no submission, and nothing is done that would spoil its capture") {
  for (const char* asked : {"submission hold 1 until 2 for 1000", "hold 1 until 2 for 1000", "submission"}) {
    CAPTURE(asked);
    const auto seen = run(asked, [] {
      capture(u, [] {
        captured(u);
        captured(u, action::record_event);
        captured(t, action::wait_event);
        captured(u);
        work(s, "upload");
        work(t, "scale");
      });
      fake_driver::done();  // the GPU goes on
      if (captures::in_progress()) return std::string("still in progress ");
      return std::string(fake_driver::spoilt() ? "spoilt " : "");
    });
    const bool held = std::string(asked) != "submission";
    CHECK(seen.text == (held ? "| scale upload | " : "| upload scale | "));
  }
}

TEST_CASE("a graph's launch is held back as other work is, and what comes after its launch before with it") {
  const auto seen = run("submission hold 1 until 3 for 1000", [] {
    const auto launch = [](address stream, address graph, const char* name) {
      seen_call made;
      made.what = action::launch_graph;
      made.takes_stream = true;
      made.stream = stream;
      made.graph = graph;
      schedule::call_begins(made);
      fake_driver::submit(stream, name);
      schedule::call_ended(made);
    };
    launch(s, 0x100, "first");
    launch(t, 0x200, "other");
    std::string before = fake_driver::done();
    launch(u, 0x300, "opener");
    return before;
  });
  CHECK(seen.text == "other | other opener first | ");
}

TEST_CASE("a stream that is being captured is not waited for when the gate opens, and the record says so") {
  const auto seen = run("submission hold 1 until 2 for 1000", [] {
    work(s, "held");
    capture(s, [] {
      captured(s);
      work(t, "opener");
    });
    return std::string(fake_driver::spoilt() ? "spoilt " : "");
  });
  CHECK(seen.text ==
        "| opener held | a stream was being captured when the work that was in it before was to be waited "
        "for");
}

TEST_CASE("work that does not end is not waited for endlessly") {
  const auto seen = run("submission", [] {
    call(action::launch, s, [] {
      fake_driver::submit_endless(s);
      return 0;
    });
    work(t, "other");
    return std::string();
  });
  CHECK(seen.text ==
        "| other | operation 1 was not done two seconds after it was submitted; it may wait for what the "
        "host does "
        "next");
  CHECK(seen.seconds < 4);
}

TEST_CASE("where the GPU cannot hold a stream back the program runs all the same") {
  const auto seen = run("submission hold 1 until 2 for 1000", [] {
    work(without_support, "upload");
    work(t, "scale");
    return std::string();
  });
  CHECK(seen.text == "| upload scale | this GPU cannot hold a stream back (error 801 of the driver)");
}

TEST_CASE("the slow pace takes its time, and not for ever") {
  const auto seen = run("submission slowly", [] {
    for (int i = 0; i < 50; ++i) work(s, "a");
    return std::string();
  });
  CHECK(seen.seconds > 0.4);
  CHECK(seen.seconds < 3);
}

TEST_CASE("what only the emulated GPU can do is refused") {
  for (const char* asked : {"no-implicit-waits", "submission fail 3", "later"}) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("LAB_SCHEDULE", asked, 1);
      fclose(stderr);
      schedule::start(true);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 125);
  }
}

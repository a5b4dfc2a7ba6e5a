#include <doctest/doctest.h>

#include <chrono>
#include <type_traits>
#include <utility>

#include "lab/event.hpp"
#include "lab/stream.hpp"
#include "lab/timed_event.hpp"
#include "lab/workload.hpp"

TEST_SUITE_BEGIN("event");

using namespace std::chrono_literals;

namespace {

template <class T, class = void>
struct subtracts : std::false_type {};
template <class T>
struct subtracts<T, std::void_t<decltype(std::declval<T>() - std::declval<T>())>> : std::true_type {};

static_assert(subtracts<const lab::timed_event&>::value);
static_assert(!subtracts<const lab::event&>::value, "what orders has no time");
static_assert(!std::is_copy_constructible_v<lab::event>, "one owner");

}  // namespace

TEST_CASE("an event that was never recorded is done") {
  const lab::event event;
  CHECK(event.is_done());
  CHECK_NOTHROW(event.sync());
}

TEST_CASE("an event is done when what was queued before it is, not what was queued behind it") {
  const lab::stream stream;
  lab::event event;
  lab::launch_spin(10ms, stream);
  event.record(stream);
  lab::launch_spin(100ms, stream);
  CHECK_FALSE(event.is_done());
  event.sync();
  CHECK(event.is_done());
  CHECK_FALSE(stream.is_done());
  stream.sync();
}

TEST_CASE("an event carries no time") {
  const lab::stream stream;
  lab::event start;
  lab::event stop;
  start.record(stream);
  stop.record(stream);
  stop.sync();
  float elapsed_ms = 0;
  CHECK(cudaEventElapsedTime(&elapsed_ms, start.get(), stop.get()) == cudaErrorInvalidResourceHandle);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("timed events subtract to the time of what lies between") {
  const lab::stream stream;
  lab::timed_event start;
  lab::timed_event stop;
  const auto time_of = [&](std::chrono::nanoseconds spin) {
    start.record(stream);
    lab::launch_spin(spin, stream);
    stop.record(stream);
    stop.sync();
    return stop - start;
  };
  time_of(1ms);  // the first launch of a kernel loads it
  const auto single = time_of(10ms);
  const auto twice = time_of(20ms);
  CHECK(single > 5ms);
  CHECK(single < 20ms);  // a GPU that saves power may run slower than it says
  CHECK(std::chrono::duration<double>(twice) / std::chrono::duration<double>(single) ==
        doctest::Approx(2).epsilon(0.05));
  CHECK(start - stop == -twice);
}

TEST_CASE("subtracting an event that is not done says so, and does not wait") {
  const lab::stream stream;
  lab::timed_event start;
  lab::timed_event stop;
  start.record(stream);
  lab::launch_spin(50ms, stream);
  stop.record(stream);
  try {
    static_cast<void>(stop - start);
    FAIL("did not throw");
  } catch (const lab::cuda_error& error) {
    CHECK(error.status() == cudaErrorNotReady);
  }
  CHECK_FALSE(stop.is_done());
  stop.sync();
}

TEST_SUITE_END();

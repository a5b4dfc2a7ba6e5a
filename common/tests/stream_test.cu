#include <doctest/doctest.h>

#include <chrono>
#include <type_traits>
#include <utility>

#include "lab/event.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

TEST_SUITE_BEGIN("stream");

using namespace std::chrono_literals;

static_assert(!std::is_constructible_v<lab::stream_ref, int>, "no stream from 0");
static_assert(!std::is_constructible_v<lab::stream_ref, std::nullptr_t>, "no stream from nullptr");
static_assert(!std::is_copy_constructible_v<lab::stream>, "one owner");

TEST_CASE("a stream is done when its work is, and sync waits for that") {
  const lab::stream stream;
  CHECK(stream.is_done());
  lab::launch_spin(20ms, stream);
  CHECK_FALSE(stream.is_done());
  stream.sync();
  CHECK(stream.is_done());
}

TEST_CASE("a stream does not wait for the default stream") {
  const lab::stream stream;
  lab::launch_spin(50ms, cudaStreamLegacy);
  lab::launch_spin(1ms, stream);
  stream.sync();
  CHECK_FALSE(lab::stream_ref(cudaStreamLegacy).is_done());
  lab::stream_ref(cudaStreamLegacy).sync();
}

TEST_CASE("a stream that waits for an event goes on when the event is done, the host at once") {
  const lab::stream first;
  const lab::stream second;
  lab::event done;
  lab::launch_spin(30ms, first);
  done.record(first);
  second.wait(done);
  CHECK_FALSE(second.is_done());
  second.sync();
  CHECK(done.is_done());
}

TEST_CASE("moving hands the stream over") {
  lab::stream stream;
  const cudaStream_t handle = stream.get();
  const lab::stream moved = std::move(stream);
  CHECK(moved.get() == handle);
  CHECK(stream.get() == nullptr);
}

TEST_SUITE_END();

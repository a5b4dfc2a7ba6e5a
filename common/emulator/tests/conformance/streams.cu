// Streams: what the legacy stream orders, what non-blocking streams escape, what waits and queries cover.

#include "device_work.hpp"

using namespace conformance;

CASE("a launch returns while the kernel still runs") {
  gate closed;
  const auto stream = new_stream();
  EXPECT(returns_before(closed, [&] { closed.hold(stream); }));
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT(closed.is_closed());
}

CASE("kernels of one stream run in order") {
  const auto stream = new_stream();
  int* counter = device_ints();
  int* numbers = pinned_ints(3);
  spin<<<1, 1, 0, stream>>>(2000000);
  for (int i = 0; i < 3; ++i) take_number<<<1, 1, 0, stream>>>(counter, numbers + i);
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 3; ++i) EXPECT(numbers[i] == i);
}

CASE("legacy work waits for earlier work of blocking streams, and their later work waits for it") {
  gate closed;
  const auto before = new_stream(), after = new_stream();
  int* counter = device_ints();
  int* numbers = pinned_ints(3);
  closed.hold(before);
  take_number<<<1, 1, 0, before>>>(counter, numbers);
  take_number<<<1, 1>>>(counter, numbers + 1);
  take_number<<<1, 1, 0, after>>>(counter, numbers + 2);
  let_the_device_run();
  EXPECT(closed.is_closed());
  RETURNS(cudaErrorNotReady, cudaStreamQuery(after));
  closed.open();
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i) EXPECT(numbers[i] == i);
}

CASE("blocking streams do not wait for each other") {
  gate closed;
  const auto held = new_stream(), free = new_stream();
  int* value = pinned_ints();
  closed.hold(held);
  set_value<<<1, 1, 0, free>>>(value, 1);
  OK(cudaStreamSynchronize(free));
  EXPECT(*value == 1);
  EXPECT(closed.is_closed());
}

CASE("cudaStreamLegacy names the stream that 0 names") {
  gate closed;
  const auto stream = new_stream();
  int* counter = device_ints();
  int* numbers = pinned_ints(2);
  closed.hold(cudaStreamLegacy);
  take_number<<<1, 1>>>(counter, numbers);
  take_number<<<1, 1, 0, stream>>>(counter, numbers + 1);
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(numbers[0] == 0);
  EXPECT(numbers[1] == 1);
}

CASE("a wait for an event given to the legacy stream holds back later work of blocking streams") {
  gate closed;
  const auto held = new_stream(cudaStreamNonBlocking), blocking = new_stream();
  const auto event = new_event();
  int* value = pinned_ints();
  closed.hold(held);
  OK(cudaEventRecord(event, held));
  OK(cudaStreamWaitEvent(nullptr, event));
  set_value<<<1, 1, 0, blocking>>>(value, 1);
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(blocking));
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(*value == 1);
}

CASE("non-blocking streams do not wait for the legacy stream") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* value = pinned_ints();
  closed.hold(nullptr);
  set_value<<<1, 1, 0, stream>>>(value, 1);
  OK(cudaStreamSynchronize(stream));
  EXPECT(*value == 1);
  EXPECT(closed.is_closed());
}

CASE("the legacy stream does not wait for non-blocking streams") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* value = pinned_ints();
  closed.hold(stream);
  set_value<<<1, 1>>>(value, 1);
  OK(cudaStreamSynchronize(nullptr));
  EXPECT(*value == 1);
  EXPECT(closed.is_closed());
}

CASE("cudaDeviceSynchronize waits for blocking streams") {
  gate closed;
  closed.hold(new_stream());
  EXPECT(waits_for(closed, [] { OK(cudaDeviceSynchronize()); }));
}

CASE("cudaDeviceSynchronize waits for non-blocking streams") {
  gate closed;
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(waits_for(closed, [] { OK(cudaDeviceSynchronize()); }));
}

CASE("synchronizing a stream waits for its own work only") {
  gate closed;
  const auto held = new_stream(), free = new_stream();
  closed.hold(held);
  OK(cudaStreamSynchronize(free));
  EXPECT(closed.is_closed());
  EXPECT(waits_for(closed, [&] { OK(cudaStreamSynchronize(held)); }));
}

CASE("synchronizing the legacy stream waits for blocking streams") {
  gate closed;
  closed.hold(new_stream());
  EXPECT(waits_for(closed, [] { OK(cudaStreamSynchronize(nullptr)); }));
}

CASE("synchronizing the legacy stream does not wait for non-blocking streams") {
  gate closed;
  closed.hold(new_stream(cudaStreamNonBlocking));
  OK(cudaStreamSynchronize(nullptr));
  OK(cudaStreamQuery(nullptr));
  EXPECT(closed.is_closed());
}

CASE("a query of the legacy stream is not ready while a blocking stream is busy") {
  gate closed;
  closed.hold(new_stream());
  RETURNS(cudaErrorNotReady, cudaStreamQuery(nullptr));
  EXPECT(closed.is_closed());
}

CASE("query and synchronize of an idle blocking stream do not wait for the legacy stream") {
  gate closed;
  const auto idle = new_stream();
  closed.hold(nullptr);
  OK(cudaStreamQuery(idle));
  OK(cudaStreamSynchronize(idle));
  EXPECT(closed.is_closed());
}

CASE("destroying a stream returns at once and its work completes") {
  gate closed;
  const auto stream = new_stream();
  int* value = pinned_ints();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(value, 3);
  EXPECT(returns_before(closed, [&] { OK(cudaStreamDestroy(stream)); }));
  EXPECT(peek(value) == 0);
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(*value == 3);
}

CASE("legacy work waits for the work of a blocking stream that is already destroyed") {
  gate closed;
  const auto stream = new_stream();
  int* value = pinned_ints();
  int* seen = pinned_ints();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(value, 3);
  OK(cudaStreamDestroy(stream));
  copy_value<<<1, 1>>>(seen, value);
  let_the_device_run();
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(*seen == 3);
}

CASE("a stream query answers at once: not ready, then success") {
  gate closed;
  const auto stream = new_stream();
  OK(cudaStreamQuery(stream));
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] { RETURNS(cudaErrorNotReady, cudaStreamQuery(stream)); }));
  closed.open();
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady) {
  }
  OK(status);
}

CASE("while a stream is held, streams and events are made, used and destroyed without a wait") {
  gate closed;
  const auto held = new_stream(cudaStreamNonBlocking);
  closed.hold(held);
  EXPECT(returns_before(closed, [&] {
    const auto stream = new_stream();
    const auto event = new_event();
    OK(cudaEventRecord(event, held));
    OK(cudaStreamWaitEvent(stream, event));
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
  }));
}

CASE("a stream tells its flags") {
  unsigned flags = 99;
  OK(cudaStreamGetFlags(new_stream(), &flags));
  EXPECT(flags == cudaStreamDefault);
  OK(cudaStreamGetFlags(new_stream(cudaStreamNonBlocking), &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  OK(cudaStreamGetFlags(nullptr, &flags));
  EXPECT(flags == cudaStreamDefault);
}

CASE("unknown stream flags are an invalid value") {
  cudaStream_t stream = nullptr;
  RETURNS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 0x80));
}

CASE("the legacy stream cannot be destroyed") {
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

CASE("hundreds of launches queue up behind a held stream without a wait") {
  gate closed;
  const auto stream = new_stream();
  int* counter = device_ints();
  int* last = pinned_ints();
  closed.hold(stream);
  for (int i = 0; i < 500; ++i) take_number<<<1, 1, 0, stream>>>(counter, last);
  OK(cudaGetLastError());
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(*last == 499);
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

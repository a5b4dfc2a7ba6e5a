// The per-thread default stream: one for each host thread, which to the legacy stream is a blocking one.

#include "device_work.hpp"

using namespace conformance;

CASE("per-thread default streams of two threads do not wait for each other") {
  gate closed;
  int* value = pinned_ints();
  closed.hold(cudaStreamPerThread);
  std::thread([&] {
    set_value<<<1, 1, 0, cudaStreamPerThread>>>(value, 1);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  EXPECT(*value == 1);
  EXPECT(closed.is_closed());
}

CASE("work of one thread in its per-thread default stream runs in order") {
  int* counter = device_ints();
  int* numbers = pinned_ints(3);
  spin<<<1, 1, 0, cudaStreamPerThread>>>(2000000);
  for (int i = 0; i < 3; ++i) take_number<<<1, 1, 0, cudaStreamPerThread>>>(counter, numbers + i);
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  for (int i = 0; i < 3; ++i) EXPECT(numbers[i] == i);
}

CASE("the legacy stream waits for per-thread default streams, and they for it") {
  gate closed;
  int* counter = device_ints();
  int* numbers = pinned_ints(3);
  closed.hold(cudaStreamPerThread);
  take_number<<<1, 1, 0, cudaStreamPerThread>>>(counter, numbers);
  take_number<<<1, 1, 0, cudaStreamLegacy>>>(counter, numbers + 1);
  std::thread([&] { take_number<<<1, 1, 0, cudaStreamPerThread>>>(counter, numbers + 2); }).join();
  let_the_device_run();
  EXPECT(closed.is_closed());
  RETURNS(cudaErrorNotReady, cudaStreamQuery(cudaStreamLegacy));
  closed.open();
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i) EXPECT(numbers[i] == i);
}

CASE("per-thread default streams and created streams do not wait for each other") {
  gate closed;
  const auto blocking = new_stream(), non_blocking = new_stream(cudaStreamNonBlocking);
  int* values = pinned_ints(3);
  closed.hold(cudaStreamPerThread);
  set_value<<<1, 1, 0, blocking>>>(values, 1);
  set_value<<<1, 1, 0, non_blocking>>>(values + 1, 1);
  OK(cudaStreamSynchronize(blocking));
  OK(cudaStreamSynchronize(non_blocking));
  EXPECT(closed.is_closed());
  closed.open();
  gate second;
  second.hold(blocking);
  set_value<<<1, 1, 0, cudaStreamPerThread>>>(values + 2, 1);
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT(values[2] == 1);
  EXPECT(second.is_closed());
}

CASE("synchronizing an idle per-thread default stream waits for no other stream") {
  gate closed;
  closed.hold(new_stream());
  OK(cudaStreamQuery(cudaStreamPerThread));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT(closed.is_closed());
}

CASE("an event orders work of a per-thread default stream before another stream's") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  const auto event = new_event();
  int* value = device_ints();
  int* copy = pinned_ints();
  closed.hold(cudaStreamPerThread);
  set_value<<<1, 1, 0, cudaStreamPerThread>>>(value, 5);
  OK(cudaEventRecord(event, cudaStreamPerThread));
  OK(cudaStreamWaitEvent(stream, event, 0));
  copy_value<<<1, 1, 0, stream>>>(copy, value);
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(*copy == 5);
}

CASE("a per-thread default stream cannot be destroyed") {
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
}

CASE("work in a per-thread default stream outlives its thread") {
  gate closed;
  int* value = pinned_ints();
  std::thread([&] {
    closed.hold(cudaStreamPerThread);
    set_value<<<1, 1, 0, cudaStreamPerThread>>>(value, 3);
  }).join();
  EXPECT(closed.is_closed());
  EXPECT(peek(value) == 0);
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(*value == 3);
}

CASE("each thread's per-thread default stream has flags and a number of its own") {
  unsigned flags = 99;
  OK(cudaStreamGetFlags(cudaStreamPerThread, &flags));
  EXPECT(flags == cudaStreamDefault);
  unsigned long long mine = 0, other = 0;
  OK(cudaStreamGetId(cudaStreamPerThread, &mine));
  std::thread([&] { OK(cudaStreamGetId(cudaStreamPerThread, &other)); }).join();
  EXPECT(mine != other);
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

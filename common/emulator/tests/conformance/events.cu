// Events: what a record captures, what waits bind to, what an elapsed time says.

#include <ctime>

#include "device_work.hpp"

using namespace conformance;

CASE("an event that was never recorded is complete") {
  const auto event = new_event();
  OK(cudaEventQuery(event));
  OK(cudaEventSynchronize(event));
}

CASE("a wait for an event that was never recorded orders nothing, also when it is recorded later") {
  gate closed;
  const auto held = new_stream(), waiting = new_stream();
  const auto event = new_event();
  closed.hold(held);
  OK(cudaStreamWaitEvent(waiting, event));
  OK(cudaEventRecord(event, held));
  OK(cudaStreamSynchronize(waiting));
  EXPECT(closed.is_closed());
}

CASE("a stream that waits for an event goes on when the event is complete") {
  gate closed;
  const auto held = new_stream(), waiting = new_stream();
  const auto event = new_event(cudaEventDisableTiming);
  int* value = device_ints();
  int* seen = device_ints();
  closed.hold(held);
  set_value<<<1, 1, 0, held>>>(value, 7);
  OK(cudaEventRecord(event, held));
  OK(cudaStreamWaitEvent(waiting, event));
  copy_value<<<1, 1, 0, waiting>>>(seen, value);
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(waiting));
  closed.open();
  OK(cudaStreamSynchronize(waiting));
  EXPECT(read(seen) == 7);
}

CASE("the elapsed time of an event that was never recorded is an invalid resource handle") {
  const auto recorded = new_event(), never = new_event();
  float ms = 0;
  OK(cudaEventRecord(recorded));
  OK(cudaEventSynchronize(recorded));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, never));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, never, recorded));
}

CASE("the elapsed time of a pending event is not ready, at once, and leaves its output alone") {
  gate closed;
  const auto stream = new_stream();
  const auto start = new_event(), stop = new_event();
  float ms = -42;
  OK(cudaEventRecord(start, stream));
  closed.hold(stream);
  OK(cudaEventRecord(stop, stream));
  OK(cudaEventSynchronize(start));
  EXPECT(returns_before(closed, [&] { RETURNS(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, stop)); }));
  EXPECT(ms == -42);
  OK(cudaGetLastError());
}

CASE("the elapsed time of an event without timing is an invalid resource handle") {
  const auto timed = new_event(), untimed = new_event(cudaEventDisableTiming);
  float ms = 0;
  OK(cudaEventRecord(timed));
  OK(cudaEventRecord(untimed));
  OK(cudaDeviceSynchronize());
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, untimed));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, untimed, timed));
}

CASE("an elapsed time is in milliseconds and covers the work between the records") {
  const auto stream = new_stream();
  const auto start = new_event(), stop = new_event();
  const long long cycles = 50000000;
  int clock_khz = 0;
  OK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
  spin<<<1, 1, 0, stream>>>(1);
  OK(cudaStreamSynchronize(stream));
  const auto host_start = std::chrono::steady_clock::now();
  OK(cudaEventRecord(start, stream));
  spin<<<1, 1, 0, stream>>>(cycles);
  OK(cudaEventRecord(stop, stream));
  OK(cudaEventSynchronize(stop));
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - host_start;
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms >
         0.97 * static_cast<double>(cycles) / clock_khz);  // the clock may be slower than its nominal rate
  EXPECT(ms < 1.03 * host.count());
}

CASE("the elapsed time of swapped events is negative") {
  const auto stream = new_stream();
  const auto start = new_event(), stop = new_event();
  float forth = 0, back = 0;
  OK(cudaEventRecord(start, stream));
  spin<<<1, 1, 0, stream>>>(2000000);
  OK(cudaEventRecord(stop, stream));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&forth, start, stop));
  OK(cudaEventElapsedTime(&back, stop, start));
  EXPECT(forth > 0);
  EXPECT(back == -forth);
}

CASE("events on another stream than the work's do not see the work") {
  gate closed;
  const auto work = new_stream(), other = new_stream();
  const auto start = new_event(), stop = new_event();
  float ms = -1;
  OK(cudaEventRecord(start, other));
  closed.hold(work);
  OK(cudaEventRecord(stop, other));
  OK(cudaEventSynchronize(stop));
  EXPECT(closed.is_closed());
  OK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms >= 0);
}

CASE("a record captures the work before it and not the work after it") {
  gate closed;
  const auto stream = new_stream();
  const auto before = new_event(), after = new_event();
  OK(cudaEventRecord(before, stream));
  closed.hold(stream);
  OK(cudaEventRecord(after, stream));
  OK(cudaEventSynchronize(before));
  OK(cudaEventQuery(before));
  RETURNS(cudaErrorNotReady, cudaEventQuery(after));
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaEventSynchronize(after));
  OK(cudaEventQuery(after));
}

CASE("a wait keeps the record it was issued for: one done is not made pending again") {
  gate closed;
  const auto held = new_stream(), waiting = new_stream(), first = new_stream();
  const auto event = new_event();
  OK(cudaEventRecord(event, first));
  OK(cudaStreamWaitEvent(waiting, event));
  closed.hold(held);
  OK(cudaEventRecord(event, held));
  OK(cudaStreamSynchronize(waiting));
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  EXPECT(closed.is_closed());
}

CASE("a wait keeps the record it was issued for: one pending is not ended by a new record") {
  gate closed;
  const auto held = new_stream(), waiting = new_stream(), idle = new_stream();
  const auto event = new_event();
  closed.hold(held);
  OK(cudaEventRecord(event, held));
  OK(cudaStreamWaitEvent(waiting, event));
  OK(cudaEventRecord(event, idle));
  OK(cudaEventSynchronize(event));
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(waiting));
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaStreamSynchronize(waiting));
}

CASE("query and synchronize answer for the newest record, on whatever stream") {
  gate closed;
  const auto held = new_stream(), idle = new_stream();
  const auto event = new_event();
  closed.hold(held);
  OK(cudaEventRecord(event, held));
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  OK(cudaEventRecord(event, idle));
  OK(cudaEventSynchronize(event));
  OK(cudaEventQuery(event));
  EXPECT(closed.is_closed());
  OK(cudaEventRecord(event, held));
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  EXPECT(waits_for(closed, [&] { OK(cudaEventSynchronize(event)); }));
}

CASE("destroying a pending event returns at once and leaves issued waits as they are") {
  gate closed;
  const auto held = new_stream(), waiting = new_stream();
  const auto event = new_event();
  int* value = device_ints();
  int* seen = device_ints();
  closed.hold(held);
  set_value<<<1, 1, 0, held>>>(value, 5);
  OK(cudaEventRecord(event, held));
  OK(cudaStreamWaitEvent(waiting, event));
  copy_value<<<1, 1, 0, waiting>>>(seen, value);
  EXPECT(returns_before(closed, [&] { OK(cudaEventDestroy(event)); }));
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(waiting));
  closed.open();
  OK(cudaStreamSynchronize(waiting));
  EXPECT(read(seen) == 5);
}

namespace {

double thread_cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// The share of a wait of about 200 ms in which the waiting thread was busy.
double busy_share_of_wait(unsigned event_flags) {
  gate closed;
  const auto stream = new_stream();
  const auto event = new_event(event_flags);
  closed.hold(stream);
  OK(cudaEventRecord(event, stream));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    closed.open();
  });
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = thread_cpu_ms();
  OK(cudaEventSynchronize(event));
  const double cpu = thread_cpu_ms() - cpu_start;
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  opener.join();
  EXPECT(wall.count() > 100);
  return cpu / wall.count();
}

}  // namespace

CASE("a thread that waits for a blocking-sync event sleeps") {
  EXPECT(busy_share_of_wait(cudaEventBlockingSync) < 0.3);
  EXPECT(busy_share_of_wait(cudaEventBlockingSync | cudaEventDisableTiming) < 0.3);
}

CASE("a thread that waits for any other event spins") {
  EXPECT(busy_share_of_wait(cudaEventDefault) > 0.5);
}

CASE("an event for other processes must have its timing disabled") {
  cudaEvent_t event = nullptr;
  RETURNS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
}

CASE("a null output pointer is an invalid value") {
  RETURNS(cudaErrorInvalidValue, cudaEventCreate(static_cast<cudaEvent_t*>(nullptr)));
  RETURNS(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, new_event(), new_event()));
}

CASE("unknown event flags are an invalid value") {
  cudaEvent_t event = nullptr;
  RETURNS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0x80));
}

CASE("a record in the legacy stream covers the work of all blocking streams") {
  gate first, second;
  const auto one = new_stream(), two = new_stream();
  const auto event = new_event();
  first.hold(one);
  second.hold(two);
  OK(cudaEventRecord(event, nullptr));
  first.open();
  OK(cudaStreamSynchronize(one));
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  second.open();
  OK(cudaEventSynchronize(event));
}

CASE("a record in the legacy stream does not cover non-blocking streams") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  const auto event = new_event();
  closed.hold(stream);
  OK(cudaEventRecord(event, nullptr));
  OK(cudaEventSynchronize(event));
  EXPECT(closed.is_closed());
}

CASE("an event recorded on a blocking stream behind busy legacy work is not ready") {
  gate closed;
  const auto stream = new_stream();
  const auto event = new_event();
  closed.hold(nullptr);
  OK(cudaEventRecord(event, stream));
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaEventSynchronize(event));
}

CASE("what the work wrote is visible once a query has succeeded") {
  const auto stream = new_stream();
  const auto event = new_event(cudaEventDisableTiming);
  int* value = pinned_ints();
  spin<<<1, 1, 0, stream>>>(2000000);
  set_value<<<1, 1, 0, stream>>>(value, 11);
  OK(cudaEventRecord(event, stream));
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaEventQuery(event)) == cudaErrorNotReady) {
  }
  OK(status);
  EXPECT(*value == 11);
}

CASE("not ready is not an error: neither event nor stream query leaves it behind") {
  gate closed;
  const auto stream = new_stream();
  const auto event = new_event();
  closed.hold(stream);
  OK(cudaEventRecord(event, stream));
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  OK(cudaPeekAtLastError());
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  OK(cudaPeekAtLastError());
  OK(cudaGetLastError());
}

CASE("a null event is an invalid resource handle") {
  float ms = 0;
  const auto event = new_event();
  OK(cudaEventRecord(event));
  OK(cudaEventSynchronize(event));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(nullptr, nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

// Host functions: cudaLaunchHostFunc puts a function of the program into a stream.

#include "device_work.hpp"

using namespace conformance;

namespace {

struct note {
  std::atomic<int> calls{0};
  std::atomic<int> seen{-1};
  std::atomic<bool> may_return{true};
  const int* value = nullptr;
};

void take_note(void* argument) {
  auto& mine = *static_cast<note*>(argument);
  if (mine.value != nullptr) mine.seen = peek(mine.value);
  ++mine.calls;
  while (!mine.may_return) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

CASE("a host function runs after the earlier work of its stream") {
  gate closed;
  note mine;
  const auto stream = new_stream();
  int* value = pinned_ints();
  mine.value = value;
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(value, 9);
  OK(cudaLaunchHostFunc(stream, &take_note, &mine));
  let_the_device_run();
  EXPECT(mine.calls == 0);
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(mine.calls == 1);
  EXPECT(mine.seen == 9);
}

CASE("a host function blocks the later work of its stream") {
  note mine;
  mine.may_return = false;
  const auto stream = new_stream();
  int* value = pinned_ints();
  OK(cudaLaunchHostFunc(stream, &take_note, &mine));
  set_value<<<1, 1, 0, stream>>>(value, 1);
  while (mine.calls == 0) std::this_thread::yield();
  let_the_device_run();
  RETURNS(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT(peek(value) == 0);
  mine.may_return = true;
  OK(cudaStreamSynchronize(stream));
  EXPECT(*value == 1);
}

CASE("cudaLaunchHostFunc returns at once, also behind a held stream") {
  gate closed;
  note mine;
  const auto stream = new_stream(cudaStreamNonBlocking);
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] { OK(cudaLaunchHostFunc(stream, &take_note, &mine)); }));
  EXPECT(mine.calls == 0);
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(mine.calls == 1);
}

CASE("a host function in the legacy stream runs after the work of blocking streams") {
  gate closed;
  note mine;
  const auto stream = new_stream();
  closed.hold(stream);
  OK(cudaLaunchHostFunc(nullptr, &take_note, &mine));
  let_the_device_run();
  EXPECT(mine.calls == 0);
  closed.open();
  OK(cudaDeviceSynchronize());
  EXPECT(mine.calls == 1);
}

CASE("host functions of one stream run in order, each once") {
  static std::vector<int> order;
  const auto stream = new_stream();
  int numbers[20];
  for (int i = 0; i < 20; ++i) {
    numbers[i] = i;
    OK(cudaLaunchHostFunc(
        stream, [](void* number) { order.push_back(*static_cast<int*>(number)); }, numbers + i));
  }
  OK(cudaStreamSynchronize(stream));
  EXPECT(order == std::vector<int>(numbers, numbers + 20));
}

CASE("an event recorded after a host function completes after it") {
  note mine;
  mine.may_return = false;
  const auto stream = new_stream();
  const auto event = new_event();
  OK(cudaLaunchHostFunc(stream, &take_note, &mine));
  OK(cudaEventRecord(event, stream));
  while (mine.calls == 0) std::this_thread::yield();
  RETURNS(cudaErrorNotReady, cudaEventQuery(event));
  mine.may_return = true;
  OK(cudaEventSynchronize(event));
}

CASE("a CUDA call in a host function is not permitted, or is carried out, but does not hang") {
  static std::atomic<int> status{-1};
  const auto stream = new_stream();
  OK(cudaLaunchHostFunc(
      stream, [](void*) { status = cudaStreamQuery(nullptr); }, nullptr));
  OK(cudaStreamSynchronize(stream));
  EXPECT(status == cudaErrorNotPermitted || status == cudaSuccess || status == cudaErrorNotReady);
}

CASE("a null host function is an invalid value") {
  RETURNS(cudaErrorInvalidValue, cudaLaunchHostFunc(new_stream(), nullptr, nullptr));
}

CASE("host functions are not called once the context has failed") {
  gate closed;
  note mine;
  const auto stream = new_stream();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(nullptr, 1);
  OK(cudaLaunchHostFunc(stream, &take_note, &mine));
  closed.open();
  RETURNS(cudaErrorIllegalAddress, cudaStreamSynchronize(stream));
  let_the_device_run();
  EXPECT(mine.calls == 0);
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

// Copies and sets: which of them wait, what they wait for, when they read their source, what they refuse.

#include "device_work.hpp"

using namespace conformance;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t ints_per_mebibyte = mebibyte / sizeof(int);

__global__ void set_all(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = value;
}

__device__ int a_device_variable;
__constant__ int some_constants[4];

__global__ void read_constant(int index, int* to) {
  *to = some_constants[index] + a_device_variable;
}

}  // namespace

// --- what waits
// ------------------------------------------------------------------------------------------------------

CASE("a pageable upload has been carried out for all streams that start after it") {
  std::vector<int> source(ints_per_mebibyte, 4);
  int* data = device_ints(source.size());
  int* seen = device_ints();
  OK(cudaMemcpy(data, source.data(), mebibyte, cudaMemcpyHostToDevice));
  OK(cudaStreamSynchronize(nullptr));
  const auto stream = new_stream(cudaStreamNonBlocking);
  copy_value<<<1, 1, 0, stream>>>(seen, data + source.size() - 1);
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(seen) == 4);
}

CASE("a pinned upload by cudaMemcpy is complete when it returns") {
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* source = pinned_ints(ints_per_mebibyte);
  int* data = device_ints(ints_per_mebibyte);
  int* seen = device_ints();
  source[ints_per_mebibyte - 1] = 6;
  OK(cudaMemcpy(data, source, mebibyte, cudaMemcpyHostToDevice));
  copy_value<<<1, 1, 0, stream>>>(seen, data + ints_per_mebibyte - 1);
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(seen) == 6);
}

CASE("a download by cudaMemcpy is complete when it returns, pageable or pinned") {
  std::vector<int> pageable(ints_per_mebibyte, 0);
  int* pinned = pinned_ints(ints_per_mebibyte);
  int* data = device_ints(ints_per_mebibyte);
  set_all<<<ints_per_mebibyte / 256, 256>>>(data, ints_per_mebibyte, 8);
  OK(cudaMemcpy(pageable.data(), data, mebibyte, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(pinned, data, mebibyte, cudaMemcpyDeviceToHost));
  EXPECT(pageable.front() == 8);
  EXPECT(pageable.back() == 8);
  EXPECT(pinned[0] == 8);
  EXPECT(pinned[ints_per_mebibyte - 1] == 8);
}

CASE("a download by cudaMemcpy waits for work of blocking streams") {
  gate closed;
  const auto stream = new_stream();
  int* data = device_ints();
  int value = 0;
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(data, 3);
  EXPECT(waits_for(closed, [&] { OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost)); }));
  EXPECT(value == 3);
}

CASE("a download by cudaMemcpy does not wait for work of non-blocking streams") {
  gate closed;
  int* data = device_ints();
  int value = -1;
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(returns_before(closed, [&] { OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost)); }));
  EXPECT(value == 0);
}

CASE("uploads, device-to-device copies and sets do not wait for work of non-blocking streams") {
  gate closed;
  std::vector<int> source(ints_per_mebibyte, 4);
  int* data = device_ints(ints_per_mebibyte);
  int* other = device_ints(ints_per_mebibyte);
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemcpy(data, source.data(), mebibyte, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(other, data, mebibyte, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(data, 0, mebibyte));
    OK(cudaStreamSynchronize(nullptr));
  }));
}

CASE("an upload by cudaMemcpy waits for work of blocking streams") {
  gate closed;
  int* data = device_ints();
  int* pinned = pinned_ints();
  closed.hold(new_stream());
  EXPECT(waits_for(closed, [&] { OK(cudaMemcpy(data, pinned, sizeof(int), cudaMemcpyHostToDevice)); }));
}

CASE("a device-to-device cudaMemcpy returns before it is carried out, and is ordered all the same") {
  gate closed;
  const auto stream = new_stream();
  int* from = device_ints();
  int* to = device_ints();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(from, 5);
  EXPECT(returns_before(closed, [&] { OK(cudaMemcpy(to, from, sizeof(int), cudaMemcpyDeviceToDevice)); }));
  closed.open();
  EXPECT(read(to) == 5);
}

CASE("a host-to-host copy is complete when it returns, also the asynchronous one") {
  const std::vector<int> source(ints_per_mebibyte, 4);
  std::vector<int> first(ints_per_mebibyte, 0), second(ints_per_mebibyte, 0);
  OK(cudaMemcpy(first.data(), source.data(), mebibyte, cudaMemcpyHostToHost));
  EXPECT(first == source);
  const auto stream = new_stream();
  spin<<<1, 1, 0, stream>>>(20000000);
  OK(cudaMemcpyAsync(second.data(), source.data(), mebibyte, cudaMemcpyHostToHost, stream));
  EXPECT(second == source);
}

CASE("an asynchronous host-to-host copy waits for its stream, pageable or pinned") {
  gate pageable_gate, pinned_gate;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* from = pinned_ints();
  int* to = pinned_ints();
  int source = 1, target = 0;
  pageable_gate.hold(stream);
  EXPECT(waits_for(pageable_gate, [&] {
    OK(cudaMemcpyAsync(&target, &source, sizeof(int), cudaMemcpyHostToHost, stream));
  }));
  pinned_gate.hold(stream);
  EXPECT(waits_for(pinned_gate,
                   [&] { OK(cudaMemcpyAsync(to, from, sizeof(int), cudaMemcpyHostToHost, stream)); }));
  EXPECT(target == 1);
}

CASE("asynchronous copies of pinned memory return while their stream is held, in both directions") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* host = pinned_ints(ints_per_mebibyte);
  int* data = device_ints(ints_per_mebibyte);
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemcpyAsync(data, host, mebibyte, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(host, data, mebibyte, cudaMemcpyDeviceToHost, stream));
  }));
}

CASE("an asynchronous copy of pinned memory reads its source when it runs") {
  gate closed;
  const auto stream = new_stream();
  int* source = pinned_ints(ints_per_mebibyte);
  int* data = device_ints(ints_per_mebibyte);
  source[ints_per_mebibyte - 1] = 1;
  closed.hold(stream);
  OK(cudaMemcpyAsync(data, source, mebibyte, cudaMemcpyHostToDevice, stream));
  source[ints_per_mebibyte - 1] = 2;
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(data + ints_per_mebibyte - 1) == 2);
}

CASE("an asynchronous download to pinned memory arrives when it runs") {
  gate closed;
  const auto stream = new_stream();
  int* to = pinned_ints(ints_per_mebibyte);
  int* data = device_ints(ints_per_mebibyte);
  OK(cudaMemset(data, 0xff, mebibyte));
  OK(cudaDeviceSynchronize());
  closed.hold(stream);
  OK(cudaMemcpyAsync(to, data, mebibyte, cudaMemcpyDeviceToHost, stream));
  EXPECT(peek(to) == 0);
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(to[0] == -1);
  EXPECT(to[ints_per_mebibyte - 1] == -1);
}

CASE("an asynchronous upload of pageable memory has left its source when it returns") {
  gate closed;
  const auto stream = new_stream();
  std::vector<int> source(ints_per_mebibyte / 32, 1);
  int* data = device_ints(source.size());
  closed.hold(stream);
  OK(cudaMemcpyAsync(data, source.data(), source.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  source.assign(source.size(), 2);
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(data) == 1);
  EXPECT(read(data + source.size() - 1) == 1);
}

CASE("an asynchronous upload of little pageable memory returns while its stream is held") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  std::vector<int> source(ints_per_mebibyte, 1);
  int* data = device_ints(source.size());
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemcpyAsync(data, source.data(), mebibyte / 32, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(data, source.data(), mebibyte, cudaMemcpyHostToDevice, stream));
  }));
}

CASE("an asynchronous upload of much pageable memory waits for its stream") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  std::vector<int> source(64 * ints_per_mebibyte, 1);
  int* data = device_ints(source.size());
  closed.hold(stream);
  EXPECT(waits_for(closed, [&] {
    OK(cudaMemcpyAsync(data, source.data(), 64 * mebibyte, cudaMemcpyHostToDevice, stream));
  }));
}

CASE("an asynchronous download to pageable memory waits for its stream") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int to[256] = {};
  int* data = device_ints(256);
  OK(cudaMemset(data, 0xff, sizeof to));
  OK(cudaDeviceSynchronize());
  closed.hold(stream);
  EXPECT(
      waits_for(closed, [&] { OK(cudaMemcpyAsync(to, data, sizeof to, cudaMemcpyDeviceToHost, stream)); }));
  EXPECT(to[255] == -1);
}

CASE("an asynchronous device-to-device copy returns while its stream is held") {
  gate closed;
  const auto stream = new_stream();
  int* from = device_ints();
  int* to = device_ints();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(from, 5);
  EXPECT(returns_before(
      closed, [&] { OK(cudaMemcpyAsync(to, from, sizeof(int), cudaMemcpyDeviceToDevice, stream)); }));
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(to) == 5);
}

CASE("cudaMemset of device memory returns before it is carried out, and is ordered all the same") {
  gate closed;
  const auto stream = new_stream();
  int* data = device_ints();
  closed.hold(stream);
  set_value<<<1, 1, 0, stream>>>(data, 5);
  EXPECT(returns_before(closed, [&] { OK(cudaMemset(data, 0xff, sizeof(int))); }));
  closed.open();
  EXPECT(read(data) == -1);
}

CASE("cudaMemset of pinned host memory is complete when it returns") {
  gate closed;
  int* data = pinned_ints();
  closed.hold(new_stream());
  EXPECT(waits_for(closed, [&] { OK(cudaMemset(data, 0xff, sizeof(int))); }));
  EXPECT(*data == -1);
}

CASE("cudaMemsetAsync returns while its stream is held, for device and for pinned host memory") {
  gate closed;
  const auto stream = new_stream();
  int* data = device_ints();
  int* pinned = pinned_ints();
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemsetAsync(data, 0xff, sizeof(int), stream));
    OK(cudaMemsetAsync(pinned, 0xff, sizeof(int), stream));
  }));
  EXPECT(peek(pinned) == 0);
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(*pinned == -1);
  EXPECT(read(data) == -1);
}

// --- what is refused
// -------------------------------------------------------------------------------------------------

CASE("an unknown direction is an invalid direction") {
  int value = 0;
  int* data = device_ints();
  RETURNS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpy(data, &value, sizeof value, static_cast<cudaMemcpyKind>(17)));
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
}

CASE("a copy past the end of an allocation is an invalid value") {
  std::vector<int> host(2 * ints_per_mebibyte);
  int* data = device_ints(4 * ints_per_mebibyte);
  int* end = data + 4 * ints_per_mebibyte;
  RETURNS(cudaErrorInvalidValue,
          cudaMemcpy(end - ints_per_mebibyte, host.data(), 2 * mebibyte, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue,
          cudaMemcpy(host.data(), end - ints_per_mebibyte, 2 * mebibyte, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemset(end - ints_per_mebibyte, 0, 2 * mebibyte));
}

CASE("a direction that contradicts the pointers is an invalid value") {
  int value = 0;
  int* data = device_ints();
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(data, &value, sizeof value, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(&value, data, sizeof value, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(data, &value, sizeof value, cudaMemcpyDeviceToDevice));
  OK(cudaDeviceSynchronize());
}

CASE("a null pointer in a copy or a set is an invalid value") {
  int value = 0;
  int* data = device_ints();
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(nullptr, &value, sizeof value, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(nullptr, data, sizeof value, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, sizeof value));
}

CASE("a copy or set of nothing succeeds") {
  int value = 0;
  int* data = device_ints();
  OK(cudaMemcpy(data, &value, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpyAsync(data, &value, 0, cudaMemcpyHostToDevice));
  OK(cudaMemset(data, 0, 0));
}

// --- shapes
// ----------------------------------------------------------------------------------------------------------

CASE("cudaMemcpyDefault finds the direction by itself") {
  int source = 12, back = 0, host = 0;
  int* data = device_ints();
  int* other = device_ints();
  OK(cudaMemcpy(data, &source, sizeof source, cudaMemcpyDefault));
  OK(cudaMemcpy(other, data, sizeof source, cudaMemcpyDefault));
  OK(cudaMemcpy(&back, other, sizeof source, cudaMemcpyDefault));
  OK(cudaMemcpy(&host, &back, sizeof source, cudaMemcpyDefault));
  EXPECT(host == 12);
}

CASE("a copy may begin and end inside allocations") {
  int* data = device_ints(4);
  const int values[2] = {5, 6};
  int all[4] = {-1, -1, -1, -1};
  OK(cudaMemcpy(data + 1, values, sizeof values, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(all, data, sizeof all, cudaMemcpyDeviceToHost));
  EXPECT(all[0] == 0 && all[1] == 5 && all[2] == 6 && all[3] == 0);
}

CASE("two-dimensional copies and sets move rows and leave the padding alone") {
  constexpr std::size_t width = 3, height = 4;
  char* data = nullptr;
  std::size_t pitch = 0;
  OK(cudaMallocPitch(&data, &pitch, width, height));
  EXPECT(pitch >= width);
  char rows[height][5];
  char back[height][7];
  std::memset(rows, 'a', sizeof rows);
  std::memset(back, '.', sizeof back);
  for (std::size_t row = 0; row < height; ++row) rows[row][0] = static_cast<char>('0' + row);
  OK(cudaMemset2D(data, pitch, '-', width, height));
  OK(cudaMemcpy2D(data, pitch, rows, sizeof rows[0], width - 1, height, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, sizeof back[0], data, pitch, width, height, cudaMemcpyDeviceToHost));
  for (std::size_t row = 0; row < height; ++row) {
    const char wanted[8] = {static_cast<char>('0' + row), 'a', '-', '.', '.', '.', '.', '\0'};
    EXPECT(std::memcmp(back[row], wanted, sizeof back[row]) == 0);
  }
}

CASE("asynchronous two-dimensional copies of pinned memory return while their stream is held") {
  gate closed;
  const auto stream = new_stream();
  int* host = pinned_ints(12);
  int* data = device_ints(12);
  for (int i = 0; i < 12; ++i) host[i] = i;
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemset2DAsync(data, 16, 0xff, 16, 3, stream));
    OK(cudaMemcpy2DAsync(data, 16, host, 16, 8, 3, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpy2DAsync(host, 16, data, 16, 16, 3, cudaMemcpyDeviceToHost, stream));
  }));
  closed.open();
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 12; ++i) EXPECT(host[i] == (i % 4 < 2 ? i : -1));
}

CASE("rows wider than their pitch are an invalid pitch, or an invalid value") {
  int value[4] = {};
  int* data = device_ints(16);
  const cudaError_t status = cudaMemcpy2D(data, 8, value, 16, 16, 1, cudaMemcpyHostToDevice);
  EXPECT(status == cudaErrorInvalidPitchValue || status == cudaErrorInvalidValue);
}

CASE("variables of the device are copied by name") {
  const int values[4] = {1, 2, 3, 4};
  const int addend = 100;
  int back = 0;
  int* seen = device_ints();
  OK(cudaMemcpyToSymbol(some_constants, values, sizeof values));
  OK(cudaMemcpyToSymbol(some_constants, &addend, sizeof addend, 2 * sizeof(int)));
  OK(cudaMemcpyToSymbol(a_device_variable, &addend, sizeof addend));
  read_constant<<<1, 1>>>(2, seen);
  EXPECT(read(seen) == 200);
  OK(cudaMemcpyFromSymbol(&back, some_constants, sizeof back, 3 * sizeof(int)));
  EXPECT(back == 4);
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, a_device_variable));
  EXPECT(read(static_cast<int*>(address)) == 100);
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

// Faults of kernels: they surface at a later call, and from then on every call returns them.

#include <cassert>

#include "device_work.hpp"

using namespace conformance;

namespace {

__global__ void write_far_away(int* data) {
  data[std::size_t{1} << 40] = 1;
}

__global__ void trap() {
  __trap();
}

__global__ void fail_assertion(int value) {
  assert(value == 1);
}

__global__ void write_misaligned(char* data) {
  *reinterpret_cast<int*>(data + 1) = 1;
}

/// Every call fails with `error` from now on, and reading the last error does not help.
void expect_sticky(cudaError_t error) {
  void* data = nullptr;
  cudaEvent_t event = nullptr;
  for (int i = 0; i < 2; ++i) {
    RETURNS(error, cudaDeviceSynchronize());
    RETURNS(error, cudaGetLastError());
    RETURNS(error, cudaMalloc(&data, 64));
    RETURNS(error, cudaGetLastError());
    RETURNS(error, cudaEventCreate(&event));
    RETURNS(error, cudaGetLastError());
  }
}

}  // namespace

CASE("an illegal address surfaces at the next wait and lasts") {
  const auto stream = new_stream();
  write_far_away<<<1, 1, 0, stream>>>(device_ints());
  RETURNS(cudaErrorIllegalAddress, cudaStreamSynchronize(stream));
  expect_sticky(cudaErrorIllegalAddress);
}

CASE("a null pointer in a kernel is an illegal address") {
  set_value<<<1, 1>>>(nullptr, 1);
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  expect_sticky(cudaErrorIllegalAddress);
}

CASE("pageable host memory is an illegal address where the system cannot reach it") {
  int pageable_access = 0;
  OK(cudaDeviceGetAttribute(&pageable_access, cudaDevAttrPageableMemoryAccess, 0));
  std::vector<int> host(1024, 0);
  set_value<<<1, 1>>>(host.data(), 1);
  RETURNS(pageable_access != 0 ? cudaSuccess : cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

CASE("a trap is a launch failure and lasts") {
  trap<<<1, 1>>>();
  RETURNS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
  expect_sticky(cudaErrorLaunchFailure);
}

CASE("a failed assertion surfaces as such and lasts") {
  fail_assertion<<<1, 1>>>(1);
  OK(cudaDeviceSynchronize());
  fail_assertion<<<1, 1>>>(2);
  RETURNS(cudaErrorAssert, cudaDeviceSynchronize());
  expect_sticky(cudaErrorAssert);
}

CASE("a misaligned address surfaces as such and lasts") {
  write_misaligned<<<1, 1>>>(reinterpret_cast<char*>(device_ints(4)));
  RETURNS(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
  expect_sticky(cudaErrorMisalignedAddress);
}

CASE("the launch that faults succeeds as a launch") {
  set_value<<<1, 1>>>(nullptr, 1);
  EXPECT(cudaGetLastError() == cudaSuccess);
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

CASE("a fault surfaces at cudaMemcpy, whose data does not arrive") {
  int value = 5;
  int* data = device_ints();
  set_value<<<1, 1>>>(nullptr, 1);
  RETURNS(cudaErrorIllegalAddress, cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 5);
}

CASE("a poll after a fault may be not ready for a while, then returns the fault") {
  const auto stream = new_stream();
  const auto event = new_event();
  set_value<<<1, 1, 0, stream>>>(nullptr, 1);
  OK(cudaEventRecord(event, stream));
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaEventQuery(event)) == cudaErrorNotReady) {
  }
  EXPECT(status == cudaErrorIllegalAddress);
  RETURNS(cudaErrorIllegalAddress, cudaStreamQuery(stream));
}

CASE("after a fault event creation, elapsed time, launches and copies all return it") {
  const auto start = new_event(), stop = new_event();
  float ms = 0;
  int value = 0;
  int* data = device_ints();
  OK(cudaEventRecord(start));
  OK(cudaEventRecord(stop));
  OK(cudaDeviceSynchronize());
  set_value<<<1, 1>>>(nullptr, 1);
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  RETURNS(cudaErrorIllegalAddress, cudaEventElapsedTime(&ms, start, stop));
  RETURNS(cudaErrorIllegalAddress, cudaEventQuery(start));
  RETURNS(cudaErrorIllegalAddress, cudaEventRecord(start));
  RETURNS(cudaErrorIllegalAddress, cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
  set_value<<<1, 1>>>(data, 1);
  RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
}

CASE("work in other streams dies with the context") {
  gate closed;
  const auto held = new_stream(), faulting = new_stream(cudaStreamNonBlocking);
  closed.hold(held);
  set_value<<<1, 1, 0, faulting>>>(nullptr, 1);
  RETURNS(cudaErrorIllegalAddress, cudaStreamSynchronize(faulting));
  RETURNS(cudaErrorIllegalAddress, cudaStreamSynchronize(held));
}

CASE("the fault of one thread's kernel reaches every thread") {
  set_value<<<1, 1>>>(nullptr, 1);
  std::thread([] { RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize()); }).join();
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

CASE("cudaDeviceReset after a fault succeeds, but does not bring the device back") {
  set_value<<<1, 1>>>(nullptr, 1);
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  static_cast<void>(cudaDeviceReset());
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
}

// Streams and events are gone too, but are not asked here: drivers follow such a handle, and crash now and
// then.
CASE("cudaDeviceReset frees memory") {
  int* device = nullptr;
  RETURNS(cudaSuccess, cudaMalloc(&device, sizeof(int)));
  RETURNS(cudaSuccess, cudaDeviceReset());
  set_value<<<1, 1>>>(device, 1);
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

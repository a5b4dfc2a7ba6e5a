// The error of a thread: what sets it, what clears it, whom it belongs to.

#include "device_work.hpp"

using namespace conformance;

namespace {

__global__ void nothing() {}

void fail_a_call() {
  RETURNS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 4));
}

}  // namespace

CASE("a fresh thread has no error") {
  OK(cudaPeekAtLastError());
  OK(cudaGetLastError());
}

CASE("cudaGetLastError returns the error and clears it, cudaPeekAtLastError only returns it") {
  fail_a_call();
  RETURNS(cudaErrorInvalidValue, cudaPeekAtLastError());
  RETURNS(cudaErrorInvalidValue, cudaPeekAtLastError());
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  OK(cudaGetLastError());
  OK(cudaPeekAtLastError());
}

CASE("successful calls leave the error as it is") {
  int* data = device_ints();
  fail_a_call();
  OK(cudaMemset(data, 0, 4));
  nothing<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  OK(cudaFree(data));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
}

CASE("the newest failure is the one that is kept") {
  fail_a_call();
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGetLastError());
  OK(cudaGetLastError());
}

CASE("each host thread has an error of its own") {
  fail_a_call();
  std::thread([] {
    OK(cudaPeekAtLastError());
    RETURNS(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
  }).join();
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
}

CASE("a bad launch is an error of the launching thread only") {
  nothing<<<1, 2048>>>();
  std::thread([] { OK(cudaGetLastError()); }).join();
  EXPECT(cudaGetLastError() != cudaSuccess);
}

CASE("errors have names and descriptions") {
  EXPECT(std::strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess") == 0);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered") == 0);
  EXPECT(std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(123456)), "unrecognized error code") == 0);
}

CASE("error codes have the documented numbers") {
  EXPECT(cudaErrorInvalidValue == 1);
  EXPECT(cudaErrorMemoryAllocation == 2);
  EXPECT(cudaErrorInvalidConfiguration == 9);
  EXPECT(cudaErrorInvalidMemcpyDirection == 21);
  EXPECT(cudaErrorInvalidDeviceFunction == 98);
  EXPECT(cudaErrorNoKernelImageForDevice == 209);
  EXPECT(cudaErrorInvalidResourceHandle == 400);
  EXPECT(cudaErrorNotReady == 600);
  EXPECT(cudaErrorIllegalAddress == 700);
  EXPECT(cudaErrorAssert == 710);
  EXPECT(cudaErrorMisalignedAddress == 716);
  EXPECT(cudaErrorLaunchFailure == 719);
}

CASE("a device that is not there is an invalid device") {
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  RETURNS(cudaErrorInvalidDevice, cudaSetDevice(count));
  RETURNS(cudaErrorInvalidDevice, cudaGetLastError());
  OK(cudaSetDevice(0));
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

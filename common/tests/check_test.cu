#include <doctest/doctest.h>

#include <string>

#include "lab/check.hpp"

TEST_SUITE_BEGIN("check");

namespace {

__global__ void nothing() {}

cudaError_t counted(int& calls, cudaError_t status) {
  ++calls;
  return status;
}

std::string message_of_failure() {
  try {
    CUDA_CHECK(cudaMemcpy(nullptr, nullptr, 1, static_cast<cudaMemcpyKind>(77)));
  } catch (const lab::cuda_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("success passes, evaluated once") {
  int calls = 0;
  CHECK_NOTHROW(CUDA_CHECK(counted(calls, cudaSuccess)));
  CHECK(calls == 1);
}

TEST_CASE("a failure throws, evaluated once, and keeps its status") {
  int calls = 0;
  try {
    CUDA_CHECK(counted(calls, cudaErrorNotReady));
    FAIL("did not throw");
  } catch (const lab::cuda_error& error) {
    CHECK(error.status() == cudaErrorNotReady);
  }
  CHECK(calls == 1);
}

TEST_CASE("the message names place, call and error") {
  const std::string message = message_of_failure();
  CHECK(message.find("check_test.cu:") != std::string::npos);
  CHECK(message.find("cudaMemcpy(nullptr, nullptr, 1") != std::string::npos);
  CHECK(message.find("cudaErrorInvalidMemcpyDirection") != std::string::npos);
}

TEST_CASE("a failed launch is caught behind the launch") {
  nothing<<<1, 1 << 20>>>();
  CHECK_THROWS_AS(CUDA_CHECK(cudaGetLastError()), lab::cuda_error);
}

TEST_CASE("no later launch is blamed for a call that was reported") {
  CHECK_THROWS_AS(CUDA_CHECK(cudaEventDestroy(nullptr)), lab::cuda_error);
  nothing<<<1, 1>>>();
  CHECK_NOTHROW(CUDA_CHECK(cudaGetLastError()));
  CHECK_NOTHROW(CUDA_WARN(cudaEventDestroy(nullptr)));
  nothing<<<1, 1>>>();
  CHECK_NOTHROW(CUDA_CHECK(cudaGetLastError()));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_SUITE_END();

#include <doctest/doctest.h>

#include <vector>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

TEST_SUITE_BEGIN("workload");

using namespace std::chrono_literals;

TEST_CASE("vector_add adds, whatever the size") {
  for (const int count : {0, 1, 31, 32, 33, 255, 256, 257, 100003}) {
    CAPTURE(count);
    const lab::stream stream;
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) values[i] = static_cast<float>(i);
    lab::device_buffer<float> a(values.size());
    lab::device_buffer<float> sum(values.size());
    std::vector<float> result(values.size(), -1);
    if (count > 0) CUDA_CHECK(cudaMemcpy(a.data(), values.data(), a.size_bytes(), cudaMemcpyHostToDevice));
    CHECK_NOTHROW(lab::launch_vector_add(a.data(), a.data(), sum.data(), count, stream));
    stream.sync();
    if (count > 0)
      CUDA_CHECK(cudaMemcpy(result.data(), sum.data(), sum.size_bytes(), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += result[i] != 2.0f * static_cast<float>(i);
    CHECK(wrong == 0);
  }
}

TEST_CASE("cycles are the device's own") {
  int device = 0;
  int clock_khz = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device));
  CHECK(lab::cycles_for(1ms) == clock_khz);
  CHECK(lab::cycles_for(0ms) == 0);
}

TEST_CASE("launching a spin returns long before the spin is over") {
  const lab::stream stream;
  lab::launch_spin(0ms, stream);  // the first launch of a kernel loads it
  stream.sync();
  const auto begin = std::chrono::steady_clock::now();
  lab::launch_spin(100ms, stream);
  const auto launched = std::chrono::steady_clock::now();
  stream.sync();
  const auto done = std::chrono::steady_clock::now();
  CHECK(launched - begin < 10ms);
  CHECK(done - begin > 90ms);
}

TEST_SUITE_END();

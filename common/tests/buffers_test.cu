#include <doctest/doctest.h>

#include <numeric>
#include <utility>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"

TEST_SUITE_BEGIN("buffers");

TEST_CASE("what goes to the device comes back") {
  for (const int count : {1, 31, 32, 33, 100000}) {
    CAPTURE(count);
    const lab::stream stream;
    lab::pinned_buffer<int> sent(count);
    lab::pinned_buffer<int> received(count);
    lab::device_buffer<int> there(count);
    REQUIRE(there.size_bytes() == count * sizeof(int));
    std::iota(sent.begin(), sent.end(), 1);
    for (int& value : received) value = 0;
    CUDA_CHECK(
        cudaMemcpyAsync(there.data(), sent.data(), sent.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
    CUDA_CHECK(cudaMemcpyAsync(received.data(), there.data(), there.size_bytes(), cudaMemcpyDeviceToHost,
                               stream.get()));
    stream.sync();
    CHECK(received[0] == 1);
    CHECK(received[count - 1] == count);
  }
}

TEST_CASE("an empty buffer holds nothing and is destroyed quietly") {
  const lab::device_buffer<double> device(0);
  const lab::pinned_buffer<double> pinned(0);
  CHECK(device.data() == nullptr);
  CHECK(pinned.begin() == pinned.end());
  CHECK(device.size_bytes() == 0);
}

TEST_CASE("moving hands the memory over") {
  lab::device_buffer<float> buffer(8);
  float* const data = buffer.data();
  const lab::device_buffer<float> moved = std::move(buffer);
  CHECK(moved.data() == data);
  CHECK(moved.size() == 8);
  CHECK(buffer.data() == nullptr);
}

TEST_CASE("pinned memory is known to be pinned, device memory to be the device's") {
  const lab::pinned_buffer<char> pinned(16);
  const lab::device_buffer<char> device(16);
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pinned.data()));
  CHECK(attributes.type == cudaMemoryTypeHost);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, device.data()));
  CHECK(attributes.type == cudaMemoryTypeDevice);
}

TEST_CASE("more than there is throws") {
  CHECK_THROWS_AS(lab::device_buffer<char>(std::size_t{1} << 50), lab::cuda_error);
}

TEST_SUITE_END();

// One large matrix product, timed in three ways. `lab compare` runs it and tells what the numbers mean.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>

#include "lab/bench.hpp"
#include "lab/matrix_product.hpp"
#include "lab/stream.hpp"

namespace {

using milliseconds = std::chrono::duration<double, std::milli>;

constexpr int matrix_size = 8192;

/// The wrong way: the clock stops when the work has been handed over.
milliseconds submit_only(lab::matrix_product& product, lab::stream_ref stream) {
  product.launch(stream);  // warm-up
  stream.sync();
  const auto begin = std::chrono::steady_clock::now();
  product.launch(stream);
  const auto end = std::chrono::steady_clock::now();
  stream.sync();
  return end - begin;
}

milliseconds benched(lab::matrix_product& product, lab::stream_ref stream, lab::bench_clock clock) {
  return lab::bench(stream, [&] { product.launch(stream); }, {clock, 2, 5}).median;
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  const lab::stream stream;
  lab::matrix_product product(matrix_size);
  std::printf("device %s\n", properties.name);
  std::printf("size %d\n", matrix_size);
  std::printf("flop %.17g\n", product.flop());
  std::printf("submit_ms %.17g\n", submit_only(product, stream).count());
  std::printf("host_ms %.17g\n", benched(product, stream, lab::bench_clock::host).count());
  std::printf("event_ms %.17g\n", benched(product, stream, lab::bench_clock::events).count());
}

// A pipeline over two streams: uploads and downloads on one, kernels on the other, ordered by events alone.
#include <cuda_runtime.h>

#include <array>
#include <cstdlib>
#include <iostream>

namespace {

void require(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  std::cerr << what << ": " << cudaGetErrorString(status) << '\n';
  std::exit(1);
}

__global__ void scale(float* values, float factor, int count) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(count)) values[i] *= factor;
}

constexpr int chunks = 8;
constexpr int chunk = 1 << 16;

}  // namespace

int main() {
  float* host = nullptr;
  float* device = nullptr;
  require(cudaMallocHost(&host, sizeof(float) * chunk * chunks), "pinned memory");
  require(cudaMalloc(&device, sizeof(float) * chunk * chunks), "device memory");
  for (int i = 0; i < chunk * chunks; ++i) host[i] = static_cast<float>(i);

  cudaStream_t copy{}, compute{};
  require(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking), "stream");
  require(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking), "stream");
  std::array<cudaEvent_t, chunks> uploaded{}, scaled{};
  for (auto& event : uploaded) require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  for (auto& event : scaled) require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");

  for (int c = 0; c < chunks; ++c) {
    auto* const here = device + c * chunk;
    require(cudaMemcpyAsync(here, host + c * chunk, sizeof(float) * chunk, cudaMemcpyHostToDevice, copy), "upload");
    require(cudaEventRecord(uploaded[c], copy), "record");
    require(cudaStreamWaitEvent(compute, uploaded[c]), "wait");
    scale<<<(chunk + 255) / 256, 256, 0, compute>>>(here, 2.0f, chunk);
    require(cudaGetLastError(), "launch");
    require(cudaEventRecord(scaled[c], compute), "record");
  }
  for (int c = 0; c < chunks; ++c) {
    require(cudaStreamWaitEvent(copy, scaled[c]), "wait");
    require(cudaMemcpyAsync(host + c * chunk, device + c * chunk, sizeof(float) * chunk, cudaMemcpyDeviceToHost, copy),
            "download");
  }
  require(cudaStreamSynchronize(copy), "synchronize");

  int wrong = 0;
  for (int i = 0; i < chunk * chunks; ++i) wrong += host[i] != 2.0f * static_cast<float>(i);
  std::cout << chunks << " chunks of " << chunk << ", wrong: " << wrong << '\n';

  float ms = 0;
  auto const refused = cudaEventElapsedTime(&ms, uploaded[0], scaled[0]);
  std::cout << "elapsed time without timing: " << cudaGetErrorName(refused) << '\n';

  for (auto event : uploaded) require(cudaEventDestroy(event), "destroy");
  for (auto event : scaled) require(cudaEventDestroy(event), "destroy");
  require(cudaStreamDestroy(copy), "destroy");
  require(cudaStreamDestroy(compute), "destroy");
  require(cudaFreeHost(host), "free");
  require(cudaFree(device), "free");
  return wrong == 0 ? 0 : 1;
}

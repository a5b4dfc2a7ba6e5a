#include <cuda_runtime.h>

int main() {
  cudaError_t (*volatile launch)(cudaGraphExec_t, cudaStream_t) = &cudaGraphLaunch;
  return launch(nullptr, nullptr) == cudaSuccess ? 0 : 1;
}

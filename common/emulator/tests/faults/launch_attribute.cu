// What a launch asks for beside its shape is not emulated.
#include <cuda_runtime.h>

__global__ void nothing() {}

int main() {
  cudaLaunchAttribute asked[1];
  asked[0].id = cudaLaunchAttributeCooperative;
  asked[0].val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = asked;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, nothing);
}

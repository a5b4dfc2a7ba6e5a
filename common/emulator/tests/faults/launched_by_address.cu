// By its address alone the emulated GPU does not know the parameters of a template.
#include <cuda_runtime.h>

template <typename T>
__global__ void fill(T* out) {
  *out = 1;
}

int main() {
  float* out = nullptr;
  cudaMalloc(&out, sizeof(float));
  void* arguments[] = {&out};
  cudaLaunchKernel((const void*)fill<float>, dim3(1), dim3(1), arguments);
}

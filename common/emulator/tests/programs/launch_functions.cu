// Kernels launched by functions: by address alone, as older programs have it, and with a configuration.
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorName(status));   \
  } while (0)

struct pair {
  float first, second;
};

__global__ void axpy(int n, float a, const float* x, float* y);
static __global__ void add_pair(float* y, pair both, char scale) {
  y[threadIdx.x] += scale * (both.first + both.second);
}
namespace tools {
extern "C" {
__global__ void negate(float* y) { y[threadIdx.x] = -y[threadIdx.x]; }
}
}  // namespace tools
__global__ void no_arguments() {}
template <typename T>
__global__ void fill(T* y, T value) {
  y[threadIdx.x] = value;
}

static cudaError_t launch_any(const void* kernel, void** arguments, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, dim3(1), dim3(4), arguments, 0, stream);
}

int main() {
  const int n = 4;
  float *x = nullptr, *y = nullptr, back[n];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  const auto show = [&](const char* what) {
    CHECK(cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%s: %g %g\n", what, back[0], back[n - 1]);
  };

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(n);
  config.stream = stream;
  cudaLaunchAttribute nothing[1];
  nothing[0].id = cudaLaunchAttributeIgnore;
  config.attrs = nothing;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, fill<float>, x, 1));  // the 1 becomes a float
  CHECK(cudaLaunchKernelEx(&config, fill<float>, y, 10.0f));
  show("fill");

  float a = 2;
  void* of_axpy[] = {const_cast<int*>(&n), &a, &x, &y};
  CHECK(cudaLaunchKernel((void*)axpy, dim3(1), dim3(n), of_axpy, 0, stream));
  a = 100;  // the launch has taken its arguments
  show("axpy");
  pair both = {1, 2};
  char scale = 3;
  void* of_add_pair[] = {&y, &both, &scale};
  CHECK(launch_any(reinterpret_cast<const void*>(add_pair), of_add_pair, stream));
  show("add_pair");
  CHECK(cudaLaunchKernelExC(&config, (const void*)&tools::negate, of_add_pair));
  show("negate");
  CHECK(cudaLaunchKernelExC(&config, (const void*)no_arguments, nullptr));

  // Failures are the function's answer, and the last error as well.
  const auto refused = [](cudaError_t status) {
    return status != cudaSuccess && status == cudaGetLastError() ? "refused" : "not refused";
  };
  std::printf("too many threads: %s\n", refused(cudaLaunchKernel((void*)no_arguments, dim3(1), dim3(2048), nullptr)));
  std::printf("no function: %s\n", refused(launch_any(nullptr, nullptr, stream)));
  config.blockDim = dim3(0);
  std::printf("no threads: %s\n", refused(cudaLaunchKernelEx(&config, no_arguments)));
  CHECK(cudaLaunchKernel((void*)no_arguments, dim3(1), dim3(1), nullptr));

  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaStreamDestroy(stream));
}

__global__ void axpy(int n, float a, const float* x, float* y) {
  if (static_cast<int>(threadIdx.x) < n) y[threadIdx.x] += a * x[threadIdx.x];
}

// What programs do with the headers; it need only compile.
using namespace std;

__constant__ float coefficients[16];
__device__ int counter;

struct __align__(16) particle {
  float3 position;
};

__device__ __forceinline__ float square(float x) {
  return x * x;
}
__device__ __noinline__ float cube(float x) {
  return x * x * x;
}
__attribute__((__noinline__)) inline int as_system_headers_write() {
  return warpSize;
}

template <class T>
__global__ void __launch_bounds__(256, 2) kernel(T* __restrict__ data, const T* __restrict__ input, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<unsigned>(n)) return;
  assert(n > 0 && "a message");
  const T value = __ldg(&input[i]);
  data[i] = max(value, T(0)) + min(square(float(value)), cube(2.0f)) * rsqrtf(3.0f) + coefficients[i % 16];
  data[i] += __expf(1.0f) + __sinf(0.5f) + abs(T(-1)) + fminf(1.0f, 2.0f) + fabs(-1.0f) + pow(2.0f, 3);
  __syncthreads();
}

inline cudaError_t program(float* data, int n, cudaStream_t stream) {
  float* device = nullptr;
  void* pinned = nullptr;
  int blocks = 0, threads = 0;
  cudaEvent_t event{};
  cudaDeviceProp prop;
  cudaFuncAttributes attributes;
  const size_t bytes = static_cast<size_t>(n) * sizeof(float);
  cudaMalloc(&device, bytes);
  cudaMalloc(reinterpret_cast<void**>(&device), bytes);
  cudaMallocHost(&pinned, bytes);
  cudaMallocHost(&data, bytes);
  cudaHostAlloc(&data, bytes, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device, data, 0);
  cudaEventCreate(&event);
  cudaEventCreate(&event, cudaEventDisableTiming);
  cudaMemcpyToSymbol(coefficients, data, 64);
  cudaMemcpyToSymbolAsync(counter, data, 4, 0, cudaMemcpyHostToDevice, stream);
  cudaMemcpyFromSymbol(data, coefficients, 64);
  cudaGetSymbolAddress(reinterpret_cast<void**>(&device), counter);
  cudaGetDeviceProperties(&prop, 0);
  cudaFuncGetAttributes(&attributes, kernel<float>);
  cudaFuncSetAttribute(kernel<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(reinterpret_cast<const void*>(&kernel<float>),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<float>, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel<float>, 0, 0);
  const float* input = data;
  void* arguments[] = {&device, &input, &n};
  cudaLaunchKernel(kernel<float>, dim3(blocks), dim3(threads), arguments);
  cudaStreamWaitEvent(stream, event);
  cudaEventRecord(event);
  return cudaMemcpyAsync(device, data, bytes, cudaMemcpyHostToDevice);
}

// CUDA before main begins and after it has ended: global objects, local statics, exit handlers, virtual functions on
// the device.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <new>

struct Buffer {
  int* data = nullptr;
  Buffer() { cudaMalloc(&data, 256 * sizeof(int)); }
  ~Buffer() {
    cudaError_t status = cudaFree(data);
    std::printf("freed after main: %s\n", status == cudaSuccess || status == cudaErrorCudartUnloading ? "yes" : "no");
  }
};

static Buffer buffer;

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

using unary = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float squared(float x) { return x * x; }

__global__ void areas(float* out) {
  alignas(16) unsigned char where[2][sizeof(Circle) + sizeof(Square)];
  Shape* shapes[] = {new (where[0]) Square(3), new (where[1]) Circle(2)};
  unary functions[] = {twice, squared};
  for (int i = 0; i < 2; ++i) out[i] = functions[i](shapes[i]->area());
}

__global__ void iota(int* data) { data[threadIdx.x] = threadIdx.x; }

static int sum_of_buffer() {
  static int sum = [] {
    int host[256], total = 0;
    iota<<<1, 256>>>(buffer.data);
    cudaMemcpy(host, buffer.data, sizeof host, cudaMemcpyDeviceToHost);
    for (int x : host) total += x;
    return total;
  }();
  return sum;
}

int main() {
  std::atexit([] { std::printf("exit handler: %d\n", sum_of_buffer()); });
  float* out;
  float host[2];
  cudaMalloc(&out, sizeof host);
  areas<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("areas %g %g\n", host[0], host[1]);
  std::printf("sum %d\n", sum_of_buffer());
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}

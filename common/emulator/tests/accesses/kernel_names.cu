// A kernel goes by its own name, however it is launched: by name, pointer, reference, parameter, macro or
// function.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void plain(int* out) {
  *out = 1;
}
static __global__ void local(int* out) {
  *out = 2;
}
namespace {
__global__ void unnamed(int* out) {
  *out = 3;
}
}  // namespace
namespace deep::er {
__global__ void inside(int* out) {
  *out = 4;
}
void by_its_short_name(int* out) {
  inside<<<1, 1>>>(out);
}
}  // namespace deep::er
extern "C" __global__ void f(int* out) {
  *out = 5;
}
__global__ void overloaded(int* out) {
  *out = 6;
}
__global__ void overloaded(float* out) {
  *out = 7;
}
template <typename T, int N = 2>
__global__ void fill(T* out) {
  *out = N;
}
template <typename Function>
__global__ void apply(int* out, Function function) {
  *out = function(*out);
}
struct twice {
  __device__ int operator()(int x) const { return 2 * x; }
};

using kernel = void (*)(int*);

template <auto Kernel>
void by_constant(int* out) {
  Kernel<<<1, 1>>>(out);
}
template <typename Function>
void by_parameter(Function function, int* out) {
  function<<<1, 1>>>(out);
}
template <typename... Parameters>
void by_reference(void (&function)(Parameters...), Parameters... arguments) {
  function<<<1, 1>>>(arguments...);
}
void by_any_means(kernel function, int* out) {
  const kernel table[] = {nullptr, function};
  const struct { kernel member; } holder{function};
  (*function)<<<1, 1>>>(out);
  table[1]<<<1, 1>>>(out);
  holder.member<<<1, 1>>>(out);
  void* arguments[] = {&out};
  cudaLaunchKernel(function, dim3(1), dim3(1), arguments);
}

#define LAUNCH(any, out) any<<<1, 1>>>(out)

int main() {
  int* out = nullptr;
  cudaMalloc(&out, sizeof(int));

  plain<<<1, 1>>>(out);
  const auto pointer = plain;
  pointer<<<1, 1>>>(out);
  auto& reference = plain;
  reference<<<1, 1>>>(out);
  by_constant<plain>(out);
  by_parameter(plain, out);
  by_reference(plain, out);
  by_any_means(plain, out);
  LAUNCH(plain, out);
  LAUNCH(pointer, out);
  [out](auto any) { any<<<1, 1>>>(out); }(plain);

  local<<<1, 1>>>(out);
  by_parameter(local, out);
  unnamed<<<1, 1>>>(out);
  by_parameter(unnamed, out);
  deep::er::inside<<<1, 1>>>(out);
  deep::er::by_its_short_name(out);
  by_constant<deep::er::inside>(out);
  f<<<1, 1>>>(out);
  by_parameter(f, out);

  overloaded<<<1, 1>>>(out);
  by_parameter(static_cast<void (*)(int*)>(overloaded), out);
  overloaded<<<1, 1>>>(reinterpret_cast<float*>(out));
  by_reference<float*>(overloaded, reinterpret_cast<float*>(out));

  constexpr int three = 1 + 2;
  fill<int, three><<<1, 1>>>(out);
  by_parameter(fill<int, three>, out);
  fill<<<1, 1>>>(out);  // only the call tells which
  apply<twice><<<1, 1>>>(out, {});
  apply<<<1, 1>>>(out, [] __device__(int x) { return x + 1; });

  cudaDeviceSynchronize();
  cudaFree(out);
}

// Element-wise operations by way of templates: functors, traits, parameter packs, template kernels launched with
// nested template arguments.
#include <cuda_runtime.h>

#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace detail {

struct device_delete {
  template <typename T>
  void operator()(T* pointer) const noexcept {
    cudaFree(pointer);
  }
};

template <typename T>
using device_ptr = std::unique_ptr<T[], device_delete>;

template <typename T>
device_ptr<T> make_device(std::size_t count) {
  T* raw = nullptr;
  cudaMalloc(&raw, count * sizeof(T));
  return device_ptr<T>{raw};
}

template <typename T, typename Op, unsigned PerThread = (sizeof(T) > 4 ? 2 : 4)>
__global__ void transform_kernel(T const* in, T* out, std::size_t n, Op op) {
  auto base = (blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) * PerThread;
  for (unsigned k = 0; k < PerThread; ++k)
    if (base + k < n) out[base + k] = op(in[base + k]);
}

template <typename... Ts>
__global__ void store_all(double* out, Ts... values) {
  double list[] = {static_cast<double>(values)...};
  for (std::size_t i = 0; i < sizeof...(Ts); ++i) out[i] = list[i];
}

}  // namespace detail

template <typename T>
struct affine {
  T a, b;
  __host__ __device__ T operator()(T x) const { return a * x + b; }
};

template <typename F, typename G>
struct composed {
  F f;
  G g;
  template <typename T>
  __host__ __device__ T operator()(T x) const {
    return f(g(x));
  }
};

template <typename F, typename G>
composed<F, G> compose(F f, G g) {
  return {std::move(f), std::move(g)};
}

template <typename T, typename Op>
bool matches(std::size_t n, Op op, int block) {
  std::vector<T> host(n), back(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<T>(i % 1013);
  auto in = detail::make_device<T>(n);
  auto out = detail::make_device<T>(n);
  cudaMemcpy(in.get(), host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  constexpr unsigned per_thread = std::is_same_v<T, double> ? 2 : 4;
  const auto blocks = static_cast<unsigned>((n + block * per_thread - 1) / (block * per_thread));
  detail::transform_kernel<T, Op, (per_thread > 2) ? 4 : 2><<<blocks, block>>>(in.get(), out.get(), n, op);
  cudaMemcpy(back.data(), out.get(), n * sizeof(T), cudaMemcpyDeviceToHost);
  for (std::size_t i = 0; i < n; ++i)
    if (back[i] != op(host[i])) return false;
  return cudaGetLastError() == cudaSuccess;
}

template <template <typename> class Op, typename... Ts>
void run_for(std::string const& name) {
  ((std::cout << name << " of " << sizeof(Ts) << "-byte values: "
              << (matches<Ts>(10'007, compose(Op<Ts>{Ts(3), Ts(1)}, Op<Ts>{Ts(2), Ts(5)}), 128) ? "ok" : "wrong") << '\n'),
   ...);
}

int main() {
  run_for<affine, int, float, double, unsigned short>("affine");
  auto out = detail::make_device<double>(4);
  detail::store_all<<<1, 1>>>(out.get(), 1, 2.5f, 3L, 'A');
  double values[4];
  cudaMemcpy(values, out.get(), sizeof values, cudaMemcpyDeviceToHost);
  for (auto v : values) std::cout << v << ' ';
  std::cout << '\n';
}

// Launches: shapes, arguments, shared memory, and what is refused.

#include "device_work.hpp"

using namespace conformance;

namespace {

__global__ void nothing() {}

__global__ void count_threads(int* count, dim3 grid, dim3 block) {
  const bool as_launched = gridDim.x == grid.x && gridDim.y == grid.y && gridDim.z == grid.z &&
                           blockDim.x == block.x && blockDim.y == block.y && blockDim.z == block.z &&
                           blockIdx.x < grid.x && blockIdx.y < grid.y && blockIdx.z < grid.z &&
                           threadIdx.x < block.x && threadIdx.y < block.y && threadIdx.z < block.z;
  if (as_launched) atomicAdd(count, 1);
}

__global__ void mark_cell(int* cells) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  atomicAdd(cells + (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x, 1);
}

struct wide_argument {
  int values[64];
};

__global__ void sum_argument(wide_argument argument, int* sum) {
  *sum = 0;
  for (int value : argument.values) *sum += value;
}

__global__ void reverse_block(int* data) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

template <class T, int Scale>
__global__ void scale_in_shared(T* data) {
  __shared__ T tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x ^ 1] * Scale;
}

__global__ void count_votes(int* counts) {
  const int odd = __syncthreads_count(threadIdx.x % 2);
  const int all = __syncthreads_and(threadIdx.x < blockDim.x);
  const int none = __syncthreads_or(threadIdx.x == blockDim.x);
  if (threadIdx.x == 0) {
    counts[0] = odd;
    counts[1] = all != 0;
    counts[2] = none != 0;
  }
}

__global__ void measure_sleep(long long* cycles) {
  const long long start = clock64();
  __nanosleep(100000);
  *cycles = clock64() - start;
}

/// The manual's name for an impossible launch, or what recent drivers say.
bool is_bad_launch(cudaError_t status) {
  return status == cudaErrorInvalidConfiguration || status == cudaErrorInvalidValue;
}

}  // namespace

CASE("every thread of a grid runs once, in one, two and three dimensions") {
  const dim3 shapes[][2] = {
      {1, 1}, {3, 33}, {dim3(2, 3), dim3(5, 7)}, {dim3(2, 3, 4), dim3(4, 2, 3)}, {1, 1024}};
  for (const auto& shape : shapes) {
    const dim3 grid = shape[0], block = shape[1];
    const unsigned threads = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    int* count = device_ints();
    int* cells = device_ints(threads);
    count_threads<<<grid, block>>>(count, grid, block);
    mark_cell<<<grid, block>>>(cells);
    OK(cudaGetLastError());
    EXPECT(read(count) == static_cast<int>(threads));
    std::vector<int> marks(threads);
    OK(cudaMemcpy(marks.data(), cells, threads * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(marks == std::vector<int>(threads, 1));
  }
}

CASE("arguments are taken at the launch") {
  gate closed;
  const auto stream = new_stream();
  wide_argument argument{};
  for (int& value : argument.values) value = 2;
  int* sum = device_ints();
  closed.hold(stream);
  sum_argument<<<1, 1, 0, stream>>>(argument, sum);
  for (int& value : argument.values) value = 3;
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(sum) == 128);
}

CASE("a block shares dynamic shared memory of the size the launch names") {
  int values[100];
  int back[100];
  for (int i = 0; i < 100; ++i) values[i] = i;
  int* data = device_ints(100);
  OK(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice));
  reverse_block<<<1, 100, 100 * sizeof(int)>>>(data);
  OK(cudaMemcpy(back, data, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; ++i) EXPECT(back[i] == 99 - i);
}

CASE("kernel templates and static shared memory") {
  const auto stream = new_stream();
  double values[64];
  for (int i = 0; i < 64; ++i) values[i] = i;
  double* data = nullptr;
  OK(cudaMalloc(&data, sizeof values));
  OK(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice));
  scale_in_shared<double, (3 > 2) ? 4 : 5><<<dim3(1), dim3(64), 0, stream>>>(data);
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == 4 * (i ^ 1));
}

CASE("barriers that vote") {
  int* counts = device_ints(3);
  count_votes<<<1, 65>>>(counts);
  OK(cudaDeviceSynchronize());
  EXPECT(read(counts) == 32);
  EXPECT(read(counts + 1) == 1);
  EXPECT(read(counts + 2) == 0);
}

CASE("__nanosleep takes time on the device's clock") {
  long long* cycles = nullptr;
  long long back = 0;
  OK(cudaMalloc(&cycles, sizeof *cycles));
  measure_sleep<<<1, 1>>>(cycles);
  OK(cudaMemcpy(&back, cycles, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT(back > 1000);  // 0 to twice the time are allowed; real devices sleep about as long as they are told
}

CASE("impossible shapes are refused at once, with an error that is read once and does not last") {
  const std::size_t mebibyte = 1 << 20;
  const struct {
    dim3 grid, block;
    std::size_t shared;
  } bad[] = {{1, 0, 0},
             {1, 2048, 0},
             {0, 1, 0},
             {1, 1, mebibyte},
             {1, dim3(1, 1, 65), 0},
             {dim3(1, 65536), 1, 0},
             {1, dim3(32, 32, 2), 0}};
  for (const auto& launch : bad) {
    nothing<<<launch.grid, launch.block, launch.shared>>>();
    EXPECT(is_bad_launch(cudaPeekAtLastError()));
    EXPECT(is_bad_launch(cudaGetLastError()));
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
  }
  int* value = device_ints();
  set_value<<<1, 1>>>(value, 2);
  OK(cudaGetLastError());
  EXPECT(read(value) == 2);
}

CASE("a later successful call does not clear a bad launch") {
  void* data = nullptr;
  nothing<<<1, 2048>>>();
  OK(cudaMalloc(&data, 64));
  OK(cudaDeviceSynchronize());
  EXPECT(is_bad_launch(cudaGetLastError()));
  OK(cudaGetLastError());
}

CASE("a bad launch puts nothing into its stream") {
  const auto stream = new_stream();
  const auto event = new_event();
  nothing<<<1, 2048, 0, stream>>>();
  OK(cudaEventRecord(event, stream));
  OK(cudaEventSynchronize(event));
  OK(cudaStreamSynchronize(stream));
  EXPECT(is_bad_launch(cudaGetLastError()));
}

CASE("more than 48 KiB of dynamic shared memory need the kernel's attribute") {
  int limit = 0;
  OK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(limit > 48 * 1024);
  reverse_block<<<1, 1, limit>>>(device_ints());
  EXPECT(is_bad_launch(cudaGetLastError()));
  OK(cudaFuncSetAttribute(reverse_block, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
  reverse_block<<<1, 1, limit>>>(device_ints());
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
}

CASE("the largest block and a long grid run") {
  int* count = device_ints();
  const dim3 grid(70000), block(1);
  count_threads<<<grid, block>>>(count, grid, block);
  OK(cudaGetLastError());
  EXPECT(read(count) == 70000);
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

#include <cuda_runtime.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exercise/scenario.hpp>
#include <stdexcept>
#include <thread>

// An exercise program on the emulated device, for the tests of the grader: timers right and wrong, and
// programs that come to a bad end in ways that need a device.

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void write_nowhere(int* nowhere) {
  *nowhere = 1;
}

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

__global__ void clear_first(int* data) {
  if (threadIdx.x == 0) *data = 0;
}

namespace {

using clock_type = std::chrono::steady_clock;

long long cycles(double ms) {
  int clock_khz = 0;
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
  return static_cast<long long>(ms * clock_khz);
}

double ms_between(clock_type::time_point start, clock_type::time_point stop) {
  return std::chrono::duration<double, std::milli>(stop - start).count();
}

}  // namespace

SCENARIO(timed_with_events) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  spin<<<1, 1>>>(0);
  cudaDeviceSynchronize();
  cudaEventRecord(start);
  spin<<<1, 1>>>(cycles(in.number("kernel_ms")));
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  out.number("reported_ms", ms);
  if (in.has("leak")) return;
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
}

SCENARIO(timed_without_wait) {
  cudaFree(nullptr);
  const auto start = clock_type::now();
  spin<<<1, 1>>>(cycles(in.number("kernel_ms")));
  const auto stop = clock_type::now();
  out.number("reported_ms", ms_between(start, stop));
  cudaDeviceSynchronize();
}

SCENARIO(constant) {
  out.number("reported_ms", 5);
}

SCENARIO(process) {
  out.integer("process", getpid());
}

SCENARIO(not_a_number) {
  out.number("reported_ms", std::nan(""));
}

SCENARIO(predictions) {
  out.number("made_ms", 80);
  out.number("not_made_ms", std::nan(""));
  out.text("choice", "b");
}

SCENARIO(squares) {
  int values[5];
  for (int i = 0; i < 5; ++i) values[i] = i < 3 ? i * i : -1;
  out.buffer("squares", values, 5);
}

SCENARIO(exits) {
  out.number("reported_ms", 5);
  std::puts("all tests passed");
  std::exit(0);
}

SCENARIO(crashes) {
  cudaFree(nullptr);
  out.number("reported_ms", 5);
  *static_cast<volatile int*>(nullptr) = 1;
}

SCENARIO(crashes_behind_a_reset) {
  cudaDeviceReset();
  *static_cast<volatile int*>(nullptr) = 1;
}

SCENARIO(throws) {
  throw std::runtime_error("no such luck");
}

SCENARIO(deadlocks) {
  int* flag = nullptr;
  cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  cudaDeviceSynchronize();
  out.number("reported_ms", 5);
}

SCENARIO(faults) {
  write_nowhere<<<1, 1>>>(nullptr);
  out.integer("status", cudaDeviceSynchronize());
}

// Adds one to eight numbers over two streams, without one of the things that make it right.
SCENARIO(unordered) {
  const std::string missing = in.text("missing");
  constexpr int count = 8;
  constexpr std::size_t bytes = count * sizeof(int);
  cudaStream_t copies, compute;
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  int *numbers, *result, *device;
  cudaMallocHost(&numbers, bytes);
  cudaMallocHost(&result, bytes);
  cudaMalloc(&device, bytes);
  cudaMemsetAsync(device, 0, bytes, copies);
  for (int i = 0; i < count; ++i) numbers[i] = i + 1, result[i] = -1;

  int ordinary[count];
  for (int i = 0; i < count; ++i) ordinary[i] = i + 1;
  const int* source = missing == "a promise" ? ordinary : numbers;
  cudaMemcpyAsync(device, source, bytes, cudaMemcpyHostToDevice, copies);
  ordinary[0] = 100;
  if (missing != "the first edge") cudaStreamSynchronize(copies);
  add_one<<<1, count, 0, compute>>>(device);
  if (missing == "an order of equals") {
    clear_first<<<1, count, 0, copies>>>(device + 1);
    clear_first<<<1, count, 0, compute>>>(device + 1);
  }
  cudaDeviceSynchronize();
  cudaMemcpyAsync(result, device, bytes, cudaMemcpyDeviceToHost, compute);
  if (missing == "the wait before the free") cudaFree(device);
  const auto a_while = std::chrono::milliseconds(5);
  if (missing == "a look at the answer") {
    std::this_thread::sleep_for(a_while);
    cudaStreamQuery(compute);
  } else if (missing == "a wait, but it asks") {
    while (cudaStreamQuery(compute) == cudaErrorNotReady) std::this_thread::sleep_for(a_while);
  } else if (missing == "patience") {
    std::this_thread::sleep_for(a_while);
    out.text("status", cudaGetErrorName(cudaStreamQuery(compute)));
  } else if (missing != "the last wait") {
    cudaStreamSynchronize(compute);
  }
  out.buffer("result", result, count);
  cudaDeviceSynchronize();
}

SCENARIO(spins_on_the_host) {
  cudaFree(nullptr);
  for (volatile unsigned i = 0;; i = i + 1) {
  }
}

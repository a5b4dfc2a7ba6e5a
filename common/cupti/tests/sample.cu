// A program with something of everything, to be recorded on a real GPU: sample SCENARIO
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "lab/kernel_uses.hpp"

namespace {

__global__ void scale(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = 2 * in[i];
}

__global__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

__global__ void fill(float* to, int n, float value) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) to[i] = value;
}
KERNEL_USES(fill, (float* to, int n, float value), writes(to, n));

struct matrix {
  float* elements;
  int n;
};
__global__ void clear(matrix what) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < what.n) what.elements[i] = 0;
}

__device__ int counter;
__constant__ int steps[4];
__global__ void count_steps() {
  atomicAdd(&counter, steps[threadIdx.x]);
}

__global__ void nothing() {}
__global__ void writes_nowhere(float* nowhere) {
  *nowhere = 1;
}

__global__ void until_set(const volatile int* flag) {
  while (*flag == 0) {
  }
}

void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(1);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

constexpr int count = 1 << 20;
constexpr std::size_t bytes = count * sizeof(float);

void streams() {
  float *in, *out, *host;
  must(cudaMalloc(&in, bytes));
  must(cudaMalloc(&out, bytes));
  must(cudaMallocHost(&host, bytes));
  cudaStream_t compute, copy;
  must(cudaStreamCreate(&compute));
  must(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  cudaEvent_t start, stop;
  must(cudaEventCreate(&start));
  must(cudaEventCreate(&stop));
  must(cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, compute));
  must(cudaEventRecord(start, compute));
  const auto began = std::chrono::steady_clock::now();
  spin<<<1, 1, 0, compute>>>(5'000'000);
  scale<<<count / 256, 256, 0, compute>>>(in, out, count);
  must(cudaEventRecord(stop, compute));
  must(cudaStreamWaitEvent(copy, stop, 0));
  must(cudaMemcpyAsync(host, out, bytes, cudaMemcpyDeviceToHost, copy));
  must(cudaLaunchHostFunc(
      copy, [](void*) {}, nullptr));
  must(cudaStreamSynchronize(copy));
  const double waited = milliseconds_since(began);
  float elapsed = 0;
  must(cudaEventElapsedTime(&elapsed, start, stop));
  std::printf("%.6f %.6f\n", static_cast<double>(elapsed), waited);
  must(cudaFree(in));
  must(cudaFree(out));
  must(cudaFreeHost(host));
  must(cudaEventDestroy(start));
  must(cudaEventDestroy(stop));
  must(cudaStreamDestroy(compute));
  must(cudaStreamDestroy(copy));
}

void host_accesses() {
  float *pinned, *device;
  must(cudaMallocHost(&pinned, bytes));
  must(cudaMalloc(&device, bytes));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  for (int i = 0; i < count; ++i) pinned[i] = static_cast<float>(i);
  must(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
  pinned[5] = 1;  // too early
  must(cudaStreamSynchronize(stream));
  std::vector<float> ordinary(count);
  must(cudaMemcpyAsync(ordinary.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
  double sum = static_cast<double>(ordinary[3]);  // too early, though it happens to go well
  must(cudaStreamSynchronize(stream));
  std::memset(pinned, 0, bytes / 2);
  sum += static_cast<double>(ordinary[4]);  // of no interest any more
  std::printf("%f\n", sum);
  must(cudaFree(device));
  must(cudaFreeHost(pinned));
  must(cudaStreamDestroy(stream));
}

void annotated() {
  float* memory;
  must(cudaMalloc(&memory, bytes));
  fill<<<1, 256>>>(memory + 8, 1000, 1);
  must(cudaFree(memory));
}

/// How long a loop of the host takes over ordinary memory, while memory of CUDA's is watched.
void uninteresting() {
  float* pinned;
  must(cudaMallocHost(&pinned, bytes));
  std::vector<float> ordinary(count);
  const auto began = std::chrono::steady_clock::now();
  for (int round = 0; round < 16; ++round) {
    for (float& each : ordinary) each += 1;
  }
  std::printf("%.6f\n", 1e6 * milliseconds_since(began) / (16.0 * count));
  must(cudaFreeHost(pinned));
}

/// Each launch is waited for.
void waits() {
  for (int i = 0; i < 2000; ++i) {
    nothing<<<1, 1>>>();
    cudaStreamSynchronize(nullptr);
  }
}

void launches(int wanted) {
  nothing<<<1, 1>>>();
  must(cudaDeviceSynchronize());
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < wanted; ++i) nothing<<<1, 1>>>();
  const double submitted = milliseconds_since(began);
  must(cudaDeviceSynchronize());
  std::printf("%.6f\n", 1000 * submitted / wanted);
}

void errors() {
  nothing<<<1, 2048>>>();
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  spin<<<1, 1>>>(100'000);
  must(cudaDeviceSynchronize());
}

void threads() {
  std::thread others[2];
  for (auto& other : others) {
    other = std::thread([] {
      cudaStream_t mine;
      must(cudaStreamCreate(&mine));
      spin<<<1, 1, 0, mine>>>(300'000);
      must(cudaStreamSynchronize(mine));
      must(cudaStreamDestroy(mine));
    });
  }
  for (auto& other : others) other.join();
}

void fault() {
  writes_nowhere<<<1, 1>>>(nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

void reset_after_a_fault() {
  writes_nowhere<<<1, 1>>>(nullptr);
  const cudaError_t told = cudaDeviceSynchronize();
  const cudaError_t last = cudaGetLastError(), reset = cudaDeviceReset(), after = cudaGetLastError();
  for (const cudaError_t each : {told, last, reset, after}) std::printf("%s\n", cudaGetErrorName(each));
}

void asks_for_ever() {
  while (cudaEventQuery(nullptr) != cudaSuccess) {
  }
}

void reads_the_clock_for_ever() {
  must(cudaFree(nullptr));
  while (std::chrono::steady_clock::now().time_since_epoch().count() > 0) {
  }
}

/// Between its calls it computes, while another thread wants the same processor.
void shares_its_processor() {
  must(cudaFree(nullptr));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) std::exit(1);
  std::atomic<bool> over{false};
  std::thread rival([&] {
    while (!over) {
    }
  });
  for (int i = 0; i < 20; ++i) {
    must(cudaGetLastError());
    for (volatile int count = 0; count < 5'000'000;) count = count + 1;
  }
  must(cudaGetLastError());
  over = true;
  rival.join();
}

void reads_columns() {
  constexpr int rows = 4096, columns = 2048;
  float* values;
  must(cudaMallocHost(&values, rows * columns * sizeof(float)));
  float sum = 0;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) sum += values[row * columns + column];
  }
  std::printf("%g\n", sum);
}

void rectangles() {
  constexpr std::size_t width = 100, height = 3;
  char *device, *host;
  std::size_t pitch = 0;
  must(cudaMallocPitch(&device, &pitch, width, height));
  must(cudaMallocHost(&host, width * height));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  must(cudaMemcpy2DAsync(device, pitch, host, width, width, height, cudaMemcpyHostToDevice, stream));
  must(cudaMemset2DAsync(device, pitch, 0, 10, height, stream));
  must(cudaStreamSynchronize(stream));
  std::printf("%zu\n", pitch);
  must(cudaFree(device));
  must(cudaFreeHost(host));
  must(cudaStreamDestroy(stream));
}

void variables() {
  const int given[] = {1, 2, 3, 4};
  must(cudaMemcpyToSymbol(steps, given, 2 * sizeof(int), 2 * sizeof(int)));
  count_steps<<<1, 4>>>();
  int counted = 0;
  must(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  std::printf("%d\n", counted);
}

void objects() {
  float* memory;
  must(cudaMalloc(&memory, bytes));
  clear<<<1, 256>>>(matrix{memory + 8, 100});
  must(cudaDeviceSynchronize());
  must(cudaFree(memory));
}

void cooperative() {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  float* memory;
  must(cudaMalloc(&memory, bytes));
  int n = 100;
  float value = 1;
  void* arguments[] = {&memory, &n, &value};
  must(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&fill), dim3(1), dim3(32), arguments, 0,
                                   stream));
  must(cudaStreamSynchronize(stream));
  must(cudaFree(memory));
  must(cudaStreamDestroy(stream));
}

void settings() {
  must(cudaSetDevice(0));
  must(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  float* memory;
  must(cudaMalloc(&memory, bytes));
  spin<<<1, 1>>>(2'000'000);
  must(cudaDeviceReset());
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t ready;
  must(cudaGraphInstantiate(&ready, graph, 0));
  must(cudaGraphDestroy(graph));
  return ready;
}

cudaGraphExec_t instantiated(cudaStream_t captured) {
  cudaGraph_t graph;
  must(cudaStreamEndCapture(captured, &graph));
  return instantiated(graph);
}

/// An upload in one stream and a kernel behind it, a kernel and a download in another: twice.
void fork_and_join(cudaStream_t one) {
  float *in, *out, *side, *host;
  must(cudaMalloc(&in, bytes));
  must(cudaMalloc(&out, bytes));
  must(cudaMalloc(&side, bytes));
  must(cudaMallocHost(&host, bytes + sizeof *host));
  must(cudaMemset(side, 0, bytes));
  must(cudaDeviceSynchronize());
  cudaStream_t other;
  must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t forked, joined;
  must(cudaEventCreate(&forked));
  must(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  must(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  must(cudaMemcpyAsync(in, host, bytes, cudaMemcpyDefault, one));
  must(cudaEventRecord(forked, one));
  must(cudaStreamWaitEvent(other, forked, 0));
  spin<<<1, 1, 0, other>>>(2'000'000);
  must(cudaMemcpyAsync(host + count, side, sizeof *host, cudaMemcpyDeviceToHost, other));
  must(cudaEventRecord(joined, other));
  scale<<<count / 256, 256, 0, one>>>(in, out, count);
  must(cudaStreamWaitEvent(one, joined, 0));
  const cudaGraphExec_t ready = instantiated(one);
  for (const float value : {3.0F, 5.0F}) {
    host[count - 1] = value;
    must(cudaGraphLaunch(ready, one));
    must(cudaStreamSynchronize(one));
    float result = 0;
    must(cudaMemcpy(&result, out + count - 1, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("%g ", static_cast<double>(result));
  }
  must(cudaGraphExecDestroy(ready));
  must(cudaEventRecord(forked, other));  // means something again
  must(cudaEventSynchronize(forked));
  for (float* each : {in, out, side}) must(cudaFree(each));
  must(cudaFreeHost(host));
  must(cudaStreamDestroy(other));
}

void captured(unsigned flags) {
  cudaStream_t one;
  must(cudaStreamCreateWithFlags(&one, flags));
  fork_and_join(one);
  must(cudaStreamDestroy(one));
}

/// A graph made by hand: an upload, a kernel behind it, and one in a graph of its own.
void added() {
  float *in, *out, *host;
  must(cudaMalloc(&in, bytes));
  must(cudaMalloc(&out, bytes));
  must(cudaMallocHost(&host, bytes));
  host[99] = 4;
  cudaGraph_t graph, inner;
  cudaGraphNode_t upload, doubling, filling, child, clearing;
  must(cudaGraphCreate(&graph, 0));
  must(cudaGraphCreate(&inner, 0));
  must(cudaGraphAddMemcpyNode1D(&upload, graph, nullptr, 0, in, host, 400, cudaMemcpyHostToDevice));
  const float* from = in;
  int n = 100;
  void* of_scale[] = {&from, &out, &n};
  cudaKernelNodeParams how{};
  how.func = reinterpret_cast<void*>(&scale);
  how.gridDim = how.blockDim = dim3(256);
  how.kernelParams = of_scale;
  must(cudaGraphAddKernelNode(&doubling, graph, &upload, 1, &how));
  float* to = out + 512;
  float value = 7;
  void* of_fill[] = {&to, &n, &value};
  how.func = reinterpret_cast<void*>(&fill);
  how.kernelParams = of_fill;
  how.gridDim = dim3(1);
  must(cudaGraphAddKernelNode(&filling, inner, nullptr, 0, &how));
  must(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  cudaMemsetParams zeroes{};
  zeroes.dst = in + 1024;
  zeroes.elementSize = 4;
  zeroes.width = 25;
  zeroes.height = 1;
  must(cudaGraphAddMemsetNode(&clearing, graph, &doubling, 1, &zeroes));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  const cudaGraphExec_t ready = instantiated(graph);
  must(cudaGraphUpload(ready, stream));
  must(cudaGraphLaunch(ready, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaMemcpy(host, out, 4096, cudaMemcpyDeviceToHost));
  std::printf("%g %g\n", static_cast<double>(host[99]), static_cast<double>(host[512]));
}

/// A graph and, in another stream, a kernel that uses the same memory.
void graph_and_kernel() {
  float* memory;
  must(cudaMalloc(&memory, bytes));
  cudaStream_t one, other;
  must(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  must(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
  fill<<<1, 256, 0, one>>>(memory, 1000, 1);
  const cudaGraphExec_t ready = instantiated(one);
  must(cudaGraphLaunch(ready, one));
  fill<<<1, 256, 0, other>>>(memory + 500, 1000, 2);
  must(cudaDeviceSynchronize());
}

void graph_with_function() {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  nothing<<<1, 1, 0, stream>>>();
  must(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  must(cudaGraphLaunch(instantiated(stream), stream));
  must(cudaStreamSynchronize(stream));
}

/// A graph whose kernel gets other memory, by a graph of the same shape or in its place.
void changed_graph(bool in_place) {
  float *first, *second;
  must(cudaMalloc(&first, bytes));
  must(cudaMalloc(&second, bytes));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  const auto filling = [&](float* memory) {
    cudaGraph_t graph;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 256, 0, stream>>>(memory, 100, 1);
    must(cudaStreamEndCapture(stream, &graph));
    return graph;
  };
  const cudaGraph_t graph = filling(first), other = filling(second);
  cudaGraphExec_t ready;
  must(cudaGraphInstantiate(&ready, graph, 0));
  must(cudaGraphLaunch(ready, stream));
  if (in_place) {
    cudaGraphNode_t node;
    std::size_t nodes = 1;
    must(cudaGraphGetNodes(graph, &node, &nodes));
    cudaKernelNodeParams how;
    must(cudaGraphKernelNodeGetParams(node, &how));
    int n = 100;
    float value = 1;
    void* arguments[] = {&second, &n, &value};
    how.kernelParams = arguments;
    must(cudaGraphExecKernelNodeSetParams(ready, node, &how));
  } else {
    cudaGraphExecUpdateResultInfo result;
    must(cudaGraphExecUpdate(ready, other, &result));
  }
  must(cudaGraphLaunch(ready, stream));
  must(cudaStreamSynchronize(stream));
}

/// While a stream is captured another thread does what only that mode allows, and this one uses other
/// streams.
void capture_among_others() {
  float *memory, *host;
  must(cudaMalloc(&memory, bytes));
  must(cudaMallocHost(&host, bytes));
  cudaStream_t stream, free_one;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  fill<<<1, 256, 0, stream>>>(memory, 1000, 1);
  must(cudaMemcpyToSymbolAsync(steps, host, sizeof(int), 0, cudaMemcpyDefault, stream));
  std::thread([&] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    must(cudaThreadExchangeStreamCaptureMode(&mode));
    float* mine;
    must(cudaMalloc(&mine, bytes));
    must(cudaMemcpyAsync(mine, host, bytes, cudaMemcpyDefault, free_one));
    must(cudaStreamSynchronize(free_one));
    must(cudaFree(mine));
  }).join();
  nothing<<<1, 1>>>();  // in the legacy stream, which has nothing to do with a non-blocking one
  must(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDefault, stream));
  const cudaGraphExec_t ready = instantiated(stream);
  must(cudaGraphLaunch(ready, stream));
  must(cudaStreamSynchronize(stream));
  std::printf("%g\n", static_cast<double>(host[999]));
}

/// What a program does wrong in a capture, it is told as without a record.
void spoilt_capture() {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  nothing<<<1, 1, 0, stream>>>();
  std::printf("%s ", cudaGetErrorName(cudaStreamSynchronize(stream)));
  cudaGraph_t graph;
  std::printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  cudaGetLastError();
  nothing<<<1, 1, 0, stream>>>();
  must(cudaStreamSynchronize(stream));
}

void graph_launches(int wanted) {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 10; ++i) nothing<<<1, 1, 0, stream>>>();
  const cudaGraphExec_t ready = instantiated(stream);
  must(cudaGraphLaunch(ready, stream));
  must(cudaStreamSynchronize(stream));
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < wanted; ++i) must(cudaGraphLaunch(ready, stream));
  const double submitted = milliseconds_since(began);
  must(cudaStreamSynchronize(stream));
  std::printf("%.6f\n", 1000 * submitted / wanted);
}

void managed() {
  float* memory;
  must(cudaMallocManaged(&memory, bytes));
  fill<<<1, 256>>>(memory, count, 1);
  must(cudaDeviceSynchronize());
  std::printf("%f\n", static_cast<double>(memory[3]));
  must(cudaFree(memory));
}

void prefetched() {
  float* memory;
  must(cudaMallocManaged(&memory, bytes));
#if CUDART_VERSION >= 13000
  must(cudaMemPrefetchAsync(memory, bytes, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
#else
  must(cudaMemPrefetchAsync(memory, bytes, 0, nullptr));
#endif
  must(cudaDeviceSynchronize());
  must(cudaFree(memory));
}

/// By the driver API, below the runtime.
void driver() {
  using launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, CUstream, void**, void**);
  nothing<<<1, 1>>>();
  cudaFunction_t function;
  must(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&nothing)));
  const auto by_driver = reinterpret_cast<launch>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "cuLaunchKernel"));
  by_driver(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  must(cudaDeviceSynchronize());
}

void programmatic() {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = how.blockDim = dim3(1);
  how.attrs = &early;
  how.numAttrs = 1;
  must(cudaLaunchKernelEx(&how, nothing));
  must(cudaDeviceSynchronize());
}

void unfinished() {
  spin<<<1, 1>>>(2'000'000);  // still runs when main returns
}

/// Operation 2 is an upload, operation 3 a kernel that reads what it writes; the value is 2 times what it
/// got.
void upload_and_scale(bool waits, bool in_legacy_stream, bool by_graph = false) {
  float *in, *out, *host;
  must(cudaMalloc(&in, bytes));
  must(cudaMalloc(&out, bytes));
  must(cudaMallocHost(&host, bytes));
  for (int i = 0; i < count; ++i) host[i] = 3;
  cudaStream_t copy, own;
  must(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  const cudaStream_t compute = in_legacy_stream ? cudaStreamLegacy : own;
  cudaEvent_t uploaded;
  must(cudaEventCreate(&uploaded));
  cudaGraphExec_t ready = nullptr;
  if (by_graph) {
    must(cudaStreamBeginCapture(copy, cudaStreamCaptureModeGlobal));
    must(cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, copy));
    ready = instantiated(copy);
  }
  must(cudaMemset(in, 0, bytes));
  must(cudaDeviceSynchronize());
  const auto began = std::chrono::steady_clock::now();
  must(by_graph ? cudaGraphLaunch(ready, copy)
                : cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, copy));
  if (waits) {
    must(cudaEventRecord(uploaded, copy));
    must(cudaStreamWaitEvent(compute, uploaded, 0));
  }
  scale<<<count / 256, 256, 0, compute>>>(in, out, count);
  must(cudaStreamSynchronize(copy));
  const double waited = milliseconds_since(began);
  must(cudaMemcpyAsync(host, out, bytes, cudaMemcpyDeviceToHost, compute));
  must(cudaStreamSynchronize(compute));
  std::printf("%g %.3f\n", static_cast<double>(host[count - 1]), waited);
}

/// Operation 2 is a kernel, operation 3 a download of what it writes, in another stream.
void fill_and_download() {
  float *device, *host;
  must(cudaMalloc(&device, bytes));
  must(cudaMallocHost(&host, bytes));
  cudaStream_t compute, copy;
  must(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  must(cudaMemset(device, 0, bytes));
  must(cudaDeviceSynchronize());
  fill<<<1, 256, 0, compute>>>(device, count, 7);
  must(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, copy));
  must(cudaDeviceSynchronize());
  std::printf("%g\n", static_cast<double>(host[0]));
}

/// Operations 2 and 3 are uploads to the same memory, in two streams.
void two_uploads() {
  float *device, *host;
  must(cudaMalloc(&device, bytes));
  must(cudaMallocHost(&host, 2 * bytes));
  for (int i = 0; i < 2 * count; ++i) host[i] = i < count ? 3 : 5;
  cudaStream_t one, other;
  must(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  must(cudaMemset(device, 0, bytes));
  must(cudaDeviceSynchronize());
  must(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, one));
  must(cudaMemcpyAsync(device, host + count, bytes, cudaMemcpyHostToDevice, other));
  must(cudaDeviceSynchronize());
  must(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  std::printf("%g\n", static_cast<double>(host[0]));
}

/// Operation 2 is a download, which the host does not wait for but by asking again and again, if at all.
void download_and_read(bool asks) {
  float *device, *host;
  must(cudaMalloc(&device, bytes));
  must(cudaMallocHost(&host, bytes));
  host[0] = 1;
  cudaStream_t copy;
  must(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  must(cudaMemset(device, 0, bytes));
  must(cudaDeviceSynchronize());
  const auto began = std::chrono::steady_clock::now();
  must(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, copy));
  while (asks && cudaStreamQuery(copy) == cudaErrorNotReady) {
  }
  std::printf("%g %.3f\n", static_cast<double>(host[0]), milliseconds_since(began));
  must(cudaStreamSynchronize(copy));
}

/// The kernel waits for what the host does next.
void waits_for_the_host() {
  int* flag;
  must(cudaMallocHost(&flag, sizeof *flag));
  *flag = 0;
  until_set<<<1, 1>>>(flag);
  *static_cast<volatile int*>(flag) = 1;
  must(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const char* scenario = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(scenario, name) == 0; };
  if (is("streams")) streams();
  if (is("host accesses")) host_accesses();
  if (is("annotated")) annotated();
  if (is("uninteresting")) uninteresting();
  if (is("waits")) waits();
  if (is("launches")) launches(argc > 2 ? std::atoi(argv[2]) : 1000);
  if (is("errors")) errors();
  if (is("threads")) threads();
  if (is("fault")) fault();
  if (is("reset after a fault")) reset_after_a_fault();
  if (is("asks for ever")) asks_for_ever();
  if (is("reads the clock for ever")) reads_the_clock_for_ever();
  if (is("shares its processor")) shares_its_processor();
  if (is("reads columns")) reads_columns();
  if (is("unfinished")) unfinished();
  if (is("race")) upload_and_scale(false, false);
  if (is("race with a graph")) upload_and_scale(false, false, true);
  if (is("race with the legacy stream")) upload_and_scale(false, true);
  if (is("ordered")) upload_and_scale(true, false);
  if (is("late kernel")) fill_and_download();
  if (is("two uploads")) two_uploads();
  if (is("early read")) download_and_read(false);
  if (is("asks")) download_and_read(true);
  if (is("waits for the host")) waits_for_the_host();
  if (is("rectangles")) rectangles();
  if (is("variables")) variables();
  if (is("objects")) objects();
  if (is("cooperative")) cooperative();
  if (is("settings")) settings();
  if (is("captured")) captured(cudaStreamNonBlocking);
  if (is("captured, blocking")) captured(cudaStreamDefault);
  if (is("captured, per thread")) fork_and_join(cudaStreamPerThread);
  if (is("added")) added();
  if (is("graph and kernel")) graph_and_kernel();
  if (is("graph with a function")) graph_with_function();
  if (is("updated graph")) changed_graph(false);
  if (is("changed graph")) changed_graph(true);
  if (is("capture among others")) capture_among_others();
  if (is("spoilt capture")) spoilt_capture();
  if (is("graph launches")) graph_launches(argc > 2 ? std::atoi(argv[2]) : 1000);
  if (is("managed")) managed();
  if (is("prefetched")) prefetched();
  if (is("driver")) driver();
  if (is("programmatic")) programmatic();
  return 0;
}

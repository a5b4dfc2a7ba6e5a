#include <cstdio>

#include "timers.hpp"

// Each form of inline PTX that is translated, run on the emulated GPU: returns the number of surprises.

struct seen {
  unsigned long long before, after, spun;
  long long cycles64;
  unsigned cycles, low, lane, warp, multiprocessor;
};

__global__ void spin(seen* out, unsigned long long nanoseconds) {
  seen s;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.before));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(s.cycles64)::"memory");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(s.cycles) : : "memory");
  do {
    s.after = now();
  } while (s.after - s.before < nanoseconds);
  READ_TIMER(s.spun);
  asm("mov.u32 %0, %globaltimer_lo;" : "=r"(s.low));
  __asm__ __volatile__(
      "mov.u32 %0, %%laneid;\n\t"
      "mov.u32 %1, %%warpid;"
      : "=r"(s.lane), "=r"(s.warp));
  asm volatile("mov.u32 %0, %smid;" : "=r"(s.multiprocessor));
#ifdef SURELY_NOT_DEFINED
  asm volatile("cp.async.wait_all;");
#endif
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  out[(blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x * blockDim.y + thread] = s;
}

int main() {
  constexpr unsigned blocks = 50, threads = 96;
  constexpr unsigned long long wanted = 300000;
  seen* device;
  static seen all[blocks * threads];
  cudaMalloc(&device, sizeof all);
  asm volatile("" ::: "memory");  // the host's own stays
  spin<<<dim3(25, 2), dim3(48, 2)>>>(device, wanted);
  cudaMemcpy(all, device, sizeof all, cudaMemcpyDeviceToHost);
  int surprises = cudaGetLastError() == cudaSuccess ? 0 : 1;
  for (unsigned i = 0; i < blocks * threads; ++i) {
    const seen& s = all[i];
    const bool spun = s.after - s.before >= wanted && s.after - s.before < 2 * wanted && s.spun >= s.after;
    const bool clocks = s.cycles - static_cast<unsigned>(s.cycles64) < 100000 &&
                        s.low - static_cast<unsigned>(s.spun) < 100000;
    const bool place =
        s.lane == i % threads % 32 && s.warp == i % threads / 32 && s.multiprocessor == i / threads % 40;
    if (spun && clocks && place) continue;
    std::printf("thread %u: spun %d, clocks %d, place %d\n", i, spun, clocks, place);
    ++surprises;
  }
  cudaFree(device);
  return surprises > 0;
}

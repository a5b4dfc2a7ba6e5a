// How the host rounds is no matter to a kernel that has begun, nor the kernel's way to the host.
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <thread>

__global__ void wait_and_divide(volatile int* go, volatile float* numbers) {
  while (*go == 0) continue;
  numbers[2] = numbers[0] / numbers[1];
  __threadfence_system();
  *go = 0;
}

int main() {
  int* go = nullptr;
  float* numbers = nullptr;
  cudaHostAlloc(&go, sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&numbers, 3 * sizeof(float), cudaHostAllocMapped);
  *go = 0;
  volatile float one = 1, three = 3;
  numbers[0] = one;
  numbers[1] = three;
  for (const int rounding : {FE_DOWNWARD, FE_TONEAREST}) {
    wait_and_divide<<<1, 1>>>(go, numbers);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::fesetround(rounding);
    *static_cast<volatile int*>(go) = 1;
    while (*static_cast<volatile int*>(go) != 0) continue;
    std::printf("kernel %a, host %a\n", numbers[2], one / three);
    cudaDeviceSynchronize();
  }
}

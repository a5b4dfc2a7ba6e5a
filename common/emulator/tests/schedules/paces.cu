// How long two launches take, one after the other: in submission order a few microseconds, slowly far more.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  const auto begin = std::chrono::steady_clock::now();
  nothing<<<1, 1>>>();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::puts(took.count() < 100 ? "same" : "another");
}

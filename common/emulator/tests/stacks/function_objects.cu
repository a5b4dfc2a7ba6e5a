#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

// CUDA calls that a function makes by way of the standard library, which the compilers inline as they like.

static void calls_what_it_made() {
  std::function<void(int)> set = [](int device) { cudaSetDevice(device); };
  set(0);
}

static void __attribute__((noinline)) calls_what_it_is_given(const std::function<void()>& given) {
  given();
}

static void gives() {
  const std::function<void()> given = [] { cudaDeviceSynchronize(); };
  calls_what_it_is_given(given);
}

static void keeps() {
  std::vector<std::function<cudaError_t()>> kept;
  kept.emplace_back(cudaPeekAtLastError);
  kept.emplace_back([] { return cudaGetLastError(); });
  std::for_each(kept.begin(), kept.end(), [](const auto& each) { each(); });
}

struct free_it {
  void operator()(float* memory) const { cudaFree(memory); }
};

static void owns() {
  float* memory = nullptr;
  cudaMalloc(&memory, 4);
  std::unique_ptr<float, free_it> owner(memory);
  std::unique_ptr<float, std::function<void(float*)>> none(nullptr, [](float* each) { cudaFree(each); });
  none.reset(std::exchange(memory, nullptr) == nullptr ? nullptr : owner.release());
}

int main() {
  calls_what_it_made();
  gives();
  keeps();
  owns();
}

#include <cstddef>
#include <map>
#include <vector>

#include "cuda_runtime.h"

// The least that lets a translated program run: a launch calls the kernel once for each thread, at once.

const lab::emulator::coordinates threadIdx = {0, 0, 0};
const lab::emulator::coordinates blockIdx = {0, 0, 0};
const lab::emulator::coordinates blockDim = {1, 1, 1};
const lab::emulator::coordinates gridDim = {1, 1, 1};

namespace lab::emulator {

std::vector<launch_configuration> launched;
const char* launched_text = "";

void submit_launch(const launch_configuration& configuration, const char* text, const void*,
                   kernel_body* body) {
  launched.push_back(configuration);
  launched_text = text == nullptr ? "" : text;
  const dim3 g = configuration.grid, b = configuration.block;
  for (unsigned long i = 0; i < 1ul * g.x * g.y * g.z * b.x * b.y * b.z; ++i) body->run_thread(body);
  body->destroy(body);
}

void* shared_variable(shared_site& site, std::size_t bytes, std::size_t alignment) {
  static std::map<shared_site*, std::vector<std::byte>> memory;
  std::vector<std::byte>& bytes_of_site = memory[&site];
  bytes_of_site.resize(bytes + alignment);
  const auto address = reinterpret_cast<std::size_t>(bytes_of_site.data());
  return bytes_of_site.data() + (alignment - address % alignment) % alignment;
}

void* dynamic_shared() {
  alignas(16) static std::byte memory[1024];
  return memory;
}

}  // namespace lab::emulator

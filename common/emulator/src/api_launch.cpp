#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "api.hpp"
#include "cuda_runtime_api.h"
#include "lab_emulator/launch.hpp"
#include "profile.hpp"
#include "program_image.hpp"

namespace lab::emulator {

namespace {

struct everything {
  std::unordered_set<std::string> launched;                           ///< kernels that are loaded
  std::unordered_map<const void*, std::size_t> dynamic_shared_limit;  ///< raised by cudaFuncSetAttribute
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

std::size_t dynamic_shared_limit(const void* function) {
  const auto raised = all().dynamic_shared_limit.find(function);
  return raised == all().dynamic_shared_limit.end() ? t4.shared_bytes_per_block : raised->second;
}

/// The limits of a launch: CUDA programming guide, "Technical Specifications per Compute Capability".
bool possible(const launch_configuration& configuration, const void* function) {
  const dim3& grid = configuration.grid;
  const dim3& block = configuration.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return false;
  if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535) return false;
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return false;
  if (std::uint64_t{block.x} * block.y * block.z > static_cast<unsigned>(t4.max_threads_per_block))
    return false;
  return configuration.shared_bytes <= dynamic_shared_limit(function);
}

cudaError_t launch_grid(api_call& call, const launch_configuration& configuration, const char* name,
                        const void* function, kernel_body* body) {
  auto* stream = call.stream(configuration.stream);
  if (stream == nullptr || !possible(configuration, function)) {
    body->destroy(body);
    return stream == nullptr ? call.error() : cudaErrorInvalidConfiguration;
  }
  if (all().launched.insert(name).second) advance(t4.first_launch_ns);
  auto work = device::make(trace::operation_kind::kernel, name);
  work->grid = std::make_unique<grid>(configuration, name, body);
  call.submit(*stream, work);
  return cudaSuccess;
}

}  // namespace

cudaError_t submit_launch(const launch_configuration& configuration, const char* name, const void* function,
                          kernel_body* body) {
  api_call call("cudaLaunchKernel", t4.launch_ns, LAB_CALLER);
  if (call.refused() != cudaSuccess) {
    body->destroy(body);
    return call.returns(call.refused());
  }
  const std::string own_name = name == nullptr ? name_of_function(function) : name;
  return call.returns(launch_grid(call, configuration, own_name.c_str(), function, body));
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api("cudaFuncSetAttribute", t4.query_call_ns, LAB_CALLER, [&](api_call&) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<std::size_t>(value) > t4.shared_bytes_per_block_opt_in) {
      return cudaErrorInvalidValue;
    }
    all().dynamic_shared_limit[function] =
        std::max(static_cast<std::size_t>(value), t4.shared_bytes_per_block);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return api("cudaFuncSetCacheConfig", t4.query_call_ns, LAB_CALLER, [](api_call&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", t4.query_call_ns, LAB_CALLER, [&](api_call&) {
    if (attributes == nullptr || function == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->maxThreadsPerBlock = t4.max_threads_per_block;
    attributes->numRegs = 32;  // registers do not exist here; enough that none of them limits the occupancy
    attributes->ptxVersion = attributes->binaryVersion = t4.compute_major * 10 + t4.compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(function));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int block_size, std::size_t shared_bytes,
                                                                   unsigned) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessor", t4.query_call_ns, LAB_CALLER, [&](api_call&) {
    if (blocks == nullptr || block_size <= 0 || block_size > t4.max_threads_per_block)
      return cudaErrorInvalidValue;
    *blocks = 0;
    if (shared_bytes > dynamic_shared_limit(function)) return cudaSuccess;
    const int warps = (block_size + t4.warp_size - 1) / t4.warp_size;
    *blocks = std::min(t4.max_blocks_per_multiprocessor,
                       t4.max_threads_per_multiprocessor / (warps * t4.warp_size));
    if (shared_bytes > 0) {
      *blocks = std::min(*blocks, static_cast<int>(t4.shared_bytes_per_multiprocessor / shared_bytes));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes,
                                                                0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int block_size) {
  return api("cudaOccupancyAvailableDynamicSMemPerBlock", t4.query_call_ns, LAB_CALLER, [&](api_call&) {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0 || block_size > t4.max_threads_per_block) {
      return cudaErrorInvalidValue;
    }
    *bytes = std::min(t4.shared_bytes_per_multiprocessor / static_cast<std::size_t>(blocks),
                      dynamic_shared_limit(function));
    return cudaSuccess;
  });
}

}  // extern "C"

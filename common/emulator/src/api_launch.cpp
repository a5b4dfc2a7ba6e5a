#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "api.hpp"
#include "cuda_runtime_api.h"
#include "lab_emulator/launch.hpp"
#include "liveness.hpp"
#include "profile.hpp"
#include "program_image.hpp"

namespace lab::emulator {

namespace {

struct everything {
  std::unordered_set<std::string> launched;                           ///< kernels that are loaded
  std::unordered_map<const void*, std::size_t> dynamic_shared_limit;  ///< raised by cudaFuncSetAttribute
  std::unordered_map<const void*, std::string> names;                 ///< of functions that were launched
  std::unordered_map<const void*, const launchable*> by_address;
};

// From the linker, where the program has such a list.
extern "C" const launchable __start_lab_kernels[] __attribute__((weak));
extern "C" const launchable __stop_lab_kernels[] __attribute__((weak));

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

std::size_t dynamic_shared_limit(const void* function) {
  const auto raised = all().dynamic_shared_limit.find(function);
  return raised == all().dynamic_shared_limit.end() ? gpu().shared_bytes_per_block : raised->second;
}

/// The function's own name, by whatever pointer or parameter the program launched it. What the launch calls
/// it where only the arguments can tell which function is meant.
std::string name_of_kernel(const void* function, const char* text) {
  if (function == nullptr) return text;
  const auto [entry, fresh] = all().names.try_emplace(function);
  if (fresh) entry->second = name_of_function(function);
  return entry->second;
}

/// The limits of a launch: CUDA programming guide, "Technical Specifications per Compute Capability".
bool possible(const launch_configuration& configuration, const void* function) {
  const dim3& grid = configuration.grid;
  const dim3& block = configuration.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return false;
  if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535) return false;
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return false;
  if (std::uint64_t{block.x} * block.y * block.z > static_cast<unsigned>(gpu().max_threads_per_block))
    return false;
  return configuration.shared_bytes <= dynamic_shared_limit(function);
}

cudaError_t launch_grid(api_call& call, const launch_configuration& configuration, const std::string& name,
                        const void* function, kernel_body* body) {
  auto* stream = call.stream(configuration.stream);
  if (stream == nullptr || !possible(configuration, function)) {
    body->destroy(body);
    return stream == nullptr ? call.error() : cudaErrorInvalidConfiguration;
  }
  if (all().launched.insert(name).second) advance(gpu().first_launch_ns);
  auto work = device::make(trace::operation_kind::kernel, name);
  work->grid = std::make_unique<grid>(configuration, name.c_str(), body);
  call.submit(*stream, work);
  return cudaSuccess;
}

cudaError_t submit(const launch_configuration& configuration, const char* text, const void* function,
                   kernel_body* body, const void* caller) {
  api_call call("cudaLaunchKernel", gpu().launch_ns, caller);
  if (call.refused() != cudaSuccess) {
    body->destroy(body);
    return call.returns(call.refused());
  }
  return call.returns(launch_grid(call, configuration, name_of_kernel(function, text), function, body));
}

const launchable* launchable_at(const void* function) {
  auto& known = all().by_address;
  if (known.empty()) {
    for (const launchable* each = __start_lab_kernels; each != __stop_lab_kernels; ++each)
      known.emplace(each->address(), each);
  }
  const auto found = known.find(function);
  return found == known.end() ? nullptr : found->second;
}

/// A launch by an address alone: only of what the translator has listed are the parameters known.
cudaError_t submit_by_address(const launch_configuration& configuration, const void* function,
                              void** arguments, const void* caller) {
  const launchable* kernel = launchable_at(function);
  if (function == nullptr) {
    return api("cudaLaunchKernel", gpu().launch_ns, caller,
               [](api_call&) { return cudaErrorInvalidDeviceFunction; });
  }
  if (kernel == nullptr) {
    const std::string sentence = fmt::format(
        "cudaLaunchKernel was given the address of '{0}', by which the emulated GPU knows no parameters of "
        "templates, overloads and what macros declare: pass {0} itself, without a cast.",
        name_of_function(function));
    end_run(trace::finding_kind::not_emulated, sentence.c_str(), caller);
  }
  return submit(configuration, nullptr, function, kernel->unpack(arguments), caller);
}

const char* name_of(cudaLaunchAttributeID attribute) {
  switch (attribute) {
#define LAB_CASE(name) \
  case name:           \
    return #name
    LAB_CASE(cudaLaunchAttributeIgnore);
    LAB_CASE(cudaLaunchAttributeAccessPolicyWindow);
    LAB_CASE(cudaLaunchAttributeCooperative);
    LAB_CASE(cudaLaunchAttributeSynchronizationPolicy);
    LAB_CASE(cudaLaunchAttributeClusterDimension);
    LAB_CASE(cudaLaunchAttributeClusterSchedulingPolicyPreference);
    LAB_CASE(cudaLaunchAttributeProgrammaticStreamSerialization);
    LAB_CASE(cudaLaunchAttributeProgrammaticEvent);
    LAB_CASE(cudaLaunchAttributePriority);
    LAB_CASE(cudaLaunchAttributeMemSyncDomainMap);
    LAB_CASE(cudaLaunchAttributeMemSyncDomain);
    LAB_CASE(cudaLaunchAttributePreferredClusterDimension);
    LAB_CASE(cudaLaunchAttributeLaunchCompletionEvent);
    LAB_CASE(cudaLaunchAttributeDeviceUpdatableKernelNode);
    LAB_CASE(cudaLaunchAttributePreferredSharedMemoryCarveout);
#undef LAB_CASE
  }
  return "an unknown launch attribute";
}

/// The part of it that is emulated; the program ends where it asks for more.
launch_configuration emulated(const cudaLaunchConfig_t& asked, const void* caller) {
  for (unsigned i = 0; i < asked.numAttrs; ++i) {
    const cudaLaunchAttributeID attribute = asked.attrs[i].id;
    if (attribute == cudaLaunchAttributeIgnore) continue;
    const std::string sentence =
        fmt::format("{} is not emulated yet: leave it out of attrs.", name_of(attribute));
    end_run(trace::finding_kind::not_emulated, sentence.c_str(), caller);
  }
  return {asked.gridDim, asked.blockDim, asked.dynamicSmemBytes, asked.stream};
}

}  // namespace

void submit_launch(const launch_configuration& configuration, const char* text, const void* function,
                   kernel_body* body) {
  submit(configuration, text, function, body, LAB_CALLER);
}

cudaError_t submit_launch(const cudaLaunchConfig_t& configuration, const void* function, kernel_body* body) {
  return submit(emulated(configuration, LAB_CALLER), nullptr, function, body, LAB_CALLER);
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return submit_by_address({grid, block, shared_bytes, stream}, function, arguments, LAB_CALLER);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function,
                                void** arguments) {
  return submit_by_address(emulated(*configuration, LAB_CALLER), function, arguments, LAB_CALLER);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api("cudaFuncSetAttribute", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<std::size_t>(value) > gpu().shared_bytes_per_block_opt_in) {
      return cudaErrorInvalidValue;
    }
    all().dynamic_shared_limit[function] =
        std::max(static_cast<std::size_t>(value), gpu().shared_bytes_per_block);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return api("cudaFuncSetCacheConfig", gpu().query_call_ns, LAB_CALLER,
             [](api_call&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (attributes == nullptr || function == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->maxThreadsPerBlock = gpu().max_threads_per_block;
    attributes->numRegs = 32;  // registers do not exist here; enough that none of them limits the occupancy
    attributes->ptxVersion = attributes->binaryVersion = gpu().compute_major * 10 + gpu().compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(function));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int block_size, std::size_t shared_bytes,
                                                                   unsigned) {
  return api(
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
        if (blocks == nullptr || block_size <= 0 || block_size > gpu().max_threads_per_block)
          return cudaErrorInvalidValue;
        *blocks = 0;
        if (shared_bytes > dynamic_shared_limit(function)) return cudaSuccess;
        const int warps = (block_size + gpu().warp_size - 1) / gpu().warp_size;
        *blocks = std::min(gpu().max_blocks_per_multiprocessor,
                           gpu().max_threads_per_multiprocessor / (warps * gpu().warp_size));
        if (shared_bytes > 0) {
          *blocks = std::min(*blocks, static_cast<int>(gpu().shared_bytes_per_multiprocessor / shared_bytes));
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
  return api("cudaOccupancyAvailableDynamicSMemPerBlock", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0 || block_size > gpu().max_threads_per_block) {
      return cudaErrorInvalidValue;
    }
    *bytes = std::min(gpu().shared_bytes_per_multiprocessor / static_cast<std::size_t>(blocks),
                      dynamic_shared_limit(function));
    return cudaSuccess;
  });
}

}  // extern "C"

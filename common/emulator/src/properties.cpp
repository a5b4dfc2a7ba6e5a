#include "properties.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <string>

// Sources as in profile.hpp. [deviceQuery] does not print the texture and surface limits that have no source
// here: they are those that [guide] gives.

namespace lab::emulator {
namespace {

template <std::size_t Size>
void set(int (&member)[Size], const int (&limits)[Size]) {
  std::copy(std::begin(limits), std::end(limits), member);
}

void describe_processor(cudaDeviceProp& prop, const device_profile& profile) {
  std::strncpy(prop.name, profile.name, sizeof prop.name - 1);
  const std::string uuid = std::string("emulated ") + profile.short_name;
  std::memcpy(prop.uuid.bytes, uuid.data(), std::min(uuid.size(), sizeof prop.uuid.bytes));
  prop.major = profile.compute_major;
  prop.minor = profile.compute_minor;
  prop.multiProcessorCount = profile.multiprocessors;
  prop.warpSize = profile.warp_size;
  prop.maxThreadsPerBlock = profile.max_threads_per_block;
  prop.maxThreadsPerMultiProcessor = profile.max_threads_per_multiprocessor;
  prop.maxBlocksPerMultiProcessor = profile.max_blocks_per_multiprocessor;
  prop.regsPerBlock = profile.registers_per_block;
  prop.regsPerMultiprocessor = profile.registers_per_multiprocessor;
  set(prop.maxThreadsDim, {1024, 1024, 64});       // [deviceQuery]
  set(prop.maxGridSize, {INT_MAX, 65535, 65535});  // [deviceQuery]
  prop.concurrentKernels = 1;                      // [deviceQuery]
  prop.asyncEngineCount = profile.copy_engines;
  prop.computePreemptionSupported = 1;  // [deviceQuery]
  prop.pciDeviceID = 4;                 // [deviceQuery] 0 / 0 / 4
  prop.gpuPciDeviceID = profile.pci_device;
}

void describe_memory(cudaDeviceProp& prop, const device_profile& profile) {
  prop.totalGlobalMem = profile.global_bytes;
  prop.totalConstMem = profile.constant_bytes;
  prop.sharedMemPerBlock = profile.shared_bytes_per_block;
  prop.sharedMemPerBlockOptin = profile.shared_bytes_per_block_opt_in;
  prop.sharedMemPerMultiprocessor = profile.shared_bytes_per_multiprocessor;
  prop.reservedSharedMemPerBlock = profile.shared_bytes_reserved;
  prop.memPitch = INT_MAX;  // [deviceQuery]
  prop.l2CacheSize = static_cast<int>(profile.l2_bytes);
  prop.memoryBusWidth = profile.memory_bus_bits;
  prop.ECCEnabled = 1;  // [deviceQuery]
  prop.globalL1CacheSupported = 1;
  prop.localL1CacheSupported = 1;
  prop.unifiedAddressing = 1;  // [deviceQuery]
  prop.canMapHostMemory = 1;   // [deviceQuery]
  prop.hostRegisterSupported = 1;
  prop.canUseHostPointerForRegisteredMem = 1;
  prop.memoryPoolsSupported = 1;
  // Not emulated, though a T4 has them: streamPrioritiesSupported, managedMemory, concurrentManagedAccess,
  // cooperativeLaunch, ipcEventSupported. They stay 0.
}

// For programs that print them: textures and surfaces are not emulated.
void describe_textures(cudaDeviceProp& prop, const device_profile& profile) {
  prop.textureAlignment = profile.pitch_alignment;  // [deviceQuery] 512
  prop.texturePitchAlignment = 32;
  prop.surfaceAlignment = 512;
  prop.maxTexture1D = prop.maxSurface1D = 131072;  // [deviceQuery]
  prop.maxTexture1DMipmap = prop.maxTextureCubemap = prop.maxSurfaceCubemap = 32768;
  set(prop.maxTexture2D, {131072, 65536});  // [deviceQuery]
  set(prop.maxTexture2DMipmap, {32768, 32768});
  set(prop.maxTexture2DLinear, {131072, 65000, 2097120});
  set(prop.maxTexture2DGather, {32768, 32768});
  set(prop.maxTexture3D, {16384, 16384, 16384});  // [deviceQuery]
  set(prop.maxTexture3DAlt, {8192, 8192, 32768});
  set(prop.maxTexture1DLayered, {32768, 2048});         // [deviceQuery]
  set(prop.maxTexture2DLayered, {32768, 32768, 2048});  // [deviceQuery]
  set(prop.maxTextureCubemapLayered, {32768, 2046});
  set(prop.maxSurface2D, {131072, 65536});
  set(prop.maxSurface3D, {16384, 16384, 16384});
  set(prop.maxSurface1DLayered, {32768, 2048});
  set(prop.maxSurface2DLayered, {32768, 32768, 2048});
  set(prop.maxSurfaceCubemapLayered, {32768, 2046});
}

using prop_reference = const cudaDeviceProp&;

struct attribute_row {
  cudaDeviceAttr which;
  int (*value)(prop_reference prop);
};

#define LAB_ROW(attribute, member)                                               \
  {                                                                              \
    attribute, [](prop_reference prop) { return static_cast<int>(prop.member); } \
  }

constexpr attribute_row attribute_rows[] = {
    LAB_ROW(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    LAB_ROW(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    LAB_ROW(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    LAB_ROW(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    LAB_ROW(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    LAB_ROW(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    LAB_ROW(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    LAB_ROW(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    LAB_ROW(cudaDevAttrTotalConstantMemory, totalConstMem),
    LAB_ROW(cudaDevAttrWarpSize, warpSize),
    LAB_ROW(cudaDevAttrMaxPitch, memPitch),
    LAB_ROW(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    LAB_ROW(cudaDevAttrTextureAlignment, textureAlignment),
    LAB_ROW(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    LAB_ROW(cudaDevAttrIntegrated, integrated),
    LAB_ROW(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    LAB_ROW(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    LAB_ROW(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    LAB_ROW(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    LAB_ROW(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    LAB_ROW(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    LAB_ROW(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    LAB_ROW(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    LAB_ROW(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    LAB_ROW(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    LAB_ROW(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    LAB_ROW(cudaDevAttrConcurrentKernels, concurrentKernels),
    LAB_ROW(cudaDevAttrEccEnabled, ECCEnabled),
    LAB_ROW(cudaDevAttrPciBusId, pciBusID),
    LAB_ROW(cudaDevAttrPciDeviceId, pciDeviceID),
    LAB_ROW(cudaDevAttrTccDriver, tccDriver),
    LAB_ROW(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    LAB_ROW(cudaDevAttrL2CacheSize, l2CacheSize),
    LAB_ROW(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    LAB_ROW(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    LAB_ROW(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    LAB_ROW(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    LAB_ROW(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    LAB_ROW(cudaDevAttrMaxTexture2DGatherWidth, maxTexture2DGather[0]),
    LAB_ROW(cudaDevAttrMaxTexture2DGatherHeight, maxTexture2DGather[1]),
    LAB_ROW(cudaDevAttrMaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    LAB_ROW(cudaDevAttrMaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    LAB_ROW(cudaDevAttrMaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    LAB_ROW(cudaDevAttrPciDomainId, pciDomainID),
    LAB_ROW(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    LAB_ROW(cudaDevAttrMaxTextureCubemapWidth, maxTextureCubemap),
    LAB_ROW(cudaDevAttrMaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    LAB_ROW(cudaDevAttrMaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    LAB_ROW(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    LAB_ROW(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    LAB_ROW(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    LAB_ROW(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    LAB_ROW(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    LAB_ROW(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    LAB_ROW(cudaDevAttrMaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    LAB_ROW(cudaDevAttrMaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    LAB_ROW(cudaDevAttrMaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    LAB_ROW(cudaDevAttrMaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    LAB_ROW(cudaDevAttrMaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    LAB_ROW(cudaDevAttrMaxSurfaceCubemapWidth, maxSurfaceCubemap),
    LAB_ROW(cudaDevAttrMaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    LAB_ROW(cudaDevAttrMaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
    LAB_ROW(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    LAB_ROW(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    LAB_ROW(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    LAB_ROW(cudaDevAttrMaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    LAB_ROW(cudaDevAttrMaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    LAB_ROW(cudaDevAttrComputeCapabilityMajor, major),
    LAB_ROW(cudaDevAttrComputeCapabilityMinor, minor),
    LAB_ROW(cudaDevAttrMaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    LAB_ROW(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    LAB_ROW(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    LAB_ROW(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    LAB_ROW(cudaDevAttrMaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    LAB_ROW(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    LAB_ROW(cudaDevAttrManagedMemory, managedMemory),
    LAB_ROW(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    LAB_ROW(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    LAB_ROW(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    LAB_ROW(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    LAB_ROW(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    LAB_ROW(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    LAB_ROW(cudaDevAttrCanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    LAB_ROW(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    LAB_ROW(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    LAB_ROW(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    LAB_ROW(cudaDevAttrPageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    LAB_ROW(cudaDevAttrDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    LAB_ROW(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    LAB_ROW(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    LAB_ROW(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    LAB_ROW(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    LAB_ROW(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    LAB_ROW(cudaDevAttrHostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    LAB_ROW(cudaDevAttrTimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    LAB_ROW(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    LAB_ROW(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    LAB_ROW(cudaDevAttrGPUDirectRDMAFlushWritesOptions, gpuDirectRDMAFlushWritesOptions),
    LAB_ROW(cudaDevAttrGPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    LAB_ROW(cudaDevAttrMemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    LAB_ROW(cudaDevAttrClusterLaunch, clusterLaunch),
    LAB_ROW(cudaDevAttrDeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    LAB_ROW(cudaDevAttrIpcEventSupport, ipcEventSupported),
    LAB_ROW(cudaDevAttrNumaConfig, deviceNumaConfig),
    LAB_ROW(cudaDevAttrNumaId, deviceNumaId),
    LAB_ROW(cudaDevAttrMpsEnabled, mpsEnabled),
    LAB_ROW(cudaDevAttrHostNumaId, hostNumaId),
    LAB_ROW(cudaDevAttrGpuPciDeviceId, gpuPciDeviceID),
    LAB_ROW(cudaDevAttrGpuPciSubsystemId, gpuPciSubsystemID),
    LAB_ROW(cudaDevAttrHostNumaMultinodeIpcSupported, hostNumaMultinodeIpcSupported),
};
#undef LAB_ROW

// Attributes that no property repeats.
std::optional<int> attribute_alone(const device_profile& profile, cudaDeviceAttr which) {
  switch (which) {
    case cudaDevAttrClockRate:
      return static_cast<int>(profile.core_clock_khz);
    case cudaDevAttrMemoryClockRate:
      return static_cast<int>(profile.memory_clock_khz);
    case cudaDevAttrGpuOverlap:
      return profile.copy_engines > 0;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return static_cast<int>((profile.fp32_flop_per_us + profile.fp64_flop_per_us / 2) /
                              profile.fp64_flop_per_us);
    case cudaDevAttrMaxTexture1DLinearWidth:
      return 1 << 28;  // [guide]
    case cudaDevAttrMemSyncDomainCount:
      return 1;
    case cudaDevAttrKernelExecTimeout:  // [deviceQuery] no limit
    case cudaDevAttrComputeMode:        // [deviceQuery] cudaComputeModeDefault
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrD3D12CigSupported:
    case cudaDevAttrVulkanCigSupported:
    case cudaDevAttrHostNumaMemoryPoolsSupported:
    case cudaDevAttrHostMemoryPoolsSupported:
    case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

cudaDeviceProp properties(const device_profile& profile) {
  cudaDeviceProp prop{};
  describe_processor(prop, profile);
  describe_memory(prop, profile);
  describe_textures(prop, profile);
  prop.hostNumaId = -1;
  prop.deviceNumaId = -1;
  return prop;
}

std::optional<int> attribute(const device_profile& profile, cudaDeviceAttr which) {
  for (const attribute_row& row : attribute_rows)
    if (row.which == which) return row.value(properties(profile));
  return attribute_alone(profile, which);
}

}  // namespace lab::emulator

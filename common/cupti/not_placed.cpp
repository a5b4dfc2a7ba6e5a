#include "not_placed.hpp"

namespace lab::cupti {
namespace {

struct family {
  std::string_view beginning;  ///< of the functions' names
  std::string_view lack;
};

// New members of a family come with new versions of CUDA. Of two that fit, the first counts.
constexpr family families[] = {
    {"cudaStreamAddCallback", "runs a function that is not recorded; cudaLaunchHostFunc is"},
    {"cudaMemPrefetch", "moves managed memory, which is not recorded"},
    {"cudaMemDiscard", "changes managed memory, which is not recorded"},
    {"cudaStreamAttachMemAsync", "orders the uses of managed memory, which are not recorded"},
    {"cudaMallocArray", "gives an array, whose uses are not recorded"},
    {"cudaMalloc3DArray", "gives an array, whose uses are not recorded"},
    {"cudaMallocMipmappedArray", "gives an array, whose uses are not recorded"},
    {"cudaMalloc", "gives memory that is not recorded"},
    {"cudaMemcpy", "copies memory that is not recorded"},
    {"cudaMemset", "sets memory that is not recorded"},
    {"cudaCreateTextureObject", "makes a texture, and what kernels read by textures is not recorded"},
    {"cudaBindTexture", "makes a texture, and what kernels read by textures is not recorded"},
    {"cudaCreateSurfaceObject", "makes a surface, and what kernels use by surfaces is not recorded"},
    {"cudaLaunch", "launches work that is not recorded"},
    {"cudaExecutionCtx", "uses an execution context, whose work is not recorded"},
    {"cudaIpcOpen", "uses another process's work, which is not recorded"},
    {"cudaImportExternal", "uses another library's work, which is not recorded"},
    {"cudaGraphicsMap", "uses a graphics library's work, which is not recorded"},
};

}  // namespace

std::string_view what_is_not_placed(std::string_view function) {
  for (const auto& each : families) {
    if (function.substr(0, each.beginning.size()) == each.beginning) return each.lack;
  }
  return "";
}

}  // namespace lab::cupti

#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

/// The few functions of the driver that a schedule needs, of a GPU whose work takes no time: it is done when
/// somebody asks, up to the first wait in its stream that is not over.
namespace fake_driver {

using stream = std::uint64_t;

void submit(stream in, const char* work);
/// Work that never ends.
void submit_endless(stream in);
/// The names of what is done, in the order in which it was, each followed by a space.
const char* done();

void begin_capture(stream of);
void end_capture(stream of);
/// Whether somebody has done what no capture survives.
bool spoilt();

/// A graph, as cuGraphGetNodes and the like tell of it; a kernel's function is its mangled name.
struct node;
using graph = std::vector<node>;
struct node {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  CUDA_KERNEL_NODE_PARAMS kernel{};
  CUDA_MEMCPY3D copy{};
  CUDA_MEMSET_NODE_PARAMS set{};
  const graph* child = nullptr;
};

/// Above it CUDA knows all memory, below none.
constexpr CUdeviceptr device_memory = 0x7000000;

}  // namespace fake_driver

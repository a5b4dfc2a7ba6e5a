#pragma once

#include <cuda.h>

#include <string_view>
#include <vector>

#include "seen.hpp"

/// What the graphs that the program has instantiated do when they are launched. One thread at a time.
namespace lab::cupti::graphs {

/// Of all the nodes of a graph, and of the graphs in it.
struct content {
  std::vector<byte_range> touches;
  bool is_annotated = true;  ///< its kernels' own word says what they touch
  bool is_timed = false;     ///< there is work in it that the GPU tells times of
  std::string_view lack;     ///< what of it cannot be recorded, in words behind "cudaGraphLaunch"
};

/// Asks the driver, of the graph as it is now: nothing that is done to it later changes what was
/// instantiated.
void instantiated(address executable, CUgraph from);

/// It does now what the other graph does, but for nodes that are disabled, which stay so.
void updated(address executable, CUgraph by);

/// The program has changed nodes of it where they are.
void changed(address executable);

void destroyed(address executable);

const content& of(address executable);

}  // namespace lab::cupti::graphs

#include "graphs.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "driver.hpp"
#include "driver_launch.hpp"

namespace lab::cupti::graphs {
namespace {

/// Since CUDA 12.0; the names of kernels since 12.3.
struct driver_functions {
  driver_functions() {
    find_in_driver(nodes, "cuGraphGetNodes");
    find_in_driver(type, "cuGraphNodeGetType");
    find_in_driver(kernel, "cuGraphKernelNodeGetParams_v2");
    find_in_driver(copy, "cuGraphMemcpyNodeGetParams");
    find_in_driver(set, "cuGraphMemsetNodeGetParams");
    find_in_driver(child, "cuGraphChildGraphNodeGetGraph");
    find_in_driver(pointer, "cuPointerGetAttribute");
    find_in_driver(function_name, "cuFuncGetName");
    find_in_driver(kernel_name, "cuKernelGetName");
  }
  bool are_all_there() const {
    return nodes != nullptr && type != nullptr && kernel != nullptr && copy != nullptr && set != nullptr &&
           child != nullptr && pointer != nullptr;
  }

  CUresult (*nodes)(CUgraph, CUgraphNode*, std::size_t*) = nullptr;
  CUresult (*type)(CUgraphNode, CUgraphNodeType*) = nullptr;
  CUresult (*kernel)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*copy)(CUgraphNode, CUDA_MEMCPY3D*) = nullptr;
  CUresult (*set)(CUgraphNode, CUDA_MEMSET_NODE_PARAMS*) = nullptr;
  CUresult (*child)(CUgraphNode, CUgraph*) = nullptr;
  CUresult (*pointer)(void*, CUpointer_attribute, CUdeviceptr) = nullptr;
  CUresult (*function_name)(const char**, CUfunction) = nullptr;
  CUresult (*kernel_name)(const char**, CUkernel) = nullptr;
};

const driver_functions& driver() {
  static const driver_functions& functions = *new driver_functions;
  return functions;
}

bool is_less(const byte_range& a, const byte_range& b) {
  const auto key = [](const byte_range& each) {
    return std::tie(each.begin, each.bytes, each.write, each.assumed, each.atomic, each.on_host);
  };
  return key(a) < key(b);
}

bool is_on_host(CUmemorytype said, address place) {
  if (said != CU_MEMORYTYPE_UNIFIED) return said == CU_MEMORYTYPE_HOST;
  CUmemorytype found = CU_MEMORYTYPE_HOST;
  const auto result = driver().pointer(&found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, place);
  return result != CUDA_SUCCESS || found == CU_MEMORYTYPE_HOST;  // of ordinary memory CUDA knows nothing
}

class reading {
 public:
  content all_of(CUgraph graph) {
    if (driver().are_all_there()) {
      add(graph);
    } else {
      lacks("launches a graph, and this driver does not tell what is in it");
    }
    auto& touches = made_.touches;
    std::sort(touches.begin(), touches.end(), &is_less);
    const auto same = [](const auto& a, const auto& b) { return !is_less(a, b) && !is_less(b, a); };
    touches.erase(std::unique(touches.begin(), touches.end(), same), touches.end());
    return std::move(made_);
  }

 private:
  void add(CUgraph graph) {
    std::size_t count = 0;
    if (driver().nodes(graph, nullptr, &count) != CUDA_SUCCESS) return does_not_tell();
    std::vector<CUgraphNode> nodes(count);
    if (count > 0 && driver().nodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return does_not_tell();
    for (const CUgraphNode node : nodes) add_node(node);
  }

  void add_node(CUgraphNode node) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    if (driver().type(node, &type) != CUDA_SUCCESS) return does_not_tell();
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return add_kernel(node);
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return add_copy(node);
      case CU_GRAPH_NODE_TYPE_MEMSET:
        return add_set(node);
      case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph child = nullptr;
        return driver().child(node, &child) == CUDA_SUCCESS ? add(child) : does_not_tell();
      }
      case CU_GRAPH_NODE_TYPE_EMPTY:
        return;
      case CU_GRAPH_NODE_TYPE_HOST:
        return lacks("launches a graph with a host function in it, which is not recorded");
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return lacks("launches a graph that waits for an event in it, which is not recorded");
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return lacks("launches a graph that records an event in it, which is not recorded");
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return lacks("launches a graph that allocates or frees memory in it, which is not recorded");
      case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return lacks("launches a graph that uses another library's work, which is not recorded");
      default:
        return lacks("launches a graph with a node in it of a kind that is not recorded");
    }
  }

  /// CUDA names a kernel in two ways, and there is a function for each.
  void add_kernel(CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS given{};
    if (driver().kernel(node, &given) != CUDA_SUCCESS) return does_not_tell();
    made_.is_timed = true;
    const char* name = nullptr;
    const auto handle = given.func != nullptr ? given.func : reinterpret_cast<CUfunction>(given.kern);
    const bool named =
        (driver().function_name != nullptr && driver().function_name(&name, handle) == CUDA_SUCCESS) ||
        (driver().kernel_name != nullptr &&
         driver().kernel_name(&name, reinterpret_cast<CUkernel>(handle)) == CUDA_SUCCESS);
    if (!named || name == nullptr || (given.kernelParams == nullptr && given.extra != nullptr))
      return lacks("launches a graph with a kernel in it whose name or arguments the driver does not tell");
    const kernel_signature& kernel = signature_of(name, handle);
    if (kernel.annotation == nullptr) made_.is_annotated = false;
    const auto used = memory_of_arguments(kernel, given.kernelParams);
    made_.touches.insert(made_.touches.end(), used.begin(), used.end());
  }

  void add_copy(CUgraphNode node) {
    CUDA_MEMCPY3D given{};
    if (driver().copy(node, &given) != CUDA_SUCCESS) return does_not_tell();
    made_.is_timed = true;
    if (given.srcMemoryType == CU_MEMORYTYPE_ARRAY || given.dstMemoryType == CU_MEMORYTYPE_ARRAY)
      return lacks("launches a graph that copies an array, whose uses are not recorded");
    const bool from_host = given.srcMemoryType == CU_MEMORYTYPE_HOST,
               to_host = given.dstMemoryType == CU_MEMORYTYPE_HOST;
    const address from = (from_host ? number(given.srcHost) : given.srcDevice) + given.srcXInBytes +
                         (given.srcZ * given.srcHeight + given.srcY) * given.srcPitch;
    const address to = (to_host ? number(given.dstHost) : given.dstDevice) + given.dstXInBytes +
                       (given.dstZ * given.dstHeight + given.dstY) * given.dstPitch;
    for (std::size_t layer = 0; layer < given.Depth; ++layer) {
      add_rows_of(given, from + layer * given.srcHeight * given.srcPitch, given.srcPitch, false,
                  is_on_host(given.srcMemoryType, from));
      add_rows_of(given, to + layer * given.dstHeight * given.dstPitch, given.dstPitch, true,
                  is_on_host(given.dstMemoryType, to));
    }
  }

  void add_rows_of(const CUDA_MEMCPY3D& copy, address first, std::uint64_t pitch, bool write, bool on_host) {
    const std::size_t known = made_.touches.size();
    add_rows(made_.touches, first, copy.Height == 1 ? copy.WidthInBytes : pitch, copy.WidthInBytes,
             copy.Height, write);
    for (auto each = made_.touches.begin() + static_cast<std::ptrdiff_t>(known); each != made_.touches.end();
         ++each)
      each->on_host = on_host;
  }

  void add_set(CUgraphNode node) {
    CUDA_MEMSET_NODE_PARAMS given{};
    if (driver().set(node, &given) != CUDA_SUCCESS) return does_not_tell();
    made_.is_timed = true;
    const std::uint64_t width = given.width * given.elementSize;
    add_rows(made_.touches, given.dst, given.height == 1 ? width : given.pitch, width, given.height, true);
  }

  void does_not_tell() { lacks("launches a graph, and the driver does not tell what is in it"); }
  void lacks(std::string_view what) {
    if (made_.lack.empty()) made_.lack = what;
  }

  content made_;
};

constexpr std::string_view has_changed =
    "launches a graph whose nodes were changed after it was made, which is not recorded";

content of_lack(std::string_view what) {
  content unknown;
  unknown.lack = what;
  return unknown;
}

/// Never destroyed: the last calls come when a program's own variables are gone.
std::unordered_map<address, content>& known() {
  static auto& instance = *new std::unordered_map<address, content>;
  return instance;
}

}  // namespace

void instantiated(address executable, CUgraph from) {
  known()[executable] = reading().all_of(from);
}

void updated(address executable, CUgraph by) {
  const auto found = known().find(executable);
  const bool may_have_disabled = found != known().end() && found->second.lack == has_changed;
  if (!may_have_disabled) instantiated(executable, by);
}

void changed(address executable) {
  known()[executable] = of_lack(has_changed);
}

void destroyed(address executable) {
  known().erase(executable);
}

const content& of(address executable) {
  static const content& unknown =
      *new content(of_lack("launches a graph that was made in a way that is not "
                           "recorded"));
  const auto found = known().find(executable);
  return found == known().end() ? unknown : found->second;
}

}  // namespace lab::cupti::graphs

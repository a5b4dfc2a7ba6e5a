#include "fake_driver.hpp"

#include <cuda.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

#undef cuStreamQuery
#undef cuMemHostGetDevicePointer
#undef cuGraphKernelNodeGetParams

namespace {

struct item {
  enum { work, wait, write, endless } what;
  std::string name;
  volatile std::uint32_t* flag = nullptr;
  std::uint32_t value = 0;
};

std::mutex lock;
std::map<fake_driver::stream, std::deque<item>> streams;
std::string all_done;
std::set<fake_driver::stream> captured;
bool is_spoilt = false;
thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/// Whether it was at its end.
bool do_one(std::deque<item>& queue) {
  if (queue.empty()) return false;
  const item& next = queue.front();
  if (next.what == item::endless) return false;
  if (next.what == item::wait && static_cast<std::int32_t>(*next.flag - next.value) < 0) return false;
  if (next.what == item::write) *next.flag = next.value;
  if (next.what == item::work) all_done += next.name + " ";
  queue.pop_front();
  return true;
}

void go_on() {
  for (bool any = true; any;) {
    any = false;
    for (auto& [stream, queue] : streams) any = do_one(queue) || any;
  }
}

void add(fake_driver::stream in, const item& next) {
  const std::lock_guard alone(lock);
  streams[in].push_back(next);
}

fake_driver::stream number(CUstream stream) {
  return reinterpret_cast<fake_driver::stream>(stream);
}
/// What a capture does not see is forbidden during one.
void does_what_no_capture_sees() {
  if (!captured.empty() && mode != CU_STREAM_CAPTURE_MODE_RELAXED) is_spoilt = true;
}
/// What is asked of a stream that is captured goes into its graph; not so a wait for memory and a question.
void needs_no_capture_of(CUstream stream) {
  if (captured.count(number(stream)) > 0) is_spoilt = true;
}
const fake_driver::node& of(CUgraphNode node) {
  return *reinterpret_cast<const fake_driver::node*>(node);
}
volatile std::uint32_t* pointer(CUdeviceptr address) {
  return reinterpret_cast<volatile std::uint32_t*>(address);
}

}  // namespace

namespace fake_driver {

void submit(stream in, const char* work) {
  add(in, {item::work, work});
}
void submit_endless(stream in) {
  add(in, {item::endless, ""});
}
const char* done() {
  static std::string copy;
  const std::lock_guard alone(lock);
  go_on();
  copy = all_done;
  return copy.c_str();
}

void begin_capture(stream of) {
  captured.insert(of);
}
void end_capture(stream of) {
  captured.erase(of);
}
bool spoilt() {
  return is_spoilt;
}

}  // namespace fake_driver

extern "C" {

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  if (number(stream) == 1 && !captured.empty()) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  *status =
      captured.count(number(stream)) > 0 ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* other) {
  std::swap(mode, *other);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  const auto& all = *reinterpret_cast<const fake_driver::graph*>(graph);
  for (std::size_t i = 0; nodes != nullptr && i < all.size(); ++i)
    nodes[i] = reinterpret_cast<CUgraphNode>(const_cast<fake_driver::node*>(&all[i]));
  *count = all.size();
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  *type = of(node).type;
  return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* given) {
  *given = of(node).kernel;
  return CUDA_SUCCESS;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* given) {
  *given = of(node).copy;
  return CUDA_SUCCESS;
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* given) {
  *given = of(node).set;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  *graph = reinterpret_cast<CUgraph>(const_cast<fake_driver::graph*>(of(node).child));
  return *graph == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = reinterpret_cast<const char*>(function);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute, CUdeviceptr place) {
  if (place < fake_driver::device_memory) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<CUmemorytype*>(data) = CU_MEMORYTYPE_DEVICE;
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  needs_no_capture_of(stream);
  if (number(stream) == 0xBAD) return CUDA_ERROR_NOT_SUPPORTED;
  add(number(stream), {item::wait, "", pointer(address), value});
  return CUDA_SUCCESS;
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  needs_no_capture_of(stream);
  add(number(stream), {item::write, "", pointer(address), value});
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  does_what_no_capture_sees();
  needs_no_capture_of(stream);
  const std::lock_guard alone(lock);
  go_on();
  return streams[number(stream)].empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(1);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  does_what_no_capture_sees();
  *memory = operator new(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

}  // extern "C"

#include "fake_driver.hpp"

#include <cuda.h>

#include <deque>
#include <map>
#include <mutex>
#include <string>

#undef cuStreamQuery
#undef cuMemHostGetDevicePointer

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

}  // namespace fake_driver

extern "C" {

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  if (number(stream) == 0xBAD) return CUDA_ERROR_NOT_SUPPORTED;
  add(number(stream), {item::wait, "", pointer(address), value});
  return CUDA_SUCCESS;
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  add(number(stream), {item::write, "", pointer(address), value});
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  const std::lock_guard alone(lock);
  go_on();
  return streams[number(stream)].empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(1);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = operator new(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

}  // extern "C"

#include <fmt/format.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "device.hpp"
#include "driver_types.h"
#include "grid.hpp"
#include "interpose/hooks.hpp"
#include "lab_cuda/hooks.h"
#include "lab_emulator/builtins.hpp"
#include "liveness.hpp"
#include "profile.hpp"

/// What kernels call: each function here runs on the fiber of the calling thread of the running grid.
namespace lab::emulator {

namespace {

/// nvcc does not let host code call these; a macro or template may still get it here.
grid& grid_of(const char* function) {
  if (running_grid == nullptr) {
    end_run(trace::finding_kind::not_emulated,
            fmt::format("host code called {}, which only device code can.", function).c_str());
  }
  return *running_grid;
}

/// Counts x first; `reader` is who wants to know.
unsigned thread_number(const char* reader) {
  grid_of(reader);
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

std::uintptr_t code(const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address);
}

}  // namespace

void* shared_variable(shared_site& site, std::size_t bytes, std::size_t alignment) {
  return grid_of("a __shared__ variable's function").shared_variable(&site, bytes, alignment);
}

void* dynamic_shared() {
  return grid_of("dynamic shared memory").dynamic_shared();
}

void atomic_access(volatile void* address, std::size_t bytes) {
  auto& grid = grid_of("an atomic function");
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  grid.count_atomic();
  spend_access();  // before, so that nobody else comes between this and the access itself
  kernel_atomic(place, bytes, code(__builtin_return_address(0)));
}

unsigned long long globaltimer() {
  return static_cast<unsigned long long>(grid_of("globaltimer").read_clock());
}

unsigned laneid() {
  return thread_number("laneid") % static_cast<unsigned>(gpu().warp_size);
}

unsigned warpid() {
  return thread_number("warpid") / static_cast<unsigned>(gpu().warp_size);
}

unsigned smid() {
  grid_of("smid");
  const auto block =
      blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  return static_cast<unsigned>(block % static_cast<unsigned>(gpu().multiprocessors));
}

long device_clock() {
  return static_cast<long>(clock64());
}

int device_printf(const char* format, std::va_list arguments) {
  runtime_section emulator;
  char text[4096];
  const int count = std::vsnprintf(text, sizeof text, format, arguments);
  if (count < 0) return -1;
  device::printed().append(text, std::min<std::size_t>(static_cast<std::size_t>(count), sizeof text - 1));
  return count;
}

void assertion_failed(const char* expression, const char* file, unsigned line, const char* function) {
  if (running_grid == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  const auto& b = blockIdx;
  const auto& t = threadIdx;
  executing = execution::runtime;
  // As CUDA prints it.
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
               line, function, b.x, b.y, b.z, t.x, t.y, t.z, expression);
  running_grid->fail(cudaErrorAssert,
                     fmt::format("assertion `{}` of kernel '{}' failed, in {}", expression,
                                 running_grid->name(), running_grid->where()),
                     code(__builtin_return_address(0)));
}

void not_emulated(const char* name, const char* sentence) {
  (void)name;
  end_run(trace::finding_kind::not_emulated, sentence);
}

void kernel_range_access(const void* address, std::size_t bytes, bool write, const void* caller) {
  kernel_access(reinterpret_cast<std::uintptr_t>(address), bytes, write, code(caller));
}

void kernel_called_host_function(const char* function) {
  runtime_section emulator;
  end_run(trace::finding_kind::not_emulated,
          fmt::format("kernel '{}' called the host function {}; device code cannot.", running_grid->name(),
                      function)
              .c_str());
}

}  // namespace lab::emulator

using namespace lab::emulator;

void __syncthreads() {
  grid_of("__syncthreads").barrier(0);
}

int __syncthreads_count(int predicate) {
  auto& grid = grid_of("__syncthreads_count");
  grid.barrier(predicate);
  return grid.barrier_count();
}

int __syncthreads_and(int predicate) {
  auto& grid = grid_of("__syncthreads_and");
  grid.barrier(predicate);
  return grid.barrier_count() == grid.barrier_threads() ? 1 : 0;
}

int __syncthreads_or(int predicate) {
  auto& grid = grid_of("__syncthreads_or");
  grid.barrier(predicate);
  return grid.barrier_count() > 0 ? 1 : 0;
}

// Memory is the same for everybody at once: a fence has nothing to wait for. One for the whole system stands
// before what a kernel tells the host.
void __threadfence() {}
void __threadfence_block() {}
void __threadfence_system() {
  auto& grid = grid_of("__threadfence_system");
  runtime_section emulator;
  kernel_fences(grid.accesses());
}

void __trap() {
  auto& grid = grid_of("__trap");
  executing = execution::runtime;
  grid.fail(cudaErrorLaunchFailure, fmt::format("kernel '{}' trapped, in {}", grid.name(), grid.where()),
            code(__builtin_return_address(0)));
}

long long clock64() {
  const time_ns time = grid_of("clock64").read_clock();
  // in two steps, so that hours of virtual time do not overflow
  return time / 1'000'000 * gpu().core_clock_khz + time % 1'000'000 * gpu().core_clock_khz / 1'000'000;
}

void __nanosleep(unsigned nanoseconds) {
  grid_of("__nanosleep").delay(nanoseconds);
}

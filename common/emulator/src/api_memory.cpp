#include <algorithm>
#include <trace/names.hpp>

#include "api.hpp"
#include "cuda_runtime_api.h"
#include "device_variables.hpp"
#include "host_memory.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "profile.hpp"
#include "program_image.hpp"
#include "schedule.hpp"

namespace trace = lab::trace;
using namespace lab::emulator;

namespace {

std::uintptr_t number(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// --- allocation
// ------------------------------------------------------------------------------------------------------

trace::id note(api_call& call, const allocation& memory) {
  const auto id = recorder::add_allocation(
      {memory.bytes, static_cast<std::uint32_t>(memory.kind), recorder::current_call(), 0, 0, {}, {}});
  call.record().allocation = id;
  return id;
}

cudaError_t allocate_device(api_call& call, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  auto* memory = memory::allocate(trace::memory_kind::device, bytes);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  memory->id = note(call, *memory);
  *pointer = reinterpret_cast<void*>(memory->begin);
  return cudaSuccess;
}

time_ns locking_cost(std::size_t bytes) {
  return static_cast<time_ns>(bytes >> 20) * gpu().pinned_ns_per_mib;
}

cudaError_t allocate_pinned(const char* name, void** pointer, std::size_t bytes, unsigned flags,
                            const void* caller) {
  return api(name, gpu().pinned_malloc_ns + locking_cost(bytes), caller, [&](api_call& call) {
    constexpr unsigned all_flags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (pointer == nullptr || (flags & ~all_flags) != 0) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    auto* memory = memory::allocate(trace::memory_kind::pinned, bytes);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    memory->flags = flags;
    memory->id = note(call, *memory);
    host_memory::watch(memory->begin, bytes);
    *pointer = reinterpret_cast<void*>(memory->begin);
    return cudaSuccess;
  });
}

/// Freeing waits for the whole device: all streams, non-blocking ones too. Not so for memory from the pool.
cudaError_t free_memory(api_call& call, void* pointer, trace::memory_kind kind, cudaError_t unknown) {
  auto* memory = memory::known_at(number(pointer));
  if (memory == nullptr || memory->kind != kind) return unknown;
  call.record().allocation = memory->id;
  recorder::allocation(memory->id).freed_by = recorder::current_call();
  cudaError_t status = cudaSuccess;
  if (memory->in_stream_order) {
    pool::free_now(*memory);
  } else {
    const auto pending =
        schedule::implicit_waits() ? device::everything_pending() : std::vector<operation_ref>();
    if (!pending.empty()) status = call.happen_to_wait_for(pending);
  }
  memory::release(memory);
  return status;
}

// --- copies
// ------------------------------------------------------------------------------------------------------------

enum class place { pageable, pinned, device };

/// Where [pointer, pointer + bytes) lies; nullopt where it runs past its allocation.
std::optional<place> place_of(const void* pointer, std::size_t bytes) {
  const auto address = number(pointer);
  if (auto* memory = memory::known_around(address)) {
    if (address + bytes > memory->end()) return std::nullopt;
    return memory->kind == trace::memory_kind::device ? place::device : place::pinned;
  }
  if (address >= device_window_begin && address < device_window_end) return std::nullopt;
  return in_program_image(address, bytes) ? place::device : place::pageable;
}

struct copy_request {
  void* to;
  const void* from;
  std::size_t row_bytes, rows, to_pitch, from_pitch;
  cudaMemcpyKind kind;

  std::size_t extent(std::size_t pitch) const { return pitch * (rows - 1) + row_bytes; }
};

struct copy_plan {
  std::unique_ptr<copy_work> work;
  place to, from;
};

std::int64_t rate(trace::copy_direction direction, bool pageable) {
  switch (direction) {
    case trace::copy_direction::host_to_device:
      return pageable ? gpu().pageable_h2d_bytes_per_us : gpu().pinned_h2d_bytes_per_us;
    case trace::copy_direction::device_to_host:
      return pageable ? gpu().pageable_d2h_bytes_per_us : gpu().pinned_d2h_bytes_per_us;
    case trace::copy_direction::host_to_host:
      return gpu().h2h_bytes_per_us;
    default:
      return gpu().d2d_bytes_per_us;
  }
}

cudaError_t plan_copy(const copy_request& request, copy_plan& plan) {
  if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (request.to == nullptr || request.from == nullptr) return cudaErrorInvalidValue;
  const auto to = place_of(request.to, request.extent(request.to_pitch));
  const auto from = place_of(request.from, request.extent(request.from_pitch));
  if (!to || !from) return cudaErrorInvalidValue;
  // A program's global variable is a symbol of the device only where the direction says so.
  const auto settle = [&](place found, const void* pointer, bool said_host) {
    const bool image = found == place::device && in_program_image(number(pointer), 1);
    return image && said_host ? place::pageable : found;
  };
  const bool to_host = request.kind == cudaMemcpyDeviceToHost || request.kind == cudaMemcpyHostToHost;
  const bool from_host = request.kind == cudaMemcpyHostToDevice || request.kind == cudaMemcpyHostToHost;
  const bool any = request.kind == cudaMemcpyDefault;
  plan.to = settle(*to, request.to, to_host || any);
  plan.from = settle(*from, request.from, from_host || any);
  const bool to_device = plan.to == place::device;
  const bool from_device = plan.from == place::device;
  if (!any && (to_device == to_host || from_device == from_host)) {
    return cudaErrorInvalidValue;
  }
  const auto direction =
      to_device
          ? (from_device ? trace::copy_direction::device_to_device : trace::copy_direction::host_to_device)
          : (from_device ? trace::copy_direction::device_to_host : trace::copy_direction::host_to_host);
  plan.work = std::make_unique<copy_work>();
  auto& work = *plan.work;
  work.to = static_cast<char*>(request.to);
  work.from = static_cast<const char*>(request.from);
  work.row_bytes = request.row_bytes;
  work.rows = request.rows;
  work.to_pitch = request.to_pitch;
  work.from_pitch = request.from_pitch;
  work.direction = direction;
  work.bytes_per_us = rate(direction, plan.to == place::pageable || plan.from == place::pageable);
  return cudaSuccess;
}

/// Takes the source as it is now, so that the program may change it as soon as the call returns.
void stage(copy_work& work) {
  work.staged.reserve(work.bytes());
  for (std::size_t row = 0; row < work.rows; ++row) {
    const char* begin = work.from + row * work.from_pitch;
    work.staged.insert(work.staged.end(), begin, begin + work.row_bytes);
  }
}

/// What the manual's "API synchronization behavior" says, and where it leaves room, what a GPU did or,
/// without implicit waits, the other way.
/// - to or from pageable memory: a small upload is staged and returns; everything else blocks;
/// - host to host: blocks;
/// - between device and device: returns, also from the call without "Async".
bool host_waits(const copy_plan& plan, bool async) {
  const auto direction = plan.work->direction;
  if (direction == trace::copy_direction::device_to_device) return false;
  if (direction == trace::copy_direction::host_to_host) return true;
  if (direction == trace::copy_direction::host_to_device && plan.from == place::pageable) {
    return schedule::implicit_waits() && (!async || plan.work->bytes() > gpu().pageable_staging_bytes);
  }
  return !async || (plan.to == place::pageable && schedule::implicit_waits());
}

/// Whether a copy that the host does not wait for takes its source at the call. Of the call with "Async"
/// nothing promises it.
bool is_staged(const copy_plan& plan, bool async) {
  return plan.work->direction == trace::copy_direction::host_to_device && plan.from == place::pageable &&
         (!async || schedule::implicit_waits());
}

/// The work uses the range, which lies `where`.
void note_access(const operation& work, std::uintptr_t address, std::size_t bytes, bool write, place where) {
  if (where == place::device) device_variables::around(address);
  host_memory::access_by(work, address, bytes, write);
}

/// What the copy reads and writes; where that is ordinary memory, host code is watched meanwhile.
void note_accesses(const operation& work, const copy_plan& plan) {
  const copy_work& copy = *work.copy;
  const auto note = [&](const void* pointer, std::size_t pitch, bool write, place where) {
    const bool whole = pitch == copy.row_bytes;
    const std::size_t bytes = whole ? copy.bytes() : copy.row_bytes;
    for (std::size_t row = 0; row < (whole ? 1 : copy.rows); ++row) {
      note_access(work, number(pointer) + row * pitch, bytes, write, where);
    }
    if (where == place::pageable) {
      host_memory::watch_for(work, number(pointer), pitch * (copy.rows - 1) + copy.row_bytes);
    }
  };
  note(copy.from, copy.from_pitch, false, plan.from);
  note(copy.to, copy.to_pitch, true, plan.to);
}

cudaError_t copy(const char* name, const copy_request& request, cudaStream_t stream, bool async,
                 const void* caller) {
  return api(name, gpu().copy_async_ns, caller, [&](api_call& call) {
    auto* state = call.stream(stream);
    if (state == nullptr) return call.error();
    if (request.row_bytes > request.to_pitch || request.row_bytes > request.from_pitch) {
      return cudaErrorInvalidPitchValue;
    }
    if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (request.row_bytes == 0 || request.rows == 0) return cudaSuccess;
    copy_plan plan;
    if (const auto status = plan_copy(request, plan); status != cudaSuccess) return status;
    const bool waits = host_waits(plan, async);
    if (!waits && is_staged(plan, async)) {
      const auto earlier =
          device::covered_by(*state);  // done before the call without "Async" takes its source
      if (!async && !earlier.empty()) call.wait_for(earlier);
      stage(*plan.work);
    }
    const auto direction = plan.work->direction;
    auto work = device::make(trace::operation_kind::copy, trace::copy_name(direction));
    auto& record = recorder::operation(work->id);
    record.direction = static_cast<std::uint8_t>(direction);
    record.bytes = plan.work->bytes();
    work->copy = std::move(plan.work);
    call.submit(*state, work);
    note_accesses(*work, plan);
    if (!waits) return cudaSuccess;
    const bool promised = !async || direction == trace::copy_direction::host_to_host;
    return promised ? call.wait_for({work}) : call.happen_to_wait_for({work});
  });
}

cudaError_t plain_copy(const char* name, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream, bool async, const void* caller) {
  return copy(name, {to, from, bytes, 1, bytes, bytes, kind}, stream, async, caller);
}

// --- sets
// ------------------------------------------------------------------------------------------------------------

cudaError_t set(const char* name, void* to, std::size_t pitch, int value, std::size_t row_bytes,
                std::size_t rows, cudaStream_t stream, bool async, const void* caller) {
  return api(name, gpu().copy_async_ns, caller, [&](api_call& call) {
    auto* state = call.stream(stream);
    if (state == nullptr) return call.error();
    if (row_bytes > pitch) return cudaErrorInvalidPitchValue;
    if (row_bytes == 0 || rows == 0) return cudaSuccess;
    const auto where = to == nullptr ? std::nullopt : place_of(to, pitch * (rows - 1) + row_bytes);
    if (!where || *where == place::pageable) return cudaErrorInvalidValue;
    auto work = device::make(trace::operation_kind::memset, "memset");
    recorder::operation(work->id).bytes = row_bytes * rows;
    work->set =
        std::make_unique<memset_work>(memset_work{static_cast<char*>(to), value, row_bytes, rows, pitch});
    call.submit(*state, work);
    for (std::size_t row = 0; row < rows; ++row) {
      note_access(*work, number(to) + row * pitch, row_bytes, true, *where);
    }
    return !async && *where == place::pinned ? call.wait_for({work}) : cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return api("cudaMalloc", gpu().malloc_ns, LAB_CALLER,
             [&](api_call& call) { return allocate_device(call, pointer, bytes); });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return api("cudaMallocPitch", gpu().malloc_ns, LAB_CALLER, [&](api_call& call) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    *pitch = (width + gpu().pitch_alignment - 1) / gpu().pitch_alignment * gpu().pitch_alignment;
    return allocate_device(call, pointer, *pitch * height);
  });
}

cudaError_t cudaFree(void* pointer) {
  return destroying_api("cudaFree", gpu().free_ns, LAB_CALLER, [&](api_call& call) {
    if (pointer == nullptr) return cudaSuccess;
    return free_memory(call, pointer, trace::memory_kind::device, cudaErrorInvalidValue);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_pinned("cudaMallocHost", pointer, bytes, cudaHostAllocDefault, LAB_CALLER);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate_pinned("cudaHostAlloc", pointer, bytes, flags, LAB_CALLER);
}

cudaError_t cudaFreeHost(void* pointer) {
  return destroying_api("cudaFreeHost", gpu().pinned_free_ns, LAB_CALLER, [&](api_call& call) {
    if (pointer == nullptr) return cudaSuccess;
    return free_memory(call, pointer, trace::memory_kind::pinned, cudaErrorInvalidValue);
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return api("cudaHostRegister", gpu().pinned_malloc_ns + locking_cost(bytes), LAB_CALLER,
             [&](api_call& call) {
               constexpr unsigned all_flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                              cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
               if (pointer == nullptr || bytes == 0 || (flags & ~all_flags) != 0)
                 return cudaErrorInvalidValue;
               if (number(pointer) >= device_window_begin && number(pointer) < device_window_end)
                 return cudaErrorInvalidValue;
               auto* memory = memory::adopt(pointer, bytes, flags);
               if (memory == nullptr) return cudaErrorHostMemoryAlreadyRegistered;
               memory->id = note(call, *memory);
               host_memory::watch(memory->begin, bytes);
               return cudaSuccess;
             });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api("cudaHostUnregister", gpu().pinned_free_ns, LAB_CALLER, [&](api_call& call) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return free_memory(call, pointer, trace::memory_kind::registered, cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api("cudaHostGetDevicePointer", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    auto* memory = memory::containing(number(host));
    if (device == nullptr || flags != 0 || memory == nullptr || memory->kind == trace::memory_kind::device) {
      return cudaErrorInvalidValue;
    }
    *device = host;  // unified addressing
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api("cudaHostGetFlags", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    auto* memory = memory::starting_at(number(host));
    if (flags == nullptr || memory == nullptr || memory->kind != trace::memory_kind::pinned)
      return cudaErrorInvalidValue;
    *flags = memory->flags | cudaHostAllocMapped;  // all pinned memory is mapped, in unified addressing
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return api("cudaMemGetInfo", gpu().properties_ns, LAB_CALLER, [&](api_call&) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = gpu().global_bytes;
    *free = gpu().global_bytes - gpu().context_bytes - memory::device_bytes_in_use() - pool::bytes_kept();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api("cudaPointerGetAttributes", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    const auto* memory = memory::known_around(number(pointer));
    if (memory == nullptr) return cudaSuccess;
    const bool device = memory->kind == trace::memory_kind::device;
    attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->hostPointer = device ? nullptr : const_cast<void*>(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return plain_copy("cudaMemcpy", to, from, bytes, kind, nullptr, false, LAB_CALLER);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return plain_copy("cudaMemcpyAsync", to, from, bytes, kind, stream, true, LAB_CALLER);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2D", {to, from, width, height, to_pitch, from_pitch, kind}, nullptr, false,
              LAB_CALLER);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy("cudaMemcpy2DAsync", {to, from, width, height, to_pitch, from_pitch, kind}, stream, true,
              LAB_CALLER);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return set("cudaMemset", to, bytes, value, bytes, 1, nullptr, false, LAB_CALLER);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return set("cudaMemsetAsync", to, bytes, value, bytes, 1, stream, true, LAB_CALLER);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return set("cudaMemset2D", to, pitch, value, width, height, nullptr, false, LAB_CALLER);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return set("cudaMemset2DAsync", to, pitch, value, width, height, stream, true, LAB_CALLER);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  char* to = const_cast<char*>(static_cast<const char*>(symbol)) + offset;
  return plain_copy("cudaMemcpyToSymbol", to, from, bytes, kind, nullptr, false, LAB_CALLER);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  char* to = const_cast<char*>(static_cast<const char*>(symbol)) + offset;
  return plain_copy("cudaMemcpyToSymbolAsync", to, from, bytes, kind, stream, true, LAB_CALLER);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  const char* from = static_cast<const char*>(symbol) + offset;
  return plain_copy("cudaMemcpyFromSymbol", to, from, bytes, kind, nullptr, false, LAB_CALLER);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  const char* from = static_cast<const char*>(symbol) + offset;
  return plain_copy("cudaMemcpyFromSymbolAsync", to, from, bytes, kind, stream, true, LAB_CALLER);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api("cudaGetSymbolAddress", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (pointer == nullptr || !in_program_image(number(symbol), 1)) return cudaErrorInvalidSymbol;
    *pointer = const_cast<void*>(symbol);
    return cudaSuccess;
  });
}

}  // extern "C"

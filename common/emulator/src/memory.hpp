#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "byte_set.hpp"
#include "trace/model.hpp"

/// The memory CUDA hands out: device memory and pinned host memory, at fixed addresses, poisoned, never zero.
namespace lab::emulator {

/// Fresh memory holds this word: a NaN as float and as double, a large negative number as int.
inline constexpr std::uint32_t poison_word = 0xFFFADE01;

struct allocation : std::enable_shared_from_this<allocation> {
  trace::id id = 0;
  trace::memory_kind kind = trace::memory_kind::device;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;            ///< of cudaHostAlloc or cudaHostRegister
  bool in_stream_order = false;  ///< from the memory pool
  bool being_freed = false;  ///< by cudaFreeAsync, once its stream comes to it: calls do not know it any more
  byte_set written;          ///< device memory only: what something has written since cudaMalloc

  /// Whether nothing is left that nobody has written.
  bool wholly_written() {
    written_to_ = written.first_missing(written_to_, bytes).value_or(bytes);
    return written_to_ == bytes;
  }
  void forget_written() {
    written = byte_set(bytes);
    written_to_ = 0;
  }

  std::uintptr_t end() const { return begin + bytes; }

 private:
  std::size_t written_to_ = 0;  // all before this offset has been written
};

namespace memory {

/// @return nullptr when the device, once `expected` bytes have been freed, or the machine has not that much
/// left.
allocation* allocate(trace::memory_kind kind, std::size_t bytes, std::size_t expected = 0);

/// What has been written to the memory so far is lost.
void poison(allocation& allocation);

/// Records host memory of the program's own as registered; nullptr when part of it already is.
allocation* adopt(void* address, std::size_t bytes, unsigned flags);

/// Poisons the memory and forgets it; what still points there is diagnosed. Kernels that have used it keep
/// the allocation.
void release(allocation* allocation);

/// The allocation in which `address` lies; nullptr if none.
allocation* containing(std::uintptr_t address);
/// The one that begins at `address`.
allocation* starting_at(std::uintptr_t address);
/// The same two for calls, which do not know what is being freed.
allocation* known_around(std::uintptr_t address);
allocation* known_at(std::uintptr_t address);
/// All that have not been released, by address.
std::vector<allocation*> living();
/// The nearest allocation before `address`, for messages.
const allocation* last_before(std::uintptr_t address);
const allocation* first_after(std::uintptr_t address);
/// Memory that has been freed: [begin, begin + bytes).
struct freed_memory {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  ///< 0: none
  trace::id id = 0;
  bool in_stream_order = false;
};
/// That in which `address` lay.
freed_memory freed_around(std::uintptr_t address);

std::size_t device_bytes_in_use();
std::size_t device_bytes_left();

/// Page protection on top of the access callbacks: host code that is not instrumented (a shared library)
/// cannot read small device memories either. The device's work opens the memory, the way back to host code
/// closes it. Only up to 16 MiB and a few thousand times, since it costs; both are counts, so a run repeats.
void open_device();
void close_device();

}  // namespace memory

}  // namespace lab::emulator

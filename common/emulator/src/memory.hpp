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

struct allocation {
  trace::id id = 0;
  trace::memory_kind kind = trace::memory_kind::device;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;  ///< of cudaHostAlloc or cudaHostRegister
  byte_set written;    ///< device memory only: what something has written since cudaMalloc

  /// Whether nothing is left that nobody has written.
  bool wholly_written() {
    written_to_ = written.first_missing(written_to_, bytes).value_or(bytes);
    return written_to_ == bytes;
  }

  std::uintptr_t end() const { return begin + bytes; }

 private:
  std::size_t written_to_ = 0;  // all before this offset has been written
};

namespace memory {

/// @return nullptr when the device (or the machine) has not that much left.
allocation* allocate(trace::memory_kind kind, std::size_t bytes);

/// Records host memory of the program's own as registered; nullptr when part of it already is.
allocation* adopt(void* address, std::size_t bytes, unsigned flags);

/// Poisons the memory and forgets it; what still points there is diagnosed.
void release(allocation* allocation);

/// The allocation in which `address` lies; nullptr if none.
allocation* containing(std::uintptr_t address);
/// The one that begins at `address`.
allocation* starting_at(std::uintptr_t address);
/// All that have not been released, by address.
std::vector<allocation*> living();
/// The nearest allocation before `address`, for messages.
const allocation* last_before(std::uintptr_t address);
const allocation* first_after(std::uintptr_t address);
/// Whether `address` lay in memory that has been freed.
bool was_freed(std::uintptr_t address);

std::size_t device_bytes_in_use();

/// Page protection on top of the access callbacks: host code that is not instrumented (a shared library)
/// cannot read small device memories either. The device's work opens the memory, the way back to host code
/// closes it. Only up to 16 MiB and a few thousand times, since it costs; both are counts, so a run repeats.
void open_device();
void close_device();

}  // namespace memory

}  // namespace lab::emulator

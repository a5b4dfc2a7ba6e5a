#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "byte_set.hpp"
#include "flags.hpp"
#include "memory.hpp"

/// Every read and write of the program, as the compiler's instrumentation reports them.
///
/// Kernels: per call site one arithmetic run (first, stride, count), checked against the allocation it lies
/// in; closed runs go into the byte sets of the operation. Host code: counted (that is its cost), and kept
/// off device memory.
namespace lab::emulator {

class host_thread;

/// What one operation read and wrote of one allocation.
struct touched_bytes {
  std::shared_ptr<allocation> memory;
  byte_set read;
  byte_set written;
  byte_set atomic;  ///< what only atomic functions read and wrote, or volatile writes to pinned memory
  byte_set polled;  ///< volatile reads of pinned memory

  // The first read of device memory that nothing had written, if any.
  bool read_uninitialised = false;
  std::size_t uninitialised_offset = 0;
  std::uintptr_t uninitialised_code = 0;
};

/// All that an operation touched.
class access_record {
 public:
  touched_bytes& of(allocation& memory);
  std::deque<touched_bytes>& all() { return all_; }
  kernel_flags& flags() { return flags_; }
  const kernel_flags& flags() const { return flags_; }

 private:
  kernel_flags flags_;
  std::deque<touched_bytes> all_;  // references stay valid: call sites keep them
};

/// What the accesses of a slice of a kernel were.
struct access_counts {
  std::int64_t accesses = 0;
  std::int64_t device_bytes = 0;
  std::int64_t repeated_bytes = 0;  ///< the same address again and again: served by a cache
  std::int64_t mapped_accesses = 0;
  std::int64_t mapped_reads = 0;  ///< of these; nobody waits for a write to arrive
  std::int64_t mapped_bytes = 0;
  std::int64_t shared_bytes = 0;
};

inline constexpr std::int64_t most_slice_accesses = 16384;

/// Gives the callbacks to a slice of the running grid: after `accesses` of them the grid's slice is stopped.
void begin_slice(access_record& record, std::int64_t accesses);

/// The accesses of the slice so far go into the record.
void close_runs();

/// Ends the slice: all runs go into the record, the callbacks back to the host.
access_counts end_slice();

/// Accesses of the running slice so far.
std::int64_t slice_accesses();

/// One access of device code that no callback reports: a memcpy, ...
void kernel_access(std::uintptr_t address, std::size_t bytes, bool write, std::uintptr_t code);
/// ... an atomic function's read and write.
void kernel_atomic(std::uintptr_t address, std::size_t bytes, std::uintptr_t code);

/// ... a volatile one of pinned memory.
void kernel_flag(std::uintptr_t address, std::size_t bytes, bool write, std::uintptr_t code);

/// Counts it, and gives others their turn when the slice is used up.
void spend_access();

/// Moves the host thread's clock by its accesses and calls so far.
void charge_host_accesses(host_thread& thread);

/// Changes whenever anything is counted, on the host or in a kernel. For the watchdog.
std::int64_t progress();

/// Host accesses and calls of the whole run so far.
std::int64_t host_accesses_so_far();

}  // namespace lab::emulator

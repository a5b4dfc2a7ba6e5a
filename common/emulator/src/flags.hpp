#pragma once

#include <cstdint>
#include <map>

#include "trace/model.hpp"

/// Flags in pinned memory: how running kernels and the host tell each other something.
///
/// A flag is set and polled by volatile or atomic accesses. They never race with one another. What a kernel
/// did before a __threadfence_system() is told by its next such write, to the host thread that has read it
/// since; what the host did before its write is told to a kernel that has read it, from the kernel's next
/// __threadfence_system() on. Without the fence nothing is told: the device promises no order then.
///
/// Kernels are taken as one: a fence of one thread counts for all that the kernel has done so far.
namespace lab::emulator {

class access_record;

/// Of one kernel. In the trace it is a thread of its own from its first fence on.
struct kernel_flags {
  trace::id work = 0;
  int fences = 0;
  std::map<std::uintptr_t, std::uint64_t>
      polled;  ///< by flag: how often it had been set when it was read last

  int thread() const { return -static_cast<int>(work); }
};

/// The running kernel writes, or reads, a flag.
void kernel_sets_flag(access_record& record, std::uintptr_t address);
void kernel_polls_flag(access_record& record, std::uintptr_t address);

/// The running kernel executes __threadfence_system().
void kernel_fences(access_record& record);

/// The kernel has ended: the rest of its accesses. False where it is a piece of work like any other.
bool end_of_talking_kernel(access_record& record);

}  // namespace lab::emulator

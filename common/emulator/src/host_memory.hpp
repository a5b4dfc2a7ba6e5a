#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/model.hpp"

/// Host memory that work of the device reads or writes: what the work does to it, and what host code does
/// meanwhile (record_host_access). Both go into the trace, under one name for the memory.
namespace lab::emulator {

struct operation;
struct stream_state;

namespace host_memory {

/// From now on host accesses to the memory are recorded: it is pinned or registered, ...
void watch(std::uintptr_t address, std::size_t bytes);
/// ... or the work reads or writes it, though it is ordinary memory, until the host knows that the work is
/// done.
void watch_for(const operation& work, std::uintptr_t address, std::size_t bytes);
/// The host has waited for `work`, and so for all that was before it in its stream.
void waited_for(const operation& work);

/// The operation reads or writes the range, wherever it lies.
void access_by(const operation& work, std::uintptr_t address, std::size_t bytes, bool write);

/// The calling thread's accesses so far lie before what it does next: a CUDA call, an edge to another thread,
/// a turn of another thread.
void end_stretch();

// The edges of kernels that talk with the host, each as a thread of its own: as host_releases and
// host_acquires. What a kernel acquires it has read when the flag had been released `times`.
void kernel_releases(int thread, std::uintptr_t flag);
void kernel_acquires(int thread, std::uintptr_t flag, std::uint64_t times);
std::uint64_t times_released(std::uintptr_t flag);

}  // namespace host_memory

}  // namespace lab::emulator

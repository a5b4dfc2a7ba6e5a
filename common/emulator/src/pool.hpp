#pragma once

#include <cstdint>

#include "device.hpp"
#include "memory.hpp"

/// The device's memory pool: what cudaMallocAsync takes from and cudaFreeAsync gives back to. Calls keep the
/// accounts; the memory itself comes and goes when its stream gets there.
namespace lab::emulator::pool {

struct accounts {
  std::uint64_t used = 0, used_high = 0;          ///< allocated and not yet given to cudaFreeAsync
  std::uint64_t reserved = 0, reserved_high = 0;  ///< taken from the device
  std::uint64_t release_threshold = 0;            ///< what a wait of the host leaves to the pool
};
accounts& current();

/// nullptr where the device has not that much left. `behind` gets the frees that have to come first.
allocation* allocate(std::size_t bytes, std::vector<operation_ref>& behind);

/// The memory will be released when `work`, which is not yet submitted, is done.
void free_behind(allocation& memory, const operation_ref& work);

/// cudaFree has been given memory of the pool.
void free_now(const allocation& memory);

/// The host has waited for something: the pool gives back to the device what it holds beyond its threshold.
void host_waited();

/// Gives back all but `keep` bytes of what is not in use.
void trim(std::uint64_t keep);

/// What the pool holds though nothing of it is allocated.
std::uint64_t bytes_kept();

}  // namespace lab::emulator::pool

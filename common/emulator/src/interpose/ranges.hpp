#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/hooks.hpp"

namespace lab::emulator {

inline bool overlaps_device_window(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return begin < device_window_end && begin + bytes > device_window_begin && bytes > 0;
}

/// One range that a library function is about to read or write, judged for whoever runs; false: leave the
/// access out.
inline bool access_range(const void* address, std::size_t bytes, bool write, const char* function,
                         const void* caller) {
  if (executing == execution::kernel) {
    kernel_range_access(address, bytes, write, caller);
  } else if (executing == execution::host && overlaps_device_window(address, bytes)) {
    return host_range_access(address, bytes, write, function, caller);
  } else if (executing == execution::host && bytes > 0 &&
             watched_host_memory.overlaps(reinterpret_cast<std::uintptr_t>(address), bytes)) {
    record_host_access(address, bytes, write, false, caller);
  }
  return true;
}

inline bool may_read(const void* address, std::size_t bytes, const char* function, const void* caller) {
  return access_range(address, bytes, false, function, caller);
}

inline bool may_write(const void* address, std::size_t bytes, const char* function, const void* caller) {
  return access_range(address, bytes, true, function, caller);
}

/// Host code's clock moves for `bytes` of work; a kernel's accesses are charged where they are recorded.
inline void charge_host(std::size_t bytes) {
  if (executing == execution::host) charge_bytes(bytes);
}

}  // namespace lab::emulator

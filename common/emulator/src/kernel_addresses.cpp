#include "kernel_addresses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device.hpp"
#include "device_variables.hpp"
#include "driver_types.h"
#include "fiber.hpp"
#include "grid.hpp"
#include "interpose/hooks.hpp"
#include "program_image.hpp"

namespace lab::emulator {

namespace {

std::string verb(bool write, std::size_t bytes) {
  return fmt::format("{} {} byte{}", write ? "wrote" : "read", bytes, bytes == 1 ? "" : "s");
}

/// "8 bytes past the end of an allocation of 400 bytes": the nearest one; empty where none is near.
std::string nearest_allocation(std::uintptr_t address) {
  constexpr std::uintptr_t near = std::uintptr_t{1} << 30;
  const auto* before = memory::last_before(address);
  const auto* after = memory::first_after(address);
  const auto past = before == nullptr ? near : address - std::min(address, before->end());
  const auto short_of = after == nullptr ? near : after->begin - address;
  if (before != nullptr && address < before->end()) {
    return fmt::format("across the end of an allocation of {} bytes", before->bytes);
  }
  if (past <= short_of && past < near) {
    return fmt::format("at offset {} of an allocation of {} bytes", address - before->begin, before->bytes);
  }
  if (short_of < near)
    return fmt::format("at offset -{} of an allocation of {} bytes", short_of, after->bytes);
  return "";
}

std::string explain(std::uintptr_t address) {
  if (address < 4096) return "through a null pointer";
  if (memory::freed_around(address).bytes != 0) return "of memory that had been freed";
  if (running_grid->in_shared_gap(address)) return "past the end of the block's shared memory";
  const std::string nearest = nearest_allocation(address);
  if (!nearest.empty()) return nearest;
  if (address >= device_window_begin && address < device_window_end) return "where no device memory is";
  return "of host memory that the device cannot reach; pass a pointer from cudaMalloc, or pinned memory";
}

[[noreturn]] void illegal(std::uintptr_t address, std::size_t bytes, bool write, std::uintptr_t code) {
  if (const auto freed = memory::freed_around(address); freed.in_stream_order) {
    device::note_use_of_freed(freed, address - freed.begin, bytes, write);
  }
  running_grid->fail(cudaErrorIllegalAddress,
                     fmt::format("kernel '{}' {} {}, in {}", running_grid->name(), verb(write, bytes),
                                 explain(address), running_grid->where()),
                     code);
}

}  // namespace

address_range classify_kernel_access(std::uintptr_t address, std::size_t bytes, bool write,
                                     std::uintptr_t code) {
  const auto [stack_low, stack_high] = kernel_stack_around(address);
  if (stack_low != 0) return {stack_low, stack_high, address_space::local, nullptr};
  if (in_program_image(address, bytes)) {
    auto* variable = device_variables::around(address);
    if (variable != nullptr && address + bytes <= variable->end()) {
      return {variable->begin, variable->end(), address_space::local, variable};
    }
    return {address, address + bytes, address_space::local, nullptr};
  }
  if ((bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) && address % bytes != 0) {
    running_grid->fail(cudaErrorMisalignedAddress,
                       fmt::format("kernel '{}' {} at an address that is not a multiple of {}, in {}",
                                   running_grid->name(), verb(write, bytes), bytes, running_grid->where()),
                       code);
  }
  if (auto* owner = memory::containing(address)) {
    if (address + bytes > owner->end()) illegal(address, bytes, write, code);
    const auto space =
        owner->kind == trace::memory_kind::device ? address_space::device : address_space::mapped;
    return {owner->begin, owner->end(), space, owner};
  }
  if (running_grid->in_shared(address, bytes)) {
    const std::uintptr_t begin = running_grid->shared_begin();
    return {begin, begin + running_grid->shared_used(), address_space::shared, nullptr};
  }
  if (running_grid->in_arguments(address, bytes))
    return {address, address + bytes, address_space::local, nullptr};
  illegal(address, bytes, write, code);
}

}  // namespace lab::emulator

#include "pool.hpp"

#include <algorithm>
#include <deque>

#include "profile.hpp"

namespace lab::emulator::pool {

namespace {

struct pending_free {
  std::size_t bytes;
  std::weak_ptr<operation> work;
};

struct everything {
  accounts now;
  std::uint64_t being_freed = 0;
  std::deque<pending_free> pending;
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

std::uint64_t in_steps(std::uint64_t bytes) {
  const auto step = static_cast<std::uint64_t>(gpu().pool_granularity);
  return (bytes + step - 1) / step * step;
}

void forget_done() {
  auto& pending = all().pending;
  const auto done = [](const pending_free& each) {
    const auto work = each.work.lock();
    return work == nullptr || work->done;
  };
  pending.erase(std::remove_if(pending.begin(), pending.end(), done), pending.end());
}

}  // namespace

accounts& current() {
  return all().now;
}

allocation* allocate(std::size_t bytes, std::vector<operation_ref>& behind) {
  // Where the device is full, the memory is that of earlier frees, and so comes after them.
  std::size_t expected = 0;
  if (bytes > memory::device_bytes_left()) {
    forget_done();
    for (const auto& each : all().pending) {
      if (memory::device_bytes_left() + expected >= bytes) break;
      expected += each.bytes;
      behind.push_back(each.work.lock());
    }
  }
  auto* memory = memory::allocate(trace::memory_kind::device, bytes, expected);
  if (memory == nullptr) return nullptr;
  memory->in_stream_order = true;
  auto& now = all().now;
  now.used += bytes;
  now.used_high = std::max(now.used_high, now.used);
  now.reserved = std::max(now.reserved, in_steps(now.used));
  now.reserved_high = std::max(now.reserved_high, now.reserved);
  return memory;
}

void free_behind(allocation& memory, const operation_ref& work) {
  memory.being_freed = true;
  const std::size_t of_pool = memory.in_stream_order ? memory.bytes : 0;
  all().now.used -= of_pool;
  all().being_freed += of_pool;
  all().pending.push_back({memory.bytes, work});
  work->modelled = std::make_unique<modelled_work>(modelled_work{0, [gone = &memory, of_pool] {
                                                                   all().being_freed -= of_pool;
                                                                   memory::release(gone);
                                                                 }});
}

void free_now(const allocation& memory) {
  all().now.used -= memory.bytes;
}

void host_waited() {
  trim(all().now.release_threshold);
}

void trim(std::uint64_t keep) {
  auto& now = all().now;
  const std::uint64_t needed = in_steps(now.used + all().being_freed);
  now.reserved = std::max(needed, in_steps(std::min(now.reserved, keep)));
}

std::uint64_t bytes_kept() {
  const std::uint64_t allocated = all().now.used + all().being_freed;
  return all().now.reserved - std::min(all().now.reserved, allocated);
}

}  // namespace lab::emulator::pool

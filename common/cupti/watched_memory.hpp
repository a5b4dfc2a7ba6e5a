#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "seen.hpp"

namespace lab::cupti {

/// Host memory that work of the device may be using: what is pinned or registered, and ordinary memory of a
/// copy until the host has waited for the copy's stream. What host code does to it goes into the record.
///
/// Safe for several threads at once.
class watched_memory {
 public:
  /// Takes note of what a call that has returned means for host memory.
  void after(const seen_call& call);

  /// Nothing is watched any more.
  void forget();

  /// Whether the bytes may be watched; false for most memory, at the cost of two comparisons.
  bool may_hold(address begin, std::size_t bytes) const {
    const address low = low_.load(std::memory_order_relaxed);
    return begin < low + span_.load(std::memory_order_relaxed) && begin + bytes > low;
  }

  /// The watched stretch of memory that [begin, end) meets; or, where it meets none, the stretch without any
  /// that it lies in, which stays so as long as the generation does.
  struct surroundings {
    bool watched = false;
    address low = 0, high = 0;
  };
  surroundings around(address begin, address end) const;
  unsigned generation() const { return generation_.load(std::memory_order_relaxed); }

 private:
  struct range {
    address begin, end;
  };
  struct copys_range {
    range memory;
    address stream;
  };

  void watch(range added);
  void after_copy(const seen_call& copy);
  /// Ordinary memory, while work in the stream may use it.
  void watch_until_waited(range memory, address stream);
  bool is_of_cuda(range memory) const;

  mutable std::mutex lock_;
  std::map<address, address> of_cuda_;  // begin, end
  std::vector<copys_range> of_copies_;
  // All of it lies in here; only ever widened.
  std::atomic<address> low_{0};
  std::atomic<std::size_t> span_{0};
  std::atomic<unsigned> generation_{1};
};

}  // namespace lab::cupti

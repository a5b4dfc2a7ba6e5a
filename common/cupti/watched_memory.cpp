#include "watched_memory.hpp"

#include <algorithm>
#include <limits>

namespace lab::cupti {

void watched_memory::after(const seen_call& call) {
  const auto keep_copies_if = [&](auto still_watched) {
    const auto gone = [&](const copys_range& each) { return !still_watched(each); };
    of_copies_.erase(std::remove_if(of_copies_.begin(), of_copies_.end(), gone), of_copies_.end());
  };
  if (call.status != 0 || call.is_captured) return;
  const std::lock_guard held(lock_);
  switch (call.what) {
    case action::allocate_pinned:
    case action::allocate_managed:
    case action::register_memory:
      of_cuda_[call.memory] = call.memory + call.bytes;
      return watch({call.memory, call.memory + call.bytes});
    case action::free_memory:  // managed
    case action::free_pinned:
    case action::unregister_memory:
      of_cuda_.erase(call.memory);
      return;
    case action::copy:
      return after_copy(call);
    case action::launch_graph:
      for (const byte_range& used : call.touches) {
        if (used.on_host) watch_until_waited({used.begin, used.begin + used.bytes}, call.stream);
      }
      return;
    case action::synchronize_device:
      return of_copies_.clear();
    case action::synchronize_stream:
      return keep_copies_if([&](const copys_range& each) { return each.stream != call.stream; });
    default:
      return;
  }
}

void watched_memory::forget() {
  const std::lock_guard held(lock_);
  of_cuda_.clear();
  of_copies_.clear();
}

/// The calls without "Async" name no stream, and return when the host may use its memory again.
void watched_memory::after_copy(const seen_call& copy) {
  if (!copy.takes_stream) return;
  for (const bool written : {false, true}) {
    range memory{std::numeric_limits<address>::max(), 0};  // with what lies between its rows
    for (const auto& used : copy.touches) {
      if (used.write != written || !is_on_host(used, copy)) continue;
      memory = {std::min(memory.begin, used.begin), std::max(memory.end, used.begin + used.bytes)};
    }
    if (memory.end != 0) watch_until_waited(memory, copy.stream);
  }
}

void watched_memory::watch_until_waited(range memory, address stream) {
  if (is_of_cuda(memory)) return;
  const auto holds_it = [&](const copys_range& each) {
    return each.stream == stream && each.memory.begin <= memory.begin && memory.end <= each.memory.end;
  };
  if (std::any_of(of_copies_.begin(), of_copies_.end(), holds_it)) return;
  of_copies_.push_back({memory, stream});
  watch(memory);
}

bool watched_memory::is_of_cuda(range memory) const {
  const auto after = of_cuda_.upper_bound(memory.begin);
  return after != of_cuda_.begin() && memory.begin < std::prev(after)->second;
}

/// A thread that asks at the same time sees the window before or after, or one that is wider.
void watched_memory::watch(range added) {
  const address low = low_, high = low + span_;
  const bool first = low == high;
  const address new_low = first ? added.begin : std::min(low, added.begin);
  span_ = (first ? added.end : std::max(high, added.end)) - new_low;
  low_ = new_low;
  ++generation_;
}

watched_memory::surroundings watched_memory::around(address begin, address end) const {
  const std::lock_guard held(lock_);
  surroundings free{false, 0, std::numeric_limits<address>::max()};
  surroundings found;
  const auto meets = [&](range known) {
    if (known.end <= begin) {
      free.low = std::max(free.low, known.end);
    } else if (end <= known.begin) {
      free.high = std::min(free.high, known.begin);
    } else {
      found = {true, std::min(begin, known.begin), std::max(end, known.end)};
      return true;
    }
    return false;
  };
  const auto after = of_cuda_.upper_bound(begin);
  if (after != of_cuda_.begin() && meets({std::prev(after)->first, std::prev(after)->second})) return found;
  if (after != of_cuda_.end() && meets({after->first, after->second})) return found;
  for (const auto& each : of_copies_) {
    if (meets(each.memory)) return found;
  }
  return free;
}

}  // namespace lab::cupti

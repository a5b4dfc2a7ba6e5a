#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace lab::trace {

/// One access of an instruction in host code.
struct host_touch {
  std::uintptr_t code = 0;         ///< the instruction
  std::uintptr_t called_from = 0;  ///< its function
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  bool write = false;
  bool atomic = false;
};

/// What host code reads and writes, while it comes: each instruction's accesses as runs with a stride, which
/// end where the pattern does, or the stretch between two things that others may notice.
///
/// Needs neither construction nor destruction, so that each thread can have one at any time.
///
/// @tparam Place what the device has to say of where an access lies: within [`low`, `high`) others may be one
/// run with it
template <class Place>
class host_access_runs {
 public:
  /// @param meet called where the access begins a run: its Place; an empty one where it is of no interest
  /// @param out is told the ranges of the run that ends by this, as end_stretch tells them
  template <class Meet, class Out>
  void add(const host_touch& touch, Meet meet, Out out) {
    run& r = runs_[(touch.code * 0x9E3779B97F4A7C15u) >> (64 - run_bits)];
    const host_touch& first = r.first;
    const bool same = r.count > 0 && first.code == touch.code && first.called_from == touch.called_from &&
                      first.bytes == touch.bytes && first.write == touch.write &&
                      touch.address >= r.where.low && touch.address + touch.bytes <= r.where.high;
    if (same && touch.address == r.next) {
      r.next += static_cast<std::uintptr_t>(r.stride);
      ++r.count;
    } else if (same && r.count == 1) {
      r.stride = static_cast<std::intptr_t>(touch.address - first.address);
      r.next = touch.address + static_cast<std::uintptr_t>(r.stride);
      r.count = 2;
    } else {
      const Place where = meet();
      if (where.low == where.high) return;
      if (r.count == 0) open_[open_count_++] = &r;
      close(r, out);
      r = {touch, touch.address + touch.bytes, static_cast<std::intptr_t>(touch.bytes), 1, where};
    }
  }

  /// Everything so far lies before what the thread does next.
  /// @param out (Place, touch, begin, end): an access, or many that are one to the record, within [begin,
  /// end)
  template <class Out>
  void end_stretch(Out out) {
    for (std::size_t i = 0; i < open_count_; ++i) close(*open_[i], out);
    open_count_ = 0;
  }

 private:
  struct run {
    host_touch first;
    std::uintptr_t next = 0;
    std::intptr_t stride = 0;
    std::int64_t count = 0;
    Place where;
  };

  template <class Out>
  static void close(run& r, Out out) {
    constexpr std::int64_t most_elements = 1 << 18;  // with gaps between them; more are taken for one range
    if (r.count == 0) return;
    const std::uintptr_t first = r.first.address;
    const std::uintptr_t last = first + static_cast<std::uintptr_t>(r.stride * (r.count - 1));
    const auto gap = static_cast<std::size_t>(std::abs(r.stride)) > r.first.bytes;
    if (gap && r.count <= most_elements) {
      for (std::int64_t i = 0; i < r.count; ++i) {
        const std::uintptr_t at = first + static_cast<std::uintptr_t>(r.stride * i);
        out(r.where, r.first, at, at + r.first.bytes);
      }
    } else {
      out(r.where, r.first, std::min(first, last), std::max(first, last) + r.first.bytes);
    }
    r.count = 0;
  }

  static constexpr unsigned run_bits = 8;
  run runs_[1 << run_bits];  // by code; where two meet, the older run ends
  run* open_[1 << run_bits] = {};
  std::size_t open_count_ = 0;
};

}  // namespace lab::trace

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lab::emulator {

/// A set of byte offsets within one allocation, one bit each; an empty one takes no memory, a large one only
/// for what is touched.
class byte_set {
 public:
  byte_set() = default;
  explicit byte_set(std::size_t bytes);
  ~byte_set();
  byte_set(byte_set&& other) noexcept;
  byte_set& operator=(byte_set&& other) noexcept;

  void insert(std::size_t begin, std::size_t end);
  void insert(const byte_set& other);

  bool empty() const { return low_ >= high_; }

  /// The first offset in [begin, end) that is not in the set.
  std::optional<std::size_t> first_missing(std::size_t begin, std::size_t end) const;

  /// Calls `visit(begin, end)` for each maximal interval, in order, until it returns false.
  template <class Visit>
  void each_interval(Visit visit) const {
    std::size_t at = low_;
    while (at < high_) {
      at = find(at, true);
      if (at >= high_) return;
      const std::size_t end = find(at, false);
      if (!visit(at, end)) return;
      at = end;
    }
  }

 private:
  std::size_t find(std::size_t from,
                   bool value) const;  ///< first offset >= from whose bit is `value`, or high_

  void make_words();

  std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;  ///< of the words, in bytes
  std::size_t low_ = SIZE_MAX;
  std::size_t high_ = 0;
};

}  // namespace lab::emulator

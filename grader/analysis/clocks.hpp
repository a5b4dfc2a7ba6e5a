#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace lab::analysis {

/// Vector clocks that share what they have in common.
///
/// A clock says for each chain (a host thread, the work that one thread submits to one stream) up to which
/// position on it everything is known to be done. Clocks never change: an altered one is a new one that keeps
/// all but a path of the old one's tree. So thousands of chains cost a clock no more than its differences.
class clocks {
 public:
  using clock = std::uint32_t;  ///< of these clocks
  using chain = std::uint32_t;  ///< numbered from 0
  using position = std::uint32_t;

  static constexpr clock nothing = 0;  ///< the clock that knows nothing: position 0 on every chain

  explicit clocks(std::size_t chains);

  position known(clock of, chain on) const;

  /// The same, knowing `on` up to `to`. @pre `of` knows no more than that
  clock with(clock of, chain on, position to);

  /// What either knows.
  clock joined(clock a, clock b);

  /// What any of them knows, and `base`; joins neighbours first, so that each step meets few differences.
  clock joined(clock base, std::vector<clock> others);

 private:
  static constexpr unsigned bits = 3;  // of a chain's number, per level of the tree
  static constexpr std::size_t width = std::size_t{1} << bits;
  using node = std::array<std::uint32_t, width>;  // children, or positions at the bottom; 0: nothing below

  clock with(clock of, chain on, position to, unsigned level);
  clock joined(clock a, clock b, unsigned level);
  clock add(const node& fresh);

  std::deque<node> nodes_;
  unsigned levels_ = 1;
};

}  // namespace lab::analysis

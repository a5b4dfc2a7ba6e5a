#include "clocks.hpp"

#include <algorithm>

namespace lab::analysis {

clocks::clocks(std::size_t chains) {
  while (chains > std::size_t{1} << (bits * levels_)) ++levels_;
  nodes_.push_back({});
}

clocks::position clocks::known(clock of, chain on) const {
  std::uint32_t at = of;
  for (unsigned level = levels_; level > 0 && at != nothing; --level) {
    at = nodes_[at][on >> (bits * (level - 1)) & (width - 1)];
  }
  return at;
}

clocks::clock clocks::with(clock of, chain on, position to) {
  return with(of, on, to, levels_ - 1);
}

clocks::clock clocks::joined(clock a, clock b) {
  return joined(a, b, levels_ - 1);
}

clocks::clock clocks::joined(clock base, std::vector<clock> others) {
  while (others.size() > 1) {
    for (std::size_t i = 0; i < others.size(); i += 2) {
      others[i / 2] = i + 1 < others.size() ? joined(others[i], others[i + 1]) : others[i];
    }
    others.resize((others.size() + 1) / 2);
  }
  return others.empty() ? base : joined(base, others.front());
}

clocks::clock clocks::with(clock of, chain on, position to, unsigned level) {
  const std::size_t slot = on >> (bits * level) & (width - 1);
  node altered = nodes_[of];
  altered[slot] = level == 0 ? to : with(altered[slot], on, to, level - 1);
  return add(altered);
}

clocks::clock clocks::joined(clock a, clock b, unsigned level) {
  if (a == b || b == nothing) return a;
  if (a == nothing) return b;
  const node first = nodes_[a], second = nodes_[b];
  node both;
  for (std::size_t slot = 0; slot < width; ++slot) {
    both[slot] =
        level == 0 ? std::max(first[slot], second[slot]) : joined(first[slot], second[slot], level - 1);
  }
  if (both == first) return a;
  if (both == second) return b;
  return add(both);
}

clocks::clock clocks::add(const node& fresh) {
  nodes_.push_back(fresh);
  return static_cast<clock>(nodes_.size() - 1);
}

}  // namespace lab::analysis

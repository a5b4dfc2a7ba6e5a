#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lab::checks {

/// A source of inputs that differ from submission to submission and repeat with --seed. The key alone picks
/// the values: the same key gives the same ones in every check.
class fresh {
 public:
  explicit fresh(std::string_view key);
  double between(double lowest, double highest);
  std::int64_t integer(std::int64_t lowest, std::int64_t highest);  ///< both included
  std::vector<float> floats(std::size_t count, float lowest, float highest);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

}  // namespace lab::checks

#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "uninstrumented.hpp"

namespace benchmark {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What was measured in pairs, one right after the other, so that a busy machine slows down both.
struct paired {
  double first_ms, second_ms;  ///< medians
  double ratio;                ///< the median of first / second, pair by pair
};

template <class First, class Second>
paired measure_pairs(int count, First first, Second second) {
  std::vector<double> firsts, seconds, ratios;
  for (int i = -1; i < count; ++i) {
    const double start = cpu_ms();
    first();
    const double middle = cpu_ms();
    second();
    const double end = cpu_ms();
    if (i < 0) continue;  // the warm-up
    firsts.push_back(middle - start);
    seconds.push_back(end - middle);
    ratios.push_back((middle - start) / (end - middle));
  }
  return {median(firsts), median(seconds), median(ratios)};
}

}  // namespace benchmark

#pragma once

#include <trace/model.hpp>
#include <vector>

namespace lab::analysis {

/// What a clock said before a run of some work and behind it.
struct timed_run {
  trace::time_ns before = 0;
  trace::time_ns behind = 0;
};

/// Whether the number is a mean of several of these runs, one behind the other, with the first among them: by
/// clocks of their own or by one around all. Exact to the digits of a clock; what a mean without the first
/// explains about as well is none. Never where another run took longer than the first, which is then like the
/// others: a mean that leaves out the longest has it among its runs.
bool is_mean_with_the_first(const std::vector<timed_run>& runs, double ms);

}  // namespace lab::analysis

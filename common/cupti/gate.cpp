#include "gate.hpp"

#include <algorithm>

namespace lab::cupti {

gate::gate(const trace::held_work& held) : held_(held), longest_(std::clamp(held.longest, least, most)) {}

std::optional<gate::cause> gate::due(trace::time_ns now, trace::time_ns inside_since) const {
  if (!is_closed()) return {};
  if (now - closed_at_ >= longest_) return cause::its_time;
  const bool inside = inside_since != trace::unfinished;
  if (inside && !opener_came_ && now - std::max(inside_since, closed_at_) >= grace) return cause::host_waits;
  return {};
}

std::string gate::broken_by(cause why) const {
  const std::string held = "operation " + std::to_string(held_.operation);
  const std::string opener = "operation " + std::to_string(held_.until);
  if (held_.until == 0) {
    if (why != cause::its_time || held_.longest <= longest_) return "";
    return held + " was held back for two seconds, and nothing is for longer";
  }
  const std::string asked = held + " was to be held back until " + opener + " was done";
  switch (why) {
    case cause::its_time:
      return asked + ", which it was not after " + std::to_string(longest_ / 1'000'000) + " ms";
    case cause::host_waits:
      return asked + ", but the host waited before that was submitted";
    case cause::opener_waits_too:
      return asked + ", which itself waits for " + held;
    case cause::program_ends:
      return asked + ", but the program ended first";
  }
  return "";
}

}  // namespace lab::cupti

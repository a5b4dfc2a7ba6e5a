#include "witness.hpp"

#include <algorithm>

namespace lab::analysis {
namespace {

bool is_same_work(const recording& one, const recording& other, trace::id operation) {
  if (operation > other.run().operations.size()) return false;
  const work a = one.work_with_id(operation), b = other.work_with_id(operation);
  return a.raw().kind == b.raw().kind && a.raw().name == b.raw().name && a.where() == b.where();
}

// How long the device was in use. Whatever does not follow the work that is held back is done after that much
// more.
trace::time_ns length(const trace::run& run) {
  trace::time_ns end = 1;
  for (const auto& each : run.operations) end = std::max(end, each.end);
  for (const auto& each : run.calls) end = std::max(end, each.end);
  return end - (run.operations.empty() ? 0 : run.operations.front().submitted);
}

}  // namespace

std::optional<turn> turn_round(const recording& of, const hazard& found) {
  if (found.first.operation == 0) return {};
  const bool alike = found.first.name == found.second.name;
  const auto named = [&](const participant& side) {
    return side.name + (alike && !side.where.empty() ? " (" + side.where + ")" : "");
  };
  turn made{std::string(submission_order) + " hold " + std::to_string(found.first.operation),
            "with " + named(found.first) + " held back "};
  switch (found.second.kind) {
    case order::step_kind::work:
      made.schedule += " until " + std::to_string(found.second.operation);
      made.text += "until " + named(found.second) + " was done";
      break;
    case order::step_kind::host_access:
      made.text += "for as long as nothing waited for it";
      break;
    case order::step_kind::release:
      made.text += "beyond " + found.second.name + ", which need not wait";
      break;
  }
  // A program that asks is held for long: it may give up asking.
  constexpr trace::time_ns a_second = 1'000'000'000;
  const bool answered = found.edge.fault == edge_fault::answer_not_looked_at;
  made.schedule += " for " + std::to_string(answered ? a_second : length(of.run()));
  if (answered) return made;
  if (found.level != hazard_level::race) made.schedule += " no-implicit-waits";
  if (found.level == hazard_level::relies_on_luck) made.text += ", and no wait that nothing promises";
  return made;
}

bool was_turned_round(const recording& original, const recording& other, const hazard& found) {
  if (!is_same_work(original, other, found.first.operation)) return false;
  if (found.second.kind != order::step_kind::work) return true;  // nothing tells of hosts and work alike
  if (!is_same_work(original, other, found.second.operation)) return false;
  const trace::operation& first = other.work_with_id(found.first.operation).raw();
  const trace::operation& second = other.work_with_id(found.second.operation).raw();
  const bool second_is_done = second.end != trace::unfinished;
  return second_is_done && (first.begin == trace::unfinished || first.begin >= second.end);
}

}  // namespace lab::analysis

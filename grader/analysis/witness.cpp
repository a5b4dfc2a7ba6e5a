#include "witness.hpp"

#include <algorithm>

namespace lab::analysis {
namespace {

bool is_same_work(const recording& one, const recording& other, trace::id operation) {
  if (operation > other.run().operations.size()) return false;
  const work a = one.work_with_id(operation), b = other.work_with_id(operation);
  return a.raw().kind == b.raw().kind && a.raw().name == b.raw().name && a.where() == b.where();
}

// Whether it has its place in a stream; what a host function does has its function's.
bool is_work(const recording& of, const participant& side) {
  if (side.kind == order::step_kind::work) return true;
  return side.operation != 0 &&
         of.work_with_id(side.operation).raw().kind == trace::operation_kind::host_function;
}

// Whether nothing at all orders the two in the other run: it did not wait until the answer was "done", and
// did not do without the second either.
bool goes_on_whatever_the_answer(const recording& other, const hazard& found) {
  const auto same = [](const participant& a, const participant& b) {
    return a.kind == b.kind && a.name == b.name && a.where == b.where;
  };
  const auto there = find_hazards(other);
  return std::any_of(there.begin(), there.end(), [&](const hazard& each) {
    return same(each.first, found.first) && same(each.second, found.second);
  });
}

// Whether the first had not begun when the host, having used the memory, made its next call.
bool host_came_first(const recording& original, const recording& other, const hazard& found) {
  const auto &calls = original.run().calls, &others = other.run().calls;
  const auto next = std::find_if(calls.begin(), calls.end(), [&](const trace::host_call& each) {
    return each.thread == found.second.thread && each.begun > found.second.when;
  });
  const auto index = static_cast<std::size_t>(next - calls.begin());
  if (next == calls.end() || index >= others.size()) return false;
  const trace::host_call& same = others[index];
  if (same.name != next->name || place(same.stack) != place(next->stack)) return false;
  const trace::time_ns began = other.work_with_id(found.first.operation).raw().begin;
  return began == trace::unfinished || began >= same.begin;
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

std::optional<turn> turn_round(const recording& of, const hazard& found, const std::vector<hazard>& all) {
  const bool by_flag =
      found.edge.fault == edge_fault::flag_says_nothing || found.edge.fault == edge_fault::runs_meanwhile;
  if (found.first.operation == 0 || by_flag) return {};
  const bool answered = found.edge.fault == edge_fault::answer_not_looked_at;
  const bool rests_on_wait = !answered && found.level != hazard_level::race;
  if (rests_on_wait && !of.run().device.emulated) return {};
  const bool second_is_work = is_work(of, found.second);
  const auto is_in_the_way = [&](const hazard& each) {
    const bool before = each.second.when < found.second.when;
    return each.first.operation == found.first.operation && is_work(of, each.second) && before;
  };
  if (!second_is_work && std::any_of(all.begin(), all.end(), is_in_the_way)) return {};
  const bool alike = found.first.name == found.second.name;
  const auto named = [&](const participant& side) {
    return side.name + (alike && !side.where.empty() ? " (" + side.where + ")" : "");
  };
  turn made{std::string(submission_order) + " hold " + std::to_string(found.first.operation),
            "with " + named(found.first) + " held back ", !rests_on_wait};
  if (second_is_work) {
    made.schedule += " until " + std::to_string(found.second.operation);
    made.text += "until " + named(found.second) + " was done";
  } else if (found.second.kind == order::step_kind::release) {
    made.text += "beyond " + found.second.name + ", which need not wait";
  } else {
    made.text += "for as long as nothing waited for it";
  }
  // A program that asks may give up asking after a while.
  constexpr trace::time_ns a_while = 250'000'000;
  const trace::time_ns longest = answered ? std::max(a_while, 2 * length(of.run())) : length(of.run());
  made.schedule += " for " + std::to_string(longest);
  if (rests_on_wait) made.schedule += " no-implicit-waits";
  if (rests_on_wait && found.level == hazard_level::relies_on_luck)
    made.text += ", and no wait that nothing promises";
  return made;
}

bool kept_order(const recording& of) {
  const auto& findings = of.run().findings;
  return std::none_of(findings.begin(), findings.end(), [](const trace::finding& each) {
    return each.kind == trace::finding_kind::order_not_kept ||
           each.kind == trace::finding_kind::incomplete_record ||
           each.kind == trace::finding_kind::not_recorded;
  });
}

bool was_turned_round(const recording& original, const recording& other, const hazard& found) {
  if (!kept_order(other) || !is_same_work(original, other, found.first.operation)) return false;
  const bool answered = found.edge.fault == edge_fault::answer_not_looked_at;
  if (answered && !goes_on_whatever_the_answer(other, found)) return false;
  if (!is_work(original, found.second)) {  // on the emulated GPU nothing tells of hosts and work alike
    return other.run().device.emulated || host_came_first(original, other, found);
  }
  if (!is_same_work(original, other, found.second.operation)) return false;
  const trace::operation& first = other.work_with_id(found.first.operation).raw();
  const trace::operation& second = other.work_with_id(found.second.operation).raw();
  const bool second_is_done = second.end != trace::unfinished;
  return second_is_done && (first.begin == trace::unfinished || first.begin >= second.end);
}

}  // namespace lab::analysis

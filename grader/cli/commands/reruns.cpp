#include "reruns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/witness.hpp>
#include <timeline/text.hpp>

#include "../process.hpp"
#include "commands.hpp"
#include "trace_file.hpp"

namespace lab::cli {
namespace {

std::string quoted(const std::string& line) {
  return '"' + timeline::shown_text(line, 60) + '"';
}

std::string ending(int exit_code) {
  return exit_code < 0 ? "is ended by a signal" : fmt::format("exits with {}", exit_code);
}

}  // namespace

reruns::outcome reruns::run(const std::string& schedule) const {
  const trace_file record;
  command again;
  again.arguments = {executable_.string()};
  again.arguments.insert(again.arguments.end(), arguments_.begin(), arguments_.end());
  again.environment = {
      {"LAB_SCHEDULE", schedule}, {"LAB_TRACE_FD", std::to_string(record.descriptor())}, {"LAB_QUIET", "1"}};
  again.folder = folder_;
  again.time_limit = std::chrono::seconds(20);
  const ended came_to = cli::run(again);
  outcome seen;
  if (came_to.timed_out) return seen;
  seen.exit_code = came_to.exit_code;
  seen.lines = lines_of(came_to.output);
  try {
    seen.seen = record.read(executable_, sources_);
    seen.ended = true;
  } catch (const told_error&) {  // it left none
  }
  return seen;
}

std::string reruns::difference(const outcome& turned, const std::vector<const outcome*>& paces) const {
  for (std::size_t i = 0; i < right_->lines.size(); ++i) {
    const auto differs_in = [&](const outcome* other) {
      return i >= other->lines.size() || other->lines[i] != right_->lines[i];
    };
    const bool tells_times = std::any_of(paces.begin(), paces.end(), differs_in);
    if (tells_times) continue;
    if (i >= turned.lines.size()) return fmt::format("line {} of its output is missing", i + 1);
    if (turned.lines[i] == right_->lines[i]) continue;
    return fmt::format("line {} of its output is {}, not {}", i + 1, quoted(turned.lines[i]),
                       quoted(right_->lines[i]));
  }
  if (turned.exit_code != right_->exit_code) {
    return fmt::format("the program {}; otherwise it {}", ending(turned.exit_code),
                       ending(right_->exit_code));
  }
  const auto &wrong = turned.seen.run().findings, &usual = right_->seen.run().findings;
  return wrong.size() > usual.size() ? analysis::finding_text(wrong[usual.size()]) : "";
}

std::string reruns::turned(const std::string& schedule, const analysis::recording& seen,
                           const analysis::hazard& found) {
  const outcome turned = run(schedule);
  if (!turned.ended || !analysis::was_turned_round(seen, turned.seen, found)) return "";
  const bool asked = found.edge.fault == analysis::edge_fault::answer_not_looked_at;
  if (asked && turned.exit_code != right_->exit_code) return "";  // it says itself that it gave up waiting
  // In submission order nothing has to be asked twice: what tells how long it was asked for shows in the
  // usual order.
  std::vector<const outcome*> paces{&*slow_};
  if (again_) paces.push_back(&*again_);
  if (asked && !usual_) usual_ = run("");
  if (asked) paces.push_back(&*usual_);
  return difference(turned, paces);
}

std::string reruns::proof(const analysis::recording& seen, const analysis::hazard& found,
                          const std::vector<analysis::hazard>& all) {
  const auto turn = analysis::turn_round(seen, found, all);
  if (!turn) return "";
  if (!right_) {
    right_ = run(analysis::submission_order);
    slow_ = run(std::string(analysis::submission_order) + " slowly");
    if (!seen.run().device.emulated) again_ = run(analysis::submission_order);
  }
  for (const auto* reference : {&right_, &slow_, &again_}) {
    if (*reference && !((*reference)->ended && analysis::kept_order((*reference)->seen))) return "";
  }
  const std::string differs = turned(turn->schedule, seen, found);
  if (differs.empty()) return "";
  // A machine does other things besides, which seldom come to the same twice.
  const bool repeats = seen.run().device.emulated || turned(turn->schedule, seen, found) == differs;
  return repeats ? turn->text + ", " + differs : "";
}

}  // namespace lab::cli

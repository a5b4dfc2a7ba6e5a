#include "measured.hpp"

#include <algorithm>
#include <map>

namespace lab::timeline {
namespace {

bool same(const trace::source_location& a, const trace::source_location& b) {
  return a.line == b.line && a.file == b.file && a.function == b.function;
}

/// The student's frames in which two reads part: the outermost that differ. A read may lie in a function of
/// its own ("now()"), or in a constructor and a destructor. Null where the second is not further down.
struct parting {
  const trace::source_location* first = nullptr;
  const trace::source_location* second = nullptr;
};
parting where_they_part(const trace::call_stack& a, const trace::call_stack& b) {
  auto one = a.rbegin(), other = b.rbegin();
  while (one != a.rend() && other != b.rend() && same(*one, *other)) ++one, ++other;
  if (one == a.rend() || other == b.rend()) return {};
  const bool further_down =
      one->file == other->file && one->function == other->function && one->line < other->line;
  if (!further_down || analysis::student_frame({*one}) == nullptr) return {};
  return {&*one, &*other};
}

}  // namespace

std::vector<measured_interval> clock_pairs(const trace::run& run) {
  std::map<std::pair<int, trace::clock_kind>, std::vector<const trace::clock_read*>> clocks;
  for (const auto& read : run.clock_reads) {
    if (analysis::student_frame(read.stack) != nullptr) clocks[{read.thread, read.clock}].push_back(&read);
  }
  std::vector<measured_interval> result;
  const auto add = [&](const trace::clock_read& start, const trace::clock_read& stop) {
    const auto [first, second] = where_they_part(start.stack, stop.stack);
    if (first == nullptr || stop.at < start.at) return;
    measured_interval found;
    found.thread = start.thread;
    found.when = {start.at, stop.at};
    found.shown_ms = static_cast<double>(stop.value - start.value) / 1e6;
    found.start = analysis::place({*first});
    found.stop = analysis::place({*second});
    result.push_back(std::move(found));
  };
  for (auto& [clock, reads] : clocks) {
    for (std::size_t i = 1; i < reads.size(); ++i) add(*reads[i - 1], *reads[i]);
    if (reads.size() > 2) add(*reads.front(), *reads.back());
  }
  return result;
}

std::vector<measured_interval> event_pairs(const analysis::recording& of) {
  std::vector<measured_interval> result;
  for (const auto& call : of.run().calls) {
    if (!call.milliseconds || call.status != 0 || call.start_record == 0 || call.stop_record == 0) continue;
    const auto start = of.work_with_id(call.start_record), stop = of.work_with_id(call.stop_record);
    const trace::time_ns a = start.when().end, b = stop.when().end;
    result.push_back({true,
                      stop.stream(),
                      call.thread,
                      {std::min(a, b), std::max(a, b)},
                      *call.milliseconds,
                      start.where(),
                      stop.where(),
                      start.stream() != stop.stream()});
  }
  return result;
}

}  // namespace lab::timeline

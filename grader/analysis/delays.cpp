#include "delays.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace lab::analysis {
namespace {

/// When the device was through with all that lies before `first` in its stream.
trace::time_ns end_of_work_before(const recording& of, const work& first) {
  trace::time_ns end = 0;
  for (const work& each : of.work_on(first.stream())) {
    if (each.ended() && each.raw().submitted < first.raw().submitted) end = std::max(end, each.when().end);
  }
  return end;
}

/// The last moment in `within` at which work of any stream came to its end, or where `within` begins.
trace::time_ns last_end(const recording& of, const span& within) {
  trace::time_ns last = within.begin;
  for (const work& each : of.all_work()) {
    if (each.ended() && within.contains(each.when().end)) last = std::max(last, each.when().end);
  }
  return last;
}

constexpr trace::time_ns usual_ns = 30'000;  // a wake-up from a blocking wait; other calls take less

/// Not what allocates, copies or frees.
bool is_usually_short(const call& made) {
  static const std::set<std::string_view> names{
      "cudaLaunchKernel",    "cudaLaunchKernelExC",   "cudaLaunchHostFunc",  "cudaEventCreate",
      "cudaEventRecord",     "cudaEventDestroy",      "cudaEventQuery",      "cudaEventSynchronize",
      "cudaGetLastError",    "cudaEventElapsedTime",  "cudaStreamQuery",     "cudaEventCreateWithFlags",
      "cudaStreamWaitEvent", "cudaStreamSynchronize", "cudaPeekAtLastError", "cudaDeviceSynchronize"};
  return names.count(made.name()) > 0;
}

double milliseconds_of(trace::time_ns time) {
  return static_cast<double>(std::max<trace::time_ns>(time, 0)) / 1e6;
}

/// How long a host function was due, its stream being through with all before it, and not called.
span waits_to_be_called(const recording& of, const work& function) {
  const trace::time_ns due = std::max(end_of_work_before(of, function), function.submitted_by().when().begin);
  return {due, std::max(due, function.when().begin)};
}

/// What of `within` passed in any of the preemptions.
std::vector<span> preempted(const recording& of, const span& within) {
  std::vector<span> found;
  for (const auto& pause : of.run().pauses) {
    const span part = span{pause.begin, pause.end}.shared_with(within);
    if (pause.kind == trace::pause_kind::preempted && part.end > part.begin) found.push_back(part);
  }
  return found;
}

/// Where they overlap, as those of several threads may, that counts once.
double total_ms(std::vector<span> parts) {
  std::sort(parts.begin(), parts.end(), [](const span& a, const span& b) { return a.begin < b.begin; });
  trace::time_ns total = 0, counted = 0;
  for (const span& each : parts) {
    total += std::max<trace::time_ns>(each.end - std::max(each.begin, counted), 0);
    counted = std::max(counted, each.end);
  }
  return milliseconds_of(total);
}

}  // namespace

span asked_for(const recording& of, const work& first, const work& last) {
  const trace::time_ns begin = std::max(first.submitted_by().when().begin, end_of_work_before(of, first));
  return {std::min(begin, last.when().end), last.when().end};
}

double preempted_ms(const recording& of, const span& within) {
  return total_ms(preempted(of, within));
}

double late_ms(const recording& of, const span& within) {
  std::vector<span> late = preempted(of, within);
  for (const call& made : of.calls()) {
    if (!is_usually_short(made)) continue;
    const span part = made.when().shared_with(within);
    const trace::time_ns due = made.waits() ? last_end(of, part) : part.begin;
    if (part.end - due > usual_ns) late.push_back({due, part.end});
  }
  for (const work& each : of.all_work()) {
    if (each.raw().kind != trace::operation_kind::host_function || !each.began()) continue;
    const span part = waits_to_be_called(of, each).shared_with(within);
    if (part.end - part.begin > usual_ns) late.push_back(part);
  }
  return total_ms(late);
}

double recorded_apart_ms(const recording& of, const work& first, const work& last) {
  std::optional<work> start, stop;
  for (const work& each : of.records()) {
    if (each.stream() != first.stream()) continue;
    if (each.raw().submitted < first.raw().submitted) start = each;
    if (!stop && each.raw().submitted > last.raw().submitted) stop = each;
  }
  double apart = 0;
  if (start) {
    const trace::time_ns stamped = std::max(start->when().end, start->submitted_by().when().begin);
    const trace::time_ns recorded = start->submitted_by().when().end;
    apart += milliseconds_of(recorded - stamped);
    apart += preempted_ms(of, {std::max(recorded, stamped), first.submitted_by().when().begin});
    apart += milliseconds_of(first.when().begin - asked_for(of, first, last).begin);
  }
  if (stop) {
    const span launching = last.submitted_by().when(), recording_it = stop->submitted_by().when();
    apart += milliseconds_of(launching.end - std::max(last.when().end, launching.begin));
    apart += preempted_ms(of, {std::max(last.when().end, launching.end), recording_it.begin});
    apart += milliseconds_of(recording_it.end - std::max(last.when().end, recording_it.begin));
    if (const trace::time_ns due = std::max(last.when().end, recording_it.end); stop->when().end > due)
      apart += milliseconds_of(stop->when().end - last_end(of, {due, stop->when().end}));
  }
  return apart;
}

}  // namespace lab::analysis

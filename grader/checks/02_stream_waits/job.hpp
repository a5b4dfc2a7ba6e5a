#pragma once

#include <analysis/hazards.hpp>
#include <analysis/order.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.hpp"

/// What the function of lab 02 did with one job.
namespace lab::checks::stream_waits {

inline constexpr const char* function = "scale_on_two_streams";

/// The driver's streams, in the order in which it makes them.
enum : trace::id { copies = 1, compute = 2, other = 3 };

/// Runs one job in a quiet situation, but for what `particular` says.
inline returned_run run_job(const input_list& particular) {
  input_list situation{{"count", 100'000},          {"factor", fresh("factor").between(2, 9)},
                       {"streams", "non_blocking"},  // or "blocking"
                       {"copies_busy_ms", 0.0},      // work of others, queued in that stream before
                       {"compute_busy_ms", 0.0},    {"unrelated_ms", 0.0},  // in a third stream
                       {"failure", "none"}};                                // or "no_device_memory"
  for (input& usual : situation) {
    for (const input& special : particular) {
      if (special.name == usual.name) usual = special;
    }
  }
  return observe("scale", situation);
}

/// One job, with the work that it consists of.
struct job {
  returned_run seen;
  analysis::work upload;
  analysis::work kernel;
  analysis::work download;
};

/// The one piece of work of its kind, which the student's file submitted.
inline analysis::work the_only(const std::vector<analysis::work>& all, const std::string& what) {
  std::vector<analysis::work> own;
  for (const analysis::work& each : all) {
    if (!each.where().empty()) own.push_back(each);
  }
  if (own.size() == 1) return own.front();
  fail(std::string(function) + (own.empty() ? " makes no " + what
                                            : " makes " + std::to_string(own.size()) + " times a " + what +
                                                  "; one for all of the data is asked for"));
}

inline std::vector<analysis::work> copies_in(const returned_run& seen, trace::copy_direction direction) {
  std::vector<analysis::work> found;
  for (const analysis::work& each : seen.trace.copies()) {
    if (each.raw().direction == direction) found.push_back(each);
  }
  return found;
}

/// Fails the check where the job is not one upload, one kernel and one download.
inline job do_job(const input_list& particular) {
  const returned_run seen = run_job(particular);
  return {seen, the_only(copies_in(seen, trace::copy_direction::host_to_device), "copy to the device"),
          the_only(seen.trace.kernels("scale"), "launch of scale"),
          the_only(copies_in(seen, trace::copy_direction::device_to_host), "copy back")};
}

/// "the upload (student.cu:41)"
inline std::string named(const std::string& what, const analysis::work& work) {
  return what + " (" + work.where() + ")";
}

/// Fails the check where nothing makes `later` wait for `earlier`.
inline void expect_ordered(const job& done, const analysis::work& earlier, const analysis::work& later,
                           const std::string& otherwise) {
  if (analysis::order(done.seen.trace.run()).before(earlier.raw().id, later.raw().id)) return;
  for (const analysis::hazard& each : analysis::find_hazards(done.seen.trace)) {
    const trace::id first = each.first.operation, second = each.second.operation;
    const bool these = first == earlier.raw().id && second == later.raw().id;
    if (these || (first == later.raw().id && second == earlier.raw().id)) fail(done.seen, each);
  }
  fail(otherwise);
}

/// From the first to the last call that the function made.
inline analysis::span active(const returned_run& seen) {
  const auto calls = seen.trace.calls_in(function);
  if (calls.empty()) return {};
  return {calls.front().when().begin, calls.back().when().end};
}

}  // namespace lab::checks::stream_waits

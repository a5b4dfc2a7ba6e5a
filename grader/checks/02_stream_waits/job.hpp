#pragma once

#include <algorithm>
#include <analysis/hazards.hpp>
#include <analysis/order.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.hpp"
#include "checks/failures.hpp"

/// What the function of lab 02 did with one job.
namespace lab::checks::stream_waits {

inline constexpr const char* function = "scale_on_two_streams";

/// The driver's streams, in the order in which it makes them; `copies` and `compute` are the first call's.
enum : trace::id { copies = 1, compute = 2, other = 3 };

/// A quiet situation, but for what `particular` says.
inline input_list situation_with(const input_list& particular) {
  input_list situation{{"count", 100'000},
                       {"factor", fresh("factor").between(2, 9)},
                       {"streams", "non_blocking"},  // or "blocking"
                       {"copies_busy_ms", 0.0},      // work of others, queued in that stream before
                       {"compute_busy_ms", 0.0},
                       {"unrelated_ms", 0.0},  // in a third stream
                       {"calls", 1},           // of the function, one after the other
                       {"failure", "none"}};   // or one of checks.cpp's `failures`
  for (input& usual : situation) {
    for (const input& special : particular) {
      if (special.name == usual.name) usual = special;
    }
  }
  return situation;
}

/// Runs a job in which nothing fails.
inline returned_run run_job(const input_list& particular) {
  const returned_run seen = observe("scale", situation_with(particular));
  expect_success(seen, function, look_at("what is handed to that call"));
  return seen;
}

/// One job, with the work that it consists of.
struct job {
  returned_run seen;
  analysis::work upload;
  analysis::work kernel;
  analysis::work download;
};

/// The last call's one piece of work of its kind, which the student's file submitted.
inline analysis::work the_only(const returned_run& seen, const std::vector<analysis::work>& all, int calls,
                               const std::string& what) {
  std::vector<analysis::work> own;
  for (const analysis::work& each : all) {
    if (!each.where().empty()) own.push_back(each);
  }
  if (own.size() == static_cast<std::size_t>(calls)) return own.back();
  const std::string called = calls == 1 ? "" : ", called " + std::to_string(calls) + " times,";
  fail(std::string(function) + called +
       (own.empty() ? " makes no " + what + failure_text(seen)
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

/// The last of `calls` calls. Fails the check where it is not one upload, one kernel and one download.
inline job do_job(input_list particular, int calls = 1) {
  particular.push_back({"calls", calls});
  const returned_run seen = run_job(particular);
  const auto the_last = [&](const std::vector<analysis::work>& all, const std::string& what) {
    return the_only(seen, all, calls, what);
  };
  return {seen, the_last(copies_in(seen, trace::copy_direction::host_to_device), "copy to the device"),
          the_last(seen.trace.kernels("scale"), "launch of scale"),
          the_last(copies_in(seen, trace::copy_direction::device_to_host), "copy back")};
}

using checks::named;

/// "the upload (student.cu:41)"
inline std::string named(const std::string& what, const analysis::work& work) {
  return what + " (" + work.where() + ")";
}

/// Fails the check where nothing makes `later` wait for `earlier`.
inline void expect_ordered(const job& done, const analysis::work& earlier, const analysis::work& later,
                           const std::string& otherwise) {
  if (analysis::order(done.seen.trace.run()).before(earlier.raw().id, later.raw().id)) return;
  for (const analysis::hazard& each : hazards_in(done.seen)) {
    const trace::id first = each.first.operation, second = each.second.operation;
    const bool these = first == earlier.raw().id && second == later.raw().id;
    if (these || (first == later.raw().id && second == earlier.raw().id)) fail(done.seen, each);
  }
  fail(otherwise);
}

/// When the CPU submitted the last of the three.
inline trace::time_ns last_submission(const job& done) {
  trace::time_ns last = 0;
  for (const analysis::work* each : {&done.upload, &done.kernel, &done.download}) {
    last = std::max(last, each->submitted_by().when().begin);
  }
  return last;
}

/// "asked cudaEventQuery (student.cu:33) 412 times": what kept the CPU busy before that moment, as far as the
/// record shows it.
inline std::string kept_busy_by(const returned_run& seen, trace::time_ns until) {
  std::string busiest;
  double longest_ms = 0;
  const auto consider = [&](const std::string& text, double ms) {
    if (ms <= longest_ms) return;
    longest_ms = ms;
    busiest = text;
  };
  struct asked {
    std::size_t times = 0;
    double ms = 0;
  };
  std::map<std::string, asked> queries;
  for (const analysis::call& made : calls_of_student(seen)) {
    if (made.when().begin >= until) break;
    consider("waited in " + named(made), made.blocked_ms());
    if (made.name().find("Query") == std::string::npos) continue;
    asked& same = queries[named(made)];
    ++same.times;
    same.ms += made.milliseconds();
  }
  for (const auto& [name, same] : queries) {
    if (same.times > 1) consider("asked " + name + " " + std::to_string(same.times) + " times", same.ms);
  }
  for (const trace::host_pause& pause : seen.trace.run().pauses) {
    const std::string where = analysis::place(pause.stack);
    if (where.empty() || pause.begin >= until || pause.kind != trace::pause_kind::slept) continue;
    consider("slept (" + where + ")", static_cast<double>(pause.end - pause.begin) / 1e6);
  }
  return busiest.empty() ? "was busy with something else than calls of CUDA" : busiest;
}

/// From the first to the last call that the function made.
inline analysis::span active(const returned_run& seen) {
  const auto calls = seen.trace.calls_in(function);
  if (calls.empty()) return {};
  return {calls.front().when().begin, calls.back().when().end};
}

}  // namespace lab::checks::stream_waits

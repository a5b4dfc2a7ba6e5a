#pragma once

#include <cmath>
#include <string>
#include <trace/model.hpp>

/// Makes traces by hand, in milliseconds, for tests that need no device. Lines are lines of student.cu.
class trace_builder {
 public:
  using id = lab::trace::id;

  static lab::trace::time_ns ns(double ms) {
    return static_cast<lab::trace::time_ns>(std::llround(ms * 1e6));
  }

  static lab::trace::call_stack stack(int line, const std::string& function = "time_it") {
    return {{"common/include/lab/check.hpp", 12, "check"},
            {"labs/01_timing_pitfalls/student.cu", line, function},
            {"grader/checks/01_timing_pitfalls/driver.cu", 30, "lab_scenario_time_it"}};
  }

  /// A call of the host, blocked for the last `blocked_ms` of it.
  id call(const std::string& name, double begin_ms, double end_ms, int line, double blocked_ms = 0) {
    lab::trace::host_call made;
    made.id = static_cast<id>(run.calls.size() + 1);
    made.thread = thread;
    made.begun = ++sequence;
    made.returned = ++sequence;
    made.name = name;
    made.begin = ns(begin_ms);
    made.end = ns(end_ms);
    made.blocked = ns(blocked_ms);
    made.stack = stack(line);
    run.calls.push_back(made);
    return made.id;
  }

  /// A kernel, with its launch of 5 µs.
  id kernel(const std::string& name, id stream, double launched_ms, double begin_ms, double end_ms,
            int line) {
    return add(lab::trace::operation_kind::kernel, name, stream, launched_ms, begin_ms, end_ms,
               call("cudaLaunchKernel", launched_ms, launched_ms + 0.005, line));
  }

  id copy(id stream, double submitted_ms, double begin_ms, double end_ms, int line) {
    return add(lab::trace::operation_kind::copy, "copy", stream, submitted_ms, begin_ms, end_ms,
               call("cudaMemcpyAsync", submitted_ms, submitted_ms + 0.005, line));
  }

  /// A record, stamped by the device at `stamp_ms`.
  id record(id stream, double recorded_ms, double stamp_ms, int line) {
    return add(lab::trace::operation_kind::event_record, "event_record", stream, recorded_ms, stamp_ms,
               stamp_ms, call("cudaEventRecord", recorded_ms, recorded_ms + 0.001, line));
  }

  /// A host function, called at `begin_ms`, submitted by a call of 5 µs.
  id host_function(id stream, double submitted_ms, double begin_ms, double end_ms, int line) {
    return add(lab::trace::operation_kind::host_function, "", stream, submitted_ms, begin_ms, end_ms,
               call("cudaLaunchHostFunc", submitted_ms, submitted_ms + 0.005, line));
  }

  /// cudaEventElapsedTime(start, stop); returns the number that it gave.
  double elapsed(id start_record, id stop_record, double at_ms, int line) {
    const auto stamp = [&](id record) { return run.operations[record - 1].end; };
    const auto ms = static_cast<float>(static_cast<double>(stamp(stop_record) - stamp(start_record)) / 1e6);
    auto& made = run.calls[call("cudaEventElapsedTime", at_ms, at_ms + 0.001, line) - 1];
    made.milliseconds = ms;
    made.start_record = start_record;
    made.stop_record = stop_record;
    return ms;
  }

  void clock_read(double at_ms, int line, lab::trace::clock_kind clock = lab::trace::clock_kind::monotonic) {
    run.clock_reads.push_back({0, clock, ns(at_ms), ns(at_ms) + 1'000'000'000, stack(line)});
  }

  void event(bool destroyed, int line) {
    lab::trace::event made;
    made.id = static_cast<id>(run.events.size() + 1);
    made.created_by = call("cudaEventCreate", 0, 0.001, line);
    if (destroyed) made.destroyed_by = call("cudaEventDestroy", 1, 1.001, line + 1);
    run.events.push_back(made);
  }

  lab::trace::run run;
  int thread = 0;                     ///< that makes the calls from here on
  lab::trace::sequence sequence = 0;  ///< the last that a thread's deeds got

 protected:
  id add(lab::trace::operation_kind kind, const std::string& name, id stream, double submitted_ms,
         double begin_ms, double end_ms, id submitted_by) {
    lab::trace::operation made;
    made.id = static_cast<id>(run.operations.size() + 1);
    made.kind = kind;
    made.name = name;
    made.stream = stream;
    made.submitted_by = submitted_by;
    made.submitted = ns(submitted_ms) + 1;
    made.begin = ns(begin_ms);
    made.end = ns(end_ms);
    run.operations.push_back(made);
    run.calls[submitted_by - 1].operation = made.id;
    run.calls[submitted_by - 1].stream = stream;
    return made.id;
  }
};

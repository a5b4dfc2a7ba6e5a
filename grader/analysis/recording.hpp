#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <trace/model.hpp>
#include <vector>

/// What a trace means: queries that read like prose, for checks and explanations.
///
///     seen.trace.kernel("spin").milliseconds()
///     seen.trace.called("cudaDeviceSynchronize")
///     before(seen.trace.kernel("spin"), seen.trace.call("cudaEventElapsedTime"))
///
/// Calls and work are small handles on the recording, which must outlive them. Milliseconds are the trace's
/// clock.
namespace lab::analysis {

/// A query for the one call or kernel found none, or several. what() is a sentence about the student's
/// program.
struct not_found : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A stretch [begin, end] of the trace's clock.
struct span {
  trace::time_ns begin = 0;
  trace::time_ns end = 0;

  double milliseconds() const { return static_cast<double>(end - begin) / 1e6; }
  bool contains(trace::time_ns at) const { return begin <= at && at <= end; }
  bool covers(const span& other) const { return begin <= other.begin && other.end <= end; }
  /// The part that both have; of length 0 where they have none.
  span shared_with(const span& other) const;
};

class recording;

/// One call of the CUDA API by the host.
class call {
 public:
  call(const recording& of, const trace::host_call& raw) : of_(&of), raw_(&raw) {}

  const trace::host_call& raw() const { return *raw_; }
  const std::string& name() const { return raw_->name; }
  span when() const;  ///< up to the end of the run, where the call did not return
  double milliseconds() const { return when().milliseconds(); }
  double blocked_ms() const { return static_cast<double>(raw_->blocked) / 1e6; }
  bool failed() const { return raw_->status != 0; }
  bool waits() const;         ///< see is_wait
  std::string where() const;  ///< "student.cu:41"

 private:
  const recording* of_;
  const trace::host_call* raw_;
};

/// One piece of work of the device: a kernel, a copy, a record, a wait.
class work {
 public:
  work(const recording& of, const trace::operation& raw) : of_(&of), raw_(&raw) {}

  const trace::operation& raw() const { return *raw_; }
  const std::string& name() const { return raw_->name; }
  trace::id stream() const { return raw_->stream; }
  bool began() const { return raw_->begin != trace::unfinished; }
  bool ended() const { return raw_->end != trace::unfinished; }
  span when() const;  ///< on the device; what had not begun or ended by the end of the run reaches up to it
  double milliseconds() const { return when().milliseconds(); }
  double submitted_at_ms() const { return static_cast<double>(raw_->submitted) / 1e6; }
  call submitted_by() const;
  std::string where() const;  ///< of the call that submitted it

 private:
  const recording* of_;
  const trace::operation* raw_;
};

/// One successful cudaEventElapsedTime: the number it gave and what lay between its two records.
struct elapsed_time {
  analysis::call call;
  double milliseconds;  ///< what the call returned
  work start;           ///< the record of the start event
  work stop;
  std::vector<work> covered;  ///< the work between the two: see recording::work_between
};

/// Something created and never destroyed.
struct leak {
  std::string what;   ///< "event", "stream", "device memory", "pinned memory"
  std::string where;  ///< where it was created
};

class recording {
 public:
  explicit recording(trace::run run);

  const trace::run& run() const { return run_; }
  trace::time_ns end() const { return end_; }  ///< the last moment that the trace knows

  std::vector<analysis::call> calls() const;
  std::vector<analysis::call> calls(std::string_view name) const;
  /// Calls made while the named function of the student was active (it is on the call stack), by begin.
  std::vector<analysis::call> calls_in(std::string_view function) const;
  bool called(std::string_view name) const { return !calls(name).empty(); }
  /// The one call of that name. @throws not_found where there are none or several
  analysis::call call(std::string_view name) const;

  std::vector<work> all_work() const;
  std::vector<work> kernels(
      std::string_view name = {}) const;  ///< by submission; of any name where none is given
  std::vector<work> copies() const;
  std::vector<work> records() const;  ///< cudaEventRecord, one each
  std::vector<work> work_on(trace::id stream) const;
  /// The one kernel of that name. @throws not_found where there are none or several
  work kernel(std::string_view name) const;

  std::vector<elapsed_time> elapsed_times() const;
  /// The work, other than records and waits, that the device did on the stream of `stop` between two records.
  std::vector<work> work_between(const work& start, const work& stop) const;

  /// The stream whose work a call waits for; none for the whole device.
  std::optional<trace::id> stream_waited_for(const analysis::call& waiting) const;

  /// When the host was first told that `done` is done: by a wait, a successful query, a host function behind
  /// it.
  std::optional<trace::time_ns> told_done(const work& done) const;

  /// How far the times of a real device may be off on the host's clock: 6.8 µs were seen on an H200.
  trace::time_ns clocks_apart() const;

  double host_blocked_ms() const;  ///< in all calls together
  double host_blocked_ms(const span& within) const;

  std::vector<leak> leaked_events() const;
  std::vector<leak> leaked_streams() const;
  std::vector<leak> leaked_memory() const;
  std::vector<leak> leaks() const;  ///< all of the above

  analysis::call call_with_id(trace::id id) const;
  work work_with_id(trace::id id) const;

 private:
  trace::run run_;
  trace::time_ns end_ = 0;
};

/// Whether `a` had ended when `b` began.
bool before(const span& a, const span& b);
/// For how many milliseconds both were under way.
double overlap(const span& a, const span& b);
double overlap(const std::vector<work>& a, const std::vector<work>& b);  ///< any of `a` with any of `b`

template <class A, class B>
bool before(const A& a, const B& b) {
  return before(a.when(), b.when());
}
inline double overlap(const work& a, const work& b) {
  return overlap(a.when(), b.when());
}

/// Whether it is a call that waits, as its name says: cudaStreamSynchronize and the like.
bool is_wait(const trace::host_call& made);

/// "student.cu:41": the innermost frame in the student's own file; "" where none is.
std::string place(const trace::call_stack& stack);
/// Whether the student's own file made the call itself, not something that it had called.
bool made_by_student(const trace::call_stack& stack);
const trace::source_location* student_frame(const trace::call_stack& stack);  ///< null where none is

/// What went wrong, with the student's line.
std::string finding_text(const trace::finding& found);

/// "5.02 ms", "6 µs", "1.2 s": three digits, in the unit a reader would choose.
std::string duration_text(double milliseconds);
/// "0.006 ms", "5.02 ms", "1200 ms": always milliseconds, so that numbers in one message compare at a glance.
std::string milliseconds_text(double milliseconds);
/// "stream 1", "the legacy default stream", "the per-thread default stream of host thread 1"
std::string stream_text(const recording& of, trace::id stream);

}  // namespace lab::analysis

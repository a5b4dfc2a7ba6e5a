#pragma once

#include <analysis/recording.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "observation.hpp"

/// Runs of the student's program, as checks ask for them.
namespace lab::checks {

/// A number that the student's code produced, and the run it comes from.
class reported_number {
 public:
  reported_number(double value, std::string name, std::shared_ptr<const observation> seen)
      : value_(value), name_(std::move(name)), seen_(std::move(seen)) {}

  double value() const { return value_; }
  operator double() const { return value_; }
  /// Names the function that returned it, for messages: "time_with_events() returned 0.006 ms".
  reported_number from(const std::string& function) const;
  const std::string& subject() const { return subject_; }
  const std::string& name() const { return name_; }
  bool in_milliseconds() const;  ///< the name ends in _ms
  const observation& seen() const { return *seen_; }

 private:
  double value_;
  std::string name_;
  std::string subject_;
  std::shared_ptr<const observation> seen_;
};

/// A run that came to its end. A value that is not there, or is NaN or infinite, ends the check with the
/// right outcome.
class returned_run {
 public:
  explicit returned_run(std::shared_ptr<const observation> seen)
      : trace(seen->trace), seen_(std::move(seen)) {}

  reported_number number(const std::string& name) const;
  /// Also NaN and infinities.
  reported_number any_number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  std::string text(const std::string& name) const;
  template <class T>
  std::vector<T> buffer(const std::string& name) const {
    return seen_->values.buffer<T>(name);
  }
  bool has(const std::string& name) const;
  const observation& raw() const { return *seen_; }
  /// There the record has the order of the work, but not every access to memory.
  bool on_real_gpu() const { return seen_->on_gpu; }

  const analysis::recording& trace;

 private:
  std::shared_ptr<const observation> seen_;
};

/// Runs the scenario with these inputs in a fresh process, or finds the run where the same was asked before.
/// Ends the check with *error* unless the scenario returned and the program ended well. Blocks until the
/// program ended.
returned_run observe(const std::string& scenario, const input_list& inputs = {});
/// The same for a scenario that has the answers to predictions: no picture of it is offered.
returned_run observe_answers(const std::string& scenario, const input_list& inputs = {});
/// Runs the same again, but that the call `made` of it fails, once, with `failure_of_a_call`.
returned_run observe_failing(const returned_run& seen, const analysis::call& made);
inline constexpr const char* failure_of_a_call = "cudaErrorOperatingSystem";

/// What follows is about this run, and not the one observed last: it is the one that is looked at again, and
/// drawn, if the check fails.
void about(const returned_run& seen);

/// Whether the check is being judged on a real GPU.
bool judging_on_gpu();
/// `usually`, or what stands in its place while a real GPU is judged: times that are long to a machine which
/// does other things besides.
double by_device(double usually, double on_real_gpu);

/// While there is one, runs are on the emulated GPU, whichever device is being judged: for work that would
/// take seconds. A check can have some.
class on_emulated_gpu {
 public:
  on_emulated_gpu();
  ~on_emulated_gpu();
  on_emulated_gpu(const on_emulated_gpu&) = delete;
  on_emulated_gpu& operator=(const on_emulated_gpu&) = delete;

 private:
  bool before_;
};

/// The same as observe, whichever way the program ended.
std::shared_ptr<const observation> observe_any(const std::string& scenario, const input_list& inputs = {});

}  // namespace lab::checks

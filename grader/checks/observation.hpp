#pragma once

#include <analysis/recording.hpp>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "run_request.hpp"

/// What came out of one run of the exercise program.
namespace lab::checks {

/// A value was asked for that the run did not produce, or that is of another type. what() names it.
struct no_such_value : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The values that the scenario wrote, by name.
class value_set {
 public:
  void add(std::string name, any_value content) { values_[std::move(name)] = std::move(content); }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::size_t size() const { return values_.size(); }
  const std::map<std::string, any_value>& all() const { return values_; }
  double number(const std::string& name) const;  ///< @throws no_such_value, as do the others
  std::int64_t integer(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  template <class T>
  std::vector<T> buffer(const std::string& name) const {
    const std::string& bytes = array(name, exercise::element_type_of<T>::value);
    std::vector<T> result(bytes.size() / sizeof(T));
    bytes.copy(reinterpret_cast<char*>(result.data()), bytes.size());
    return result;
  }

 private:
  const any_value& find(const std::string& name) const;
  const std::string& array(const std::string& name, exercise::element_type type) const;
  std::map<std::string, any_value> values_;
};

/// How the program ended.
enum class ending {
  returned,        ///< the scenario returned, and the program ended by itself
  exception,       ///< the scenario threw
  exited_early,    ///< exit() or main's end before the scenario returned
  crashed,         ///< a signal
  timed_out,       ///< stopped by the backstop on CPU time or on wall time
  flooded,         ///< killed because it printed too much
  stopped,         ///< by the emulator: a deadlock, a budget, something not emulated
  channel_broken,  ///< bytes on the grader's channel that the grader's side did not write, or a closed
                   ///< channel
  not_started,     ///< no such program, or no such scenario
};

struct observation {
  run_request asked;
  bool on_gpu = false;  ///< whether it was to use a real GPU
  ending how = ending::not_started;
  bool scenario_returned = false;  ///< the end mark came, whatever followed
  int exit_code = 0;               ///< for exited_early and stopped
  int signal = 0;                  ///< for crashed
  std::string detail;  ///< what() of the exception, the emulator's sentence, the limit that was reached
  value_set values;
  analysis::recording trace{{}};
  bool has_trace = false;
  std::uint64_t trace_hash = 0;    ///< of the record's bytes: the same for runs that were the same
  std::string output;              ///< the beginning of stdout and stderr, as they came
  std::uint64_t output_bytes = 0;  ///< how much there was

  /// One sentence about the ending, with the last CUDA call where that helps.
  std::string sentence() const;
};

/// Why host code crashed, as far as the device saw it; null where it did not.
const trace::finding* crash_finding(const trace::run& run);

}  // namespace lab::checks

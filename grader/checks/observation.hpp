#pragma once

#include <analysis/recording.hpp>
#include <cstdint>
#include <exercise/element_type.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What came out of one run of the exercise program.
namespace lab::checks {

/// An array of plain numbers, as it travels.
struct typed_bytes {
  exercise::element_type type = exercise::element_type::u8;
  std::string bytes;

  template <class T>
  static typed_bytes of(const std::vector<T>& values) {
    return {exercise::element_type_of<T>::value,
            std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
  }
};

using any_value = std::variant<double, std::int64_t, std::string, typed_bytes>;

/// A named value for a scenario: {"kernel_ms", 5.0}, {"n", 1024}, {"mode", "poll"}, {"x",
/// std::vector<float>{…}}.
struct input {
  input(std::string given, double number) : name(std::move(given)), content(number) {}
  input(std::string given, int number) : name(std::move(given)), content(std::int64_t{number}) {}
  input(std::string given, std::int64_t number) : name(std::move(given)), content(number) {}
  input(std::string given, const char* text) : name(std::move(given)), content(std::string(text)) {}
  input(std::string given, std::string text) : name(std::move(given)), content(std::move(text)) {}
  template <class T>
  input(std::string given, const std::vector<T>& values)
      : name(std::move(given)), content(typed_bytes::of(values)) {}

  std::string name;
  any_value content;
};
using input_list = std::vector<input>;

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
  std::string scenario;
  input_list inputs;
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

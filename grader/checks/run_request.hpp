#pragma once

#include <cstdint>
#include <exercise/element_type.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What a run of the exercise program is asked for.
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

struct run_request {
  std::string scenario;
  input_list inputs;
  std::string schedule = {};  ///< what the device takes as LAB_SCHEDULE; "" for the natural order
};

/// A run that a check judged.
struct judged_run {
  run_request asked;
  bool on_gpu = false;
  std::uint64_t trace = 0;  ///< a hash of what was recorded: the same for runs that were the same
};

/// Of an object of numbers and texts: a number with a point is one to the scenario too, one without is an
/// integer. @throws nlohmann::json::exception where it is no such object
input_list inputs_from_json(const nlohmann::json& inputs);

/// {"scenario", "inputs", "schedule", "on_gpu", "trace"}, as nlohmann-json wants them.
/// @throws std::invalid_argument where an input is an array, a NaN or an infinity
void to_json(nlohmann::json& to, const judged_run& from);
void from_json(const nlohmann::json& from, judged_run& to);

}  // namespace lab::checks

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "element_type.hpp"

/// What a driver (grader/checks/NN_topic/driver.cu) uses: it calls the student's function and writes out what
/// came back. It judges nothing; it runs in the same process as the student's code.
///
///     #include <exercise/scenario.hpp>
///     #include "exercise.hpp"               // the lab's contract
///
///     SCENARIO(time_kernel) {               // void (const inputs& in, outputs& out)
///       const double ms = in.number("kernel_ms");
///       out.number("reported_ms", time_kernel([&] { spin<<<1, 1, 0, stream>>>(ms); }, stream));
///       out.buffer("result", result.data(), result.size());
///       out.text("note", "anything");
///     }
///
/// Each value leaves the process when it is written, so what came before a crash is seen. NaN and infinities
/// arrive as themselves. An exception that leaves the scenario is reported with its what().
namespace lab::exercise {

/// The inputs the check sent. Asking for one it did not send ends the run with a message to the lab's author.
class inputs {
 public:
  double number(const char* name) const;  ///< a number or an integer
  std::int64_t integer(const char* name) const;
  std::string text(const char* name) const;
  template <class T>
  std::vector<T> buffer(const char* name) const {
    const bytes found = find(name, element_type_of<T>::value);
    const T* first = static_cast<const T*>(found.data);
    return std::vector<T>(first, first + found.size / sizeof(T));
  }
  bool has(const char* name) const;

 private:
  struct bytes {
    const void* data;
    std::size_t size;
  };
  bytes find(const char* name, element_type type) const;
};

/// Where the scenario's values go. A name may be written once.
class outputs {
 public:
  void number(const char* name, double value);
  void integer(const char* name, std::int64_t value);
  void text(const char* name, const char* value);
  void text(const char* name, const std::string& value) { text(name, value.c_str()); }
  /// @param data host memory, `count` elements
  template <class T>
  void buffer(const char* name, const T* data, std::size_t count) {
    write(name, element_type_of<T>::value, data, count * sizeof(T));
  }

 private:
  void write(const char* name, element_type type, const void* data, std::size_t size);
  void use(const char* name);

  std::set<std::string> used_;
};

/// A number for situation.hpp, 0 at first, which stays from one run of a process to the next.
double& kept_for_all_runs();

using scenario_function = void (*)(const inputs& in, outputs& out);

/// Makes a scenario known under its name; SCENARIO does it.
struct registered_scenario {
  registered_scenario(const char* name, scenario_function function);
};

}  // namespace lab::exercise

#define SCENARIO(name)                                                                                  \
  static void lab_scenario_##name(const ::lab::exercise::inputs& in, ::lab::exercise::outputs& out);    \
  static const ::lab::exercise::registered_scenario lab_registered_##name{#name, &lab_scenario_##name}; \
  static void lab_scenario_##name([[maybe_unused]] const ::lab::exercise::inputs& in,                   \
                                  [[maybe_unused]] ::lab::exercise::outputs& out)

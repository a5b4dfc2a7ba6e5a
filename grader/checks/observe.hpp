#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "observation.hpp"

/// Runs one scenario in a process that is not trusted.
namespace lab::checks {

/// Backstops only: what a program may use of the emulated device is bounded deterministically by the
/// emulator.
struct run_limits {
  std::chrono::milliseconds cpu_time{20'000};
  std::chrono::milliseconds wall_time{60'000};
  std::chrono::milliseconds grace{1'000};            ///< between the request to end and the kill
  std::size_t kept_output = std::size_t{64} << 10;   ///< bytes of stdout and stderr; the rest is counted
  std::size_t most_output = std::size_t{256} << 20;  ///< bytes; what prints more is killed
  std::size_t most_memory = std::size_t{2} << 30;    ///< bytes, of the host and of the emulated device
  std::size_t largest_trace = std::size_t{1} << 30;
};

/// The grader was told to stop; nothing of the run is left.
struct interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `scenario` of the exercise program with these inputs and reports how it ended, whichever way that
/// was. Blocks until the program and every process it started are gone; its temporary files are removed.
/// @param schedule what the emulated device takes as LAB_SCHEDULE; "" for the natural order
/// @throws std::runtime_error where this machine lacks what a run needs; interrupted after request_stop()
observation run_exercise(const std::filesystem::path& program, const std::string& scenario,
                         const input_list& inputs, const std::string& schedule = "",
                         const run_limits& limits = {});

/// Makes the run in progress end, and those to come; may be called from a signal handler.
void request_stop() noexcept;

}  // namespace lab::checks

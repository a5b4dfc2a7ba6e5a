#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Runs a scenario of the exercise program and reports how it ended, whichever way that was. Blocks until the
/// program and every process it started are gone; its temporary files are removed.
/// @param environment what the program's environment has besides, "NAME=VALUE"
/// @throws std::runtime_error where this machine lacks what a run needs; interrupted after request_stop()
observation run_exercise(const std::filesystem::path& program, const run_request& wanted,
                         const run_limits& limits = {}, const std::vector<std::string>& environment = {});

/// A program that starts once and stays for many runs, each as if it were the first, where it can: on a real
/// GPU, whose start takes half a second. A run that leaves anything behind, or ends in another way than by
/// returning, is its process's last, and the next one gets a fresh process.
class staying_exercise {
 public:
  staying_exercise(const std::filesystem::path& program, std::vector<std::string> environment);
  staying_exercise(const staying_exercise&) = delete;
  staying_exercise& operator=(const staying_exercise&) = delete;
  ~staying_exercise();  ///< ends the program, if it is waiting

  /// Has the program start, where none is waiting. Blocks until it is ready. Where one has been used up
  /// before, another starts meanwhile, for when this one is.
  void prepare(const run_limits& limits = {});
  /// The next run has a process that has run nothing before.
  void renew();
  /// As run_exercise, in the natural order, but that the program may still be there afterwards, and waits.
  /// @param on_recorded called, where the program ends, once its record is there: it may take a while to go
  observation run(const std::string& scenario, const input_list& inputs, const run_limits& limits = {},
                  const std::function<void()>& on_recorded = {});

 private:
  struct process;
  std::unique_ptr<process> start() const;
  void replace_ended();

  std::filesystem::path program_;
  std::vector<std::string> environment_;
  std::unique_ptr<process> waiting_, spare_;
  bool needs_spare_ = false;
};

/// Makes the run in progress end, and those to come; may be called from a signal handler.
void request_stop() noexcept;
/// @throws interrupted after request_stop()
void stop_if_requested();

}  // namespace lab::checks

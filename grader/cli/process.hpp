#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files.hpp"

/// Child processes that cannot outlive us, flood us or hang us.
namespace lab::cli {

struct command {
  std::vector<std::string> arguments;  ///< the program first
  fs::path folder;                     ///< to run in; empty: ours
  std::vector<std::pair<std::string, std::string>>
      environment;                               ///< added to ours; an empty value takes one away
  std::chrono::milliseconds time_limit{60'000};  ///< by the wall clock
  std::optional<std::uint64_t> cpu_seconds;
  std::optional<std::uint64_t> memory_bytes;
  std::chrono::milliseconds grace{0};         ///< between SIGTERM and SIGKILL when it must stop
  std::size_t output_limit_bytes = 1u << 20;  ///< what comes after is read and dropped
  /// Called with each line the child writes to its report descriptor; the descriptor's number replaces the
  /// argument "{report}". Unset: the child gets none.
  std::function<void(std::string_view line)> on_report_line;
  std::function<void()> on_tick;  ///< about ten times a second
};

struct ended {
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
  bool succeeded() const { return exit_code == 0; }
};

/// Thrown out of `run` (its child already killed) when the user wants to stop: Ctrl-C, SIGTERM, SIGHUP.
struct interrupted {
  int signal;
};

/// Runs the command in a process group of its own and blocks until it has ended; whatever is left of the
/// group then is killed. Safe to call from several threads.
/// @throws told_error when it cannot be started, interrupted
ended run(const command& what);

/// Call first in main: makes us the parent of orphaned grandchildren, and signals arrive as `interrupted`.
void prepare_for_children();

/// Throws `interrupted` when a signal has come.
void stop_if_interrupted();

/// Undoes prepare_for_children before an exec, so that the new program meets signals as it would from a
/// shell.
void forget_signal_handlers();

/// Kills and reaps children that nobody waits for: what a student's program left behind.
void reap_strays();

}  // namespace lab::cli

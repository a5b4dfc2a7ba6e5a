#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check_case.hpp"
#include "gpu.hpp"
#include "observe.hpp"
#include "report.hpp"
#include "verdict.hpp"

namespace lab::checks {

/// One grading: the program under test, what was observed so far, what the checks came to.
class session {
 public:
  /// @param program for the emulated GPU
  session(std::filesystem::path program, std::uint64_t seed, report& to, run_limits limits = {})
      : program_(std::move(program)), seed_(seed), report_(to), limits_(limits) {}

  /// Judges on a real GPU too, with this program, which is for it. See CHECKS_OF_TIMES.
  void use_gpu(std::filesystem::path program) { gpu_program_ = std::move(program); }
  /// Has each run on a real GPU compared with the same on the emulated one; a check whose runs differ is an
  /// error.
  void compare_devices() { compares_devices_ = true; }
  /// Whether the check in progress is being judged on a real GPU.
  bool is_on_gpu() const { return on_gpu_ && !emulated_only_; }

  /// Has observe() use the emulated GPU until the next call, whichever device is being judged.
  /// @return what was so before
  bool observe_emulated(bool from_now_on) { return std::exchange(emulated_only_, from_now_on); }

  /// Runs these checks only; all of them where this is never called.
  void select(const std::vector<const check*>& these);
  std::uint64_t seed() const { return seed_; }
  /// Runs it, or finds the run of that repetition where the same was asked before. A real GPU has the natural
  /// order and the orders of submission; what else is asked for is run on the emulated one. Blocks, there,
  /// until no other grading uses the GPU.
  std::shared_ptr<const observation> observe(const run_request& wanted, int repetition = 0);

  /// What follows is about this run.
  void is_about(const observation& seen) { last_ = judged_run{seen.asked, seen.on_gpu, seen.trace_hash}; }
  /// No report shows such a run.
  void keep_secret(const run_request& asked) { secrets_.insert(cache_key(asked)); }

  /// Whether what the emulated GPU, which judges, has shown is to be shown on the real one too: once, it
  /// takes seconds.
  bool shows_on_gpu() { return !gpu_program_.empty() && !on_gpu_ && !std::exchange(shown_on_gpu_, true); }
  /// For that.
  std::shared_ptr<const observation> observe_on_gpu(const run_request& wanted, int repetition) {
    return observe_on(true, wanted, repetition);
  }

  /// Runs the body unless a check it needs did not pass. doctest enters a case once per subcase: the first
  /// verdict other than a pass stays.
  void run(const check& which, void (*body)());
  /// A doctest assertion of the check in progress failed.
  void assertion_failed(const std::string& message);
  /// The check in progress could not be judged, through no fault of the student. Nothing while its body runs:
  /// what leaves the body is seen there, and a subcase that it leaves reports it first.
  void judging_failed(const std::string& message);
  /// Reports the check in progress, if there is one.
  void finish_check();
  bool was_interrupted() const { return interrupted_; }

 private:
  std::shared_ptr<const observation> observe_on(bool on_gpu, const run_request& wanted, int repetition);
  static std::string cache_key(const run_request& wanted);
  static void compare(const observation& real, const observation& emulated);
  observation run_on_gpu(const run_request& wanted);
  void judge(void (*body)());
  void judge_on_gpu(void (*body)());
  /// What a failure on a real GPU has to add to its reason.
  std::string where_it_is_so(bool passes_on_emulator) const;
  void end_with(const verdict& came_to);
  verdict blocked_by_needs(const check& which) const;
  /// While a real GPU is judged.
  bool last_was_emulated() const { return last_ && !last_->on_gpu; }

  std::filesystem::path program_;
  std::filesystem::path gpu_program_;
  std::uint64_t seed_;
  report& report_;
  run_limits limits_;
  /// By the device, the repetition and what was asked for.
  std::map<std::tuple<bool, int, std::string>, std::shared_ptr<const observation>> observed_;
  std::map<std::string, outcome> outcomes_;
  std::vector<const check*> selected_;
  const check* current_ = nullptr;
  verdict verdict_;
  std::chrono::steady_clock::time_point started_;
  int endless_runs_ = 0;
  std::optional<judged_run> last_;  ///< what the body is about: observed last, its witnesses left out
  std::set<std::string> secrets_;   ///< the keys of runs that no report shows
  bool interrupted_ = false;
  bool in_body_ = false;
  bool on_gpu_ = false;
  bool emulated_only_ = false;
  bool compares_devices_ = false;
  bool shown_on_gpu_ = false;
  bool afresh_ = false;     ///< each run in a process of its own
  std::optional<gpu> gpu_;  ///< from the first run on it
  std::unique_ptr<staying_exercise> staying_;
};

/// The grading in progress. @throws std::logic_error where there is none
session& current_session();
void set_current_session(session* now);

/// The checks that this program was built with, in the order of their declaration.
const std::vector<std::unique_ptr<check>>& all_checks();

}  // namespace lab::checks

#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "attempts.hpp"

/// What a launcher of lab 04 made of a sequence of steps.
namespace lab::checks::error_handling {

/// A run of the driver's scenario "launches".
class launcher_run {
 public:
  launcher_run(const std::string& steps, bool debug = false)
      : steps_(steps),
        seen_(run("launches", {{"steps", steps}, {"debug", debug ? 1 : 0}, {"kernel_ms", by_device(4, 40)}},
                  "the launcher")) {}

  attempt at(int step) const { return read_attempt(seen_, std::to_string(step)); }
  std::int64_t launched(int step) const { return seen_.integer("launched_" + std::to_string(step)); }

  /// "launch(\"scale\")", or "wait()", with what was done before it
  std::string step_text(int step) const {
    const auto all = words();
    std::string before;
    for (int each = 0; each < step; ++each) before += (each > 0 ? ", " : "") + in_words(all[index(each)]);
    const std::string word = all[index(step)];
    const std::string call = word == "wait" ? "wait()" : "launch(\"" + word.substr(0, word.find('!')) + "\")";
    return call + (before.empty() ? "" : " (after: " + before + ")");
  }

  /// What the launcher called in the step.
  std::vector<analysis::call> calls(int step) const { return calls_behind(seen_, mark(step)); }

  /// Fails the check unless the step returned, and, for a launch, launched once in the launcher's stream.
  void expect_returned(int step) const {
    const attempt made = at(step);
    expect(made.returned(),
           step_text(step) + " " + made.in_words() + ", though nothing was wrong with it" +
               first_failure(calls(step)),
           look_at("which call that error belongs to"));
    if (is_wait(step)) return;
    expect(launched(step) == 1,
           step_text(step) + " launched its kernel " + std::to_string(launched(step)) + " times, not once");
    expect(seen_.integer("elsewhere_" + std::to_string(step)) == 0,
           step_text(step) + " launched in another stream than the launcher's");
  }

  /// Fails the check unless the step threw a cuda_failure with one of `statuses` and exactly `suspects`.
  void expect_failure(int step, const std::vector<std::string>& statuses, const std::string& suspects,
                      const std::string& whose, const look_at& hint) const {
    const attempt made = at(step);
    bool right_status = false;
    for (const auto& status : statuses) right_status = right_status || made.status == status;
    expect(made.failed() && right_status && made.suspects == suspects,
           step_text(step) + " " + made.in_words() + first_failure(calls(step)) +
               ". Expected: a cuda_failure with " + statuses.front() + " and " + suspects_text(suspects) +
               ": " + whose,
           hint);
    expect_taken(step_text(step), made, calls(step));
    expect_nothing_written(seen_, "the launcher");
    if (is_wait(step)) return;
    expect(launched(step) <= 1, step_text(step) + " launched its kernel " + std::to_string(launched(step)) +
                                    " times: nobody asked for that");
  }

  /// The failures that the launch in the step was told by CUDA.
  std::vector<std::string> told(int step) const {
    std::vector<std::string> errors;
    for (const auto& made : calls(step)) {
      if (made.failed() && made.name() != "cudaStreamQuery") errors.push_back(made.raw().error);
    }
    return errors;
  }

  bool is_wait(int step) const { return words()[index(step)] == "wait"; }

  void expect_no_reset() const { error_handling::expect_no_reset(seen_, "the launcher"); }

  /// Fails the check where a launch that is not to debug did not return at once.
  void expect_returns_at_once(int step) const {
    for (const auto& made : calls(step)) {
      expect(made.blocked_ms() == 0,
             "launch waited for the device, " + analysis::milliseconds_text(made.blocked_ms()) + " in " +
                 named(made) + ", though it is not to debug",
             look_at("what exercise.hpp says of launch: it returns at once"));
    }
    expect_prompt(seen_, "launch", mark(step), 0, by_device(0.5, 30),
                  "after it was called, though it is not to debug",
                  look_at("what exercise.hpp says of launch: it returns at once"));
  }

  /// Fails the check where the step, a wait, came back long after the last of the launches that it waited
  /// for.
  void expect_comes_back_with(const std::string& kernel, int step) const {
    expect_prompt(seen_, is_wait(step) ? "wait()" : "launch, to debug,", mark(step),
                  seen_.trace.kernels(kernel).back().when().end, by_device(2, 30),
                  "after " + kernel + " had ended",
                  look_at("which call waits for the stream, and ends with it"));
  }

  /// Fails the check where the step waited for the work of the step "busy".
  void expect_not_held_up(int step) const {
    error_handling::expect_not_held_up(seen_, step_text(step), calls(step));
  }

  /// Fails the check unless the step told that work had failed, as one of `suspects`, and launched nothing.
  void expect_failed_work(int step, const std::vector<std::string>& suspects, const look_at& hint) const {
    const attempt made = at(step);
    expect(made.failed() && made.status == illegal_address &&
               std::find(suspects.begin(), suspects.end(), made.suspects) != suspects.end(),
           step_text(step) + " " + made.in_words() + first_failure(calls(step)) +
               ". Expected: a cuda_failure with " + illegal_address + " and " +
               suspects_text(suspects.front()) + ", or " + suspects_text(suspects.back()) +
               ": it is the error of work, which nobody had read",
           hint);
    expect(launched(step) == 0, step_text(step) + " launched its kernel", hint);
  }

 private:
  static std::size_t index(int step) { return static_cast<std::size_t>(step); }

  /// The driver's mark in front of the step.
  std::ptrdiff_t mark(int step) const {
    const auto all = words();
    const auto attempts = std::count_if(all.begin(), all.begin() + step, [](const std::string& word) {
      return word != "pause" && word != "busy" && word != "ignored_failure" && word != "ignored_shortage" &&
             word != "foreign_fault" && word != "unread";
    });
    return 2 * attempts;
  }

  std::vector<std::string> words() const {
    std::istringstream text(steps_);
    std::vector<std::string> all;
    for (std::string word; text >> word;) all.push_back(word);
    return all;
  }

  static std::string in_words(const std::string& step) {
    if (step == "pause") return "the device idle";
    if (step == "ignored_failure" || step == "ignored_shortage") {
      return "somebody's failed call that nobody checked";
    }
    if (step == "foreign_fault") return "a fault of somebody else's kernel";
    if (step == "unread") return "an error of it that nobody read";
    if (step == "busy") return "another stream busy";
    if (step == "wait") return "wait()";
    const auto mark = step.find('!');
    const std::string name = step.substr(0, mark),
                      failure = mark == std::string::npos ? "" : step.substr(mark + 1);
    if (failure.empty()) return name;
    const bool refused = failure == "rejected" || failure == "homeless";
    return name + (refused ? ", which is rejected" : ", which faults");
  }

  std::string steps_;
  returned_run seen_;
};

}  // namespace lab::checks::error_handling

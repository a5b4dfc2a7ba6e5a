#include <algorithm>
#include <analysis/delays.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "attempts.hpp"
#include "checks/check.hpp"
#include "launches.hpp"

using namespace lab::checks;
using namespace lab::checks::error_handling;
using lab::analysis::milliseconds_text;

namespace {

const std::vector<std::string> rejections{"cudaErrorInvalidConfiguration", "cudaErrorInvalidValue"};

// As cudaError_t numbers them.
constexpr int success = 0, not_ready = 600, launch_failure = 719, memory_allocation = 2;

/// What the predictions ask for is not shown before they are made.
void predict_first(const std::string& prediction) {
  if (observe_answers("predictions").text(prediction) == "?")
    postpone("what this check shows is what " + prediction + " asks for: predict it first");
}

input_list use(const std::string& what, int status, bool ignored_failure = false, bool first = true) {
  return {{"use", what},
          {"status", status},
          {"ignored_failure", ignored_failure ? 1 : 0},
          {"first", first ? 1 : 0}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Whether the number stands in the text by itself, not within another one.
bool has_number(const std::string& text, int number) {
  const std::string digits = std::to_string(number);
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  for (auto at = text.find(digits); at != std::string::npos; at = text.find(digits, at + 1)) {
    if (!(at > 0 && is_digit(at - 1)) && !is_digit(at + digits.size())) return true;
  }
  return false;
}

/// How much of answer_took_ms the machine added, which had other things to do.
double late_answer_ms(const returned_run& seen) {
  std::vector<lab::trace::time_ns> reads;  // of the driver, which reads the clock around that answer first
  for (const auto& read : seen.trace.run().clock_reads) {
    if (lab::analysis::student_frame(read.stack) == nullptr) reads.push_back(read.at);
  }
  return reads.size() < 2 ? 0 : lab::analysis::late_ms(seen.trace, {reads[0], reads[1]});
}

}  // namespace

CHECK_CASE("the prediction of who reports the kernel's error is right", points(1)) {
  const auto seen = observe_answers("predictions");
  expect_prediction(seen.text("predicted_reporter"), seen.text("reporter"));
}

CHECK_CASE("the prediction of what not ready leaves behind is right", points(1)) {
  const auto seen = observe_answers("predictions");
  expect_prediction(seen.text("predicted_last_error"), seen.text("last_error"));
}

CHECK_CASE("the prediction of what can be recovered from is right", points(1)) {
  const auto seen = observe_answers("predictions");
  expect_prediction(seen.text("predicted_recovery"), seen.text("recovery"));
}

CHECK_CASE("CUDA_CHECK evaluates its expression once", points(2)) {
  for (const int status : {success, memory_allocation}) {
    const auto made = calls_behind(returned_run(observe_any("use", use("a call", status))), 0);
    const auto calls =
        std::count_if(made.begin(), made.end(), [](const auto& each) { return each.name() == "cudaMalloc"; });
    expect(calls == 1,
           "CUDA_CHECK(cudaMalloc(memory, bytes)) called cudaMalloc " + std::to_string(calls) +
               " times where it " + (status == success ? "succeeds" : "fails"),
           look_at(calls == 0
                       ? "when the macro leaves the expression out: exercise.hpp makes this a release build"
                       : "how often the macro's text names its parameter"));
  }
  for (const bool first : {true, false}) {
    const auto seen = run("use", use("an if", success, false, first), "CUDA_CHECK");
    expect(seen.integer("first_evaluated") == (first ? 1 : 0) &&
               seen.integer("second_evaluated") == (first ? 0 : 1),
           "in `if (first) CUDA_CHECK(one()); else CUDA_CHECK(other());`, with first " +
               std::string(first ? "true" : "false") + ", one() was called " +
               std::to_string(seen.integer("first_evaluated")) + " times and other() " +
               std::to_string(seen.integer("second_evaluated")) + " times",
           look_at("an `if` in the macro, which takes the `else` behind it for its own"));
  }
}

CHECK_CASE("CUDA_CHECK throws the failure, with place, expression and error name", points(3)) {
  const auto judge = [](const input_list& how, const std::string& written, const std::string& status) {
    const auto seen = run("use", how, "CUDA_CHECK");
    const attempt made = read_attempt(seen, "use");
    expect(made.failed() && made.status == status,
           "CUDA_CHECK(" + written + "), where that is " + status + ", " +
               (made.failed() ? "threw a cuda_failure with " + made.status : made.in_words()),
           look_at("what the macro does with the value of its expression, whatever that looks like"));
    expect(contains(made.message, status),
           "the message of CUDA_CHECK(" + written + ") does not have the error's name, " + status + ": \"" +
               made.message + "\"",
           look_at("cudaGetErrorName; cudaGetErrorString describes, which nobody can look up"));
    const attempt again = read_attempt(seen, "again");
    expect(again.failed() && again.status == status,
           "CUDA_CHECK(" + written + ") threw once, and the second time " + again.in_words(),
           look_at("what it remembers from one use to the next"));
    expect(made.suspects.empty(),
           "CUDA_CHECK(" + written + ") " + made.in_words() + ", but no launch is to blame",
           look_at("what is handed to cuda_failure"));
    expect_nothing_written(seen, "CUDA_CHECK");
    expect_no_reset(seen, "CUDA_CHECK");
    return std::pair{seen, made};
  };
  const auto [seen, made] =
      judge(use("a call", memory_allocation), "cudaMalloc(memory, bytes)", "cudaErrorMemoryAllocation");
  expect(contains(made.message, "cudaMalloc"),
         "the message does not have the expression, cudaMalloc(memory, bytes): \"" + made.message + "\"",
         look_at("#parameter in a macro, which is the parameter's text"));
  const auto place = seen.trace.calls("cudaMalloc").front().raw().stack.front();
  const std::string file = place.file.substr(place.file.rfind('/') + 1);
  expect(
      contains(made.message, file) && has_number(made.message, place.line),
      "the failed call stands in " + file + ", line " + std::to_string(place.line) +
          ", but the message says \"" + made.message + "\"",
      look_at(
          "where __FILE__ and __LINE__ stand: in a function they are the function's own place, in the macro "
          "that of its use"));

  for (const bool first : {true, false}) {
    judge(use("a choice", launch_failure, false, first), "first ? one : other", "cudaErrorLaunchFailure");
  }
  judge(use("a template", launch_failure), "same<int, float>(value)", "cudaErrorLaunchFailure");
  const std::string names =
      "status error err result code e rc ret res r s st value cudaStatus cudaError cudaErr "
      "cuda_status cuda_error status_ error_ err_ x ec ok e_ r_ s_ st_ rc_ ret_ result_ code_ err2 "
      "err__ _e _err _error _status _result _r error_code errorCode err_code errCode cudaResult "
      "cuda_result cuda_err cudaErr_t cudaError_ cudaStatus_ gpuError gpu_error return_code retval "
      "macro_status check_status tmp temp";
  const auto variables = run("variables", {{"names", names}, {"status", launch_failure}}, "CUDA_CHECK");
  const std::string wrong = variables.text("wrong");
  expect(wrong.empty(),
         "CUDA_CHECK(" + wrong + "), where that is cudaErrorLaunchFailure, " + variables.text("what"),
         look_at("what the macro does with the value of its expression, whatever that looks like"));
  judge(use("status", not_ready), "status", "cudaErrorNotReady");
}

CHECK_CASE("CUDA_CHECK takes its own error away and no other", points(2),
           needs("CUDA_CHECK throws the failure, with place, expression and error name")) {
  const auto failing = run("use", use("a call", memory_allocation), "CUDA_CHECK");
  expect_taken("CUDA_CHECK", read_attempt(failing, "use"), calls_behind(failing, 0));
  for (const std::string what : {"a call", "status"}) {
    const auto seen = run("use", use(what, success, true), "CUDA_CHECK");
    const attempt made = read_attempt(seen, "use");
    expect(made.returned(),
           "CUDA_CHECK " + made.in_words() +
               " though its expression was cudaSuccess: a call before it had failed",
           look_at("what the macro asks: the value of its expression, or cudaGetLastError, where anybody's "
                   "error is"));
    expect_left_alone("CUDA_CHECK of a success", made, calls_behind(seen, 0));
    for (const auto& each : calls_behind(seen, 0)) {
      expect(!each.waits(), "CUDA_CHECK waited, in " + named(each) + ", where its expression was cudaSuccess",
             look_at("what exercise.hpp says of a success: that it does nothing else"));
    }
  }
}

CHECK_CASE("launch tells a launch that was rejected at once", points(2)) {
  const launcher_run steps("load scale!rejected sum wait");
  steps.expect_returned(0);
  const auto told = steps.told(1);
  steps.expect_failure(
      1, told.empty() ? rejections : told, "scale",
      "this launch has more threads per block than there can be",
      look_at("where a launch that was not accepted is told: cudaGetLastError, right behind it"));
  steps.expect_returned(2);
  steps.expect_returned(3);
  for (const int launch : {0, 1, 2}) steps.expect_returns_at_once(launch);
  steps.expect_comes_back_with("sum", 3);

  if (judging_on_gpu()) return;  // to use a stream that is gone may crash the program
  const launcher_run homeless("load scale!homeless sum busy wait");
  homeless.expect_failure(1, {"cudaErrorInvalidResourceHandle"}, "scale",
                          "the stream that this launch names is gone",
                          look_at("which failures of a launch there are: more than one"));
  for (const auto& made : homeless.calls(1)) {
    expect(made.blocked_ms() == 0,
           "launch waited for the device, " + milliseconds_text(made.blocked_ms()) + " in " + named(made) +
               ", because a launch was rejected",
           look_at("how a launch that was rejected is told from work that has failed: by the stream"));
  }
  homeless.expect_returned(4);
  homeless.expect_not_held_up(4);
}

CHECK_CASE("launch passes on what an earlier call left, and blames nobody", points(2)) {
  const launcher_run steps("load ignored_failure scale sum wait");
  steps.expect_returned(0);
  steps.expect_failure(2, {ignored}, "", "it is the error of a call before this launch",
                       look_at("what is in cudaGetLastError before the kernel is launched"));
  expect(steps.launched(2) == 0,
         steps.step_text(2) + " launched its kernel before it looked for an earlier error",
         look_at("the order of the launch and of the cudaGetLastError that comes first"));
  steps.expect_returned(3);
  steps.expect_returned(4);

  const launcher_run shortage("load ignored_shortage scale wait");
  shortage.expect_failure(2, {"cudaErrorMemoryAllocation"}, "",
                          "it is the error of a call before this launch",
                          look_at("what is in cudaGetLastError before the kernel is launched"));

  const launcher_run waits("load ignored_failure wait scale");
  waits.expect_returned(2);
  expect_left_alone(waits.step_text(2), waits.at(2), waits.calls(2));
  waits.expect_failure(3, {ignored}, "", "it is the error of a call before this launch",
                       look_at("what is in cudaGetLastError before the kernel is launched"));
}

CHECK_CASE("a fault is blamed on the launches since the last successful wait", points(3)) {
  predict_first("predicted_reporter");
  const look_at list("when a name goes on the list of suspects, and when the list is emptied");
  const launcher_run plain("load wait scale sum!faulty store wait");
  for (const int step : {0, 1, 2, 3, 4}) plain.expect_returned(step);
  plain.expect_failure(5, {illegal_address}, "scale, sum, store",
                       "one of these was at work, and load had been waited for", list);

  const launcher_run many(
      "load wait scale scale scale scale scale scale scale scale scale scale scale scale sum!faulty wait");
  many.expect_failure(
      15, {illegal_address},
      "scale, scale, scale, scale, scale, scale, scale, scale, scale, scale, scale, scale, sum",
      "one of these was at work, some under one name", list);

  const launcher_run with_rejected("scale!rejected sum!faulty wait");
  with_rejected.expect_failure(2, {illegal_address}, "sum", "scale was rejected, so it never ran", list);

  const launcher_run rejected_between("load scale!rejected sum!faulty wait");
  rejected_between.expect_failure(3, {illegal_address}, "load, sum",
                                  "a rejected launch proves nothing of those before it", list);
  const launcher_run unread_between("load ignored_failure scale sum!faulty wait");
  unread_between.expect_failure(4, {illegal_address}, "load, sum",
                                "an error that was left behind proves nothing of the launches", list);

  const look_at launch("what a launch reports when the stream's work has failed before it: not itself");
  const launcher_run at_launch("load wait sum!faulty pause store");
  at_launch.expect_returned(2);
  at_launch.expect_failure(4, {illegal_address}, "sum", "store was refused because sum had failed before",
                           launch);

  const launcher_run trap("load wait sum!trapped pause store");
  trap.expect_failure(4, {"cudaErrorLaunchFailure"}, "sum", "store was refused because sum had failed before",
                      launch);

  const launcher_run foreign("load wait foreign_fault pause wait");
  foreign.expect_failure(4, {illegal_address}, "", "all launches had been waited for before it happened",
                         list);
  const launcher_run foreign_at_launch("load wait foreign_fault pause scale");
  foreign_at_launch.expect_failure(4, {illegal_address}, "",
                                   "all launches had been waited for before it happened", launch);

  const launcher_run unread("load wait sum foreign_fault unread scale wait");
  unread.expect_failed_work(5, {"sum", ""}, launch);
  unread.expect_failure(6, {illegal_address}, unread.at(5).suspects == "" ? "sum" : unread.at(5).suspects,
                        "sum had not been waited for", list);
}

CHECK_CASE("to debug, a fault is blamed on the one launch that caused it", points(1)) {
  predict_first("predicted_reporter");
  const launcher_run steps("load scale!rejected sum!faulty", true);
  const look_at hint("what a launch has to do, to debug, before it returns");
  steps.expect_returned(0);
  steps.expect_comes_back_with("load", 0);
  steps.expect_failure(1, rejections, "scale", "this launch has more threads per block than there can be",
                       hint);
  steps.expect_failure(2, {illegal_address}, "sum", "with debug, each launch is waited for", hint);
}

CHECK_CASE("after a fault nothing is launched any more, and everybody is told why", points(2),
           needs("a fault is blamed on the launches since the last successful wait")) {
  predict_first("predicted_recovery");
  const look_at hint("what launch and wait do first, once work has failed");
  const auto judge = [&](const launcher_run& steps, int step, const std::string& suspects) {
    if (!steps.is_wait(step)) {
      expect(steps.launched(step) == 0,
             steps.step_text(step) + " launched its kernel, though work had failed before" +
                 first_failure(steps.calls(step)),
             hint);
    }
    steps.expect_failure(step, {illegal_address}, suspects,
                         "no call can work any more, for the same reason as before", hint);
    steps.expect_no_reset();
  };
  const launcher_run told_by_wait("load sum!faulty wait scale wait store");
  for (const int step : {3, 4, 5}) judge(told_by_wait, step, "load, sum");
  const launcher_run told_by_launch("sum!faulty pause load scale wait");
  for (const int step : {3, 4}) judge(told_by_launch, step, "sum");
  const launcher_run debugging("load sum!faulty scale wait", true);
  for (const int step : {2, 3}) judge(debugging, step, "sum");
}

CHECK_CASE("is_done tells not ready from failed", points(3)) {
  predict_first("predicted_last_error");
  const auto poll = [](const std::string& work, bool ignored_failure = false) {
    return run(
        "poll",
        {{"work", work}, {"ignored_failure", ignored_failure ? 1 : 0}, {"kernel_ms", by_device(3, 60)}},
        "is_done");
  };
  const auto calls = [](const returned_run& seen) {
    auto both = calls_behind(seen, 0);
    for (const auto& later : calls_behind(seen, 2)) both.push_back(later);
    return both;
  };
  const look_at answers(
      "the three answers of cudaEventQuery: cudaSuccess, cudaErrorNotReady, and anything else");
  const auto judge_first = [&](const returned_run& seen) {
    const attempt first = read_attempt(seen, "first");
    expect(first.returned(),
           "is_done " + first.in_words() + " while the work was still running" + first_failure(calls(seen)),
           answers);
    for (const auto& made : calls(seen)) {
      expect(made.blocked_ms() == 0,
             "is_done waited for the work, in " + named(made) + ", instead of only asking",
             look_at("cudaEventQuery"));
    }
    const auto took = seen.number("answer_took_ms");
    expect(took <= by_device(0.1, 10) + late_answer_ms(seen),
           "is_done took " + milliseconds_text(took) + " to answer while the work was still running",
           look_at("what else it does than to ask: whoever polls has other things to do"));
    expect(seen.integer("first") == 0, "is_done said \"done\" while the work was still running", answers);
    return first;
  };
  const auto good = poll("good");
  judge_first(good);
  const attempt end = read_attempt(good, "last");
  expect(end.returned() && good.integer("last") == 1,
         "is_done " + (end.returned() ? "never said that the work was done" : end.in_words()) +
             ", after work in which nothing failed",
         answers);

  const auto faulty = poll("faulty");
  judge_first(faulty);
  const attempt failure = read_attempt(faulty, "last");
  expect(!failure.returned(),
         (faulty.integer("last") == 1
              ? "is_done said \"done\" of work that had failed"
              : "is_done said \"not yet\" of work that had failed, 300 times: whoever polls "
                "with it never ends") +
             first_failure(calls(faulty)),
         answers);
  expect(failure.failed() && failure.status == illegal_address,
         "is_done " + failure.in_words() + first_failure(calls(faulty)), answers);
  expect_taken("is_done", failure, calls(faulty));
  expect_nothing_written(faulty, "is_done");
  expect_no_reset(faulty, "is_done");

  const auto behind_ignored = poll("good", true);
  expect_left_alone("is_done", judge_first(behind_ignored), calls(behind_ignored));
  const attempt last = read_attempt(behind_ignored, "last");
  expect(last.returned(), "is_done " + last.in_words() + ", but that was the error of an earlier call",
         look_at("what cudaEventQuery itself returned"));
  expect_left_alone("is_done", last, calls(behind_ignored));
}

CHECK_CASE("elapsed_ms gives a time only where there is one", points(3)) {
  const auto elapsed = [](const std::string& start, const std::string& stop, const std::string& work = "good",
                          bool ignored_failure = false) {
    return run("elapsed",
               {{"start", start},
                {"stop", stop},
                {"work", work},
                // it fails behind the record of the stop event, also where the machine has other things to do
                {"kernel_ms", work == "good" ? fresh("kernel_ms").between(4, 6) : 50.0},
                {"ignored_failure", ignored_failure ? 1 : 0}},
               "elapsed_ms");
  };
  const auto calls = [](const returned_run& seen) { return calls_behind(seen, 0); };
  /// "elapsed_ms gave 0 ms", or how else it ended.
  const auto in_words = [&](const returned_run& seen) {
    const attempt made = read_attempt(seen, "elapsed");
    return (made.returned() ? "elapsed_ms gave " + milliseconds_text(seen.any_number("reported_ms"))
                            : "elapsed_ms " + made.in_words()) +
           first_failure(calls(seen));
  };
  for (const bool ignored_failure : {false, true}) {
    const auto seen = elapsed("timed", "timed", "good", ignored_failure);
    const attempt made = read_attempt(seen, "elapsed");
    expect(made.returned(), in_words(seen) + "; the work was good, and so are both events",
           look_at("whether the device has got to the stop event, and whose error it is"));
    expect(seen.number("reported_ms").from("elapsed_ms"),
           between_events(seen.trace, {seen.trace.kernels("the_work").back()}),
           look_at("what has to be true before cudaEventElapsedTime has something to subtract"));
    expect_not_held_up(seen, "elapsed_ms", calls(seen));
    expect_prompt(seen, "elapsed_ms", 0, seen.trace.kernels("the_work").back().when().end, by_device(2, 30),
                  "after the device had got to the stop event",
                  look_at("what exercise.hpp says of how long it blocks"));
    if (ignored_failure) expect_left_alone("elapsed_ms", made, calls(seen));
  }
  for (const auto& [start, stop] :
       {std::pair{"sync_only", "timed"}, {"timed", "sync_only"}, {"sync_only", "sync_only"}}) {
    const auto seen = elapsed(start, stop);
    const attempt made = read_attempt(seen, "elapsed");
    const std::string which = std::string(start) == "timed" ? "stop" : "start";
    expect(made.ended == "std::invalid_argument",
           in_words(seen) + "; expected a std::invalid_argument: the " + which +
               " event was made without timing",
           look_at("event::timed: the runtime answers as it does for an event that was never recorded"));
    expect(made.left == "cudaSuccess",
           "elapsed_ms refused an event without timing, and left " + made.left +
               " in cudaGetLastError all the same" + first_failure(calls(seen)),
           look_at("what can be known before any CUDA call"));
  }
  for (const auto& [start, stop] : {std::pair{"unrecorded", "timed"}, {"timed", "unrecorded"}}) {
    const auto seen = elapsed(start, stop);
    const attempt made = read_attempt(seen, "elapsed");
    const std::string which = std::string(start) == "timed" ? "stop" : "start";
    expect(made.failed(),
           in_words(seen) + "; expected a cuda_failure: the " + which + " event was never recorded",
           look_at("what cudaEventElapsedTime returns, and what it leaves in the variable then"));
    const auto made_calls = calls(seen);
    const bool was_told = std::any_of(made_calls.begin(), made_calls.end(), [&](const auto& each) {
      return each.failed() && each.raw().error == made.status;
    });
    expect(was_told, in_words(seen) + ", which none of its calls had returned",
           look_at("which status the cuda_failure is given"));
    expect_taken("elapsed_ms", made, calls(seen));
  }
  const auto faulty = elapsed("timed", "timed", "faulty");
  const attempt failure = read_attempt(faulty, "elapsed");
  expect(failure.failed() && failure.status == illegal_address,
         in_words(faulty) + "; expected a cuda_failure with " + illegal_address +
             ": the work failed, and has no time",
         look_at("the status of each call, the wait's too"));
  expect_taken("elapsed_ms", failure, calls(faulty));
  expect_nothing_written(faulty, "elapsed_ms");
  expect_no_reset(faulty, "elapsed_ms");
  const auto needless = calls(elapsed("timed", "sync_only"));
  expect(needless.empty(),
         "elapsed_ms called " + (needless.empty() ? "nothing" : named(needless.front())) +
             " before it refused an event without timing",
         look_at("what can be known before any CUDA call"));
}

CHECK_CASE("the destructor gives everything back, whatever fails, and says what failed", points(3)) {
  const std::string who = "the destructor";
  const auto calls = [](const returned_run& seen) { return calls_behind(seen, 1); };
  const std::string everything = "stream start stop data";
  const auto destroy = [&](const std::string& parts, const std::string& state = "good",
                           bool unwinding = false, bool ignored_failure = false) {
    const auto seen = run("give_back",
                          {{"parts", parts},
                           {"state", state},
                           {"unwinding", unwinding ? 1 : 0},
                           {"ignored_failure", ignored_failure ? 1 : 0}},
                          who);
    expect_no_reset(seen, who);
    return seen;
  };
  const auto written = [](const returned_run& seen) {
    const std::string begin = "[destructor begins]\n", end = "[destructor has ended]";
    const std::string& output = seen.raw().output;
    const auto from = output.find(begin) + begin.size();
    return output.substr(from, output.find(end) - from);
  };
  const auto expect_given_back = [&](const returned_run& seen, const std::string& of_what,
                                     const std::vector<std::string>& wanted) {
    const auto made = calls(seen);
    for (const std::string name : {"cudaStreamDestroy", "cudaEventDestroy", "cudaFree"}) {
      const auto needed = std::count(wanted.begin(), wanted.end(), name);
      const auto there =
          std::count_if(made.begin(), made.end(), [&](const auto& call) { return call.name() == name; });
      expect(there == needed,
             who + " of resources " + of_what + " called " + name + " " + std::to_string(there) +
                 " times, not " + std::to_string(needed) + first_failure(made),
             look_at(there < needed ? "what comes behind a call that failed"
                                    : "what is called for what is not there"));
    }
  };
  const auto expect_silent = [&](const returned_run& seen) {
    expect(written(seen).empty(), who + " wrote \"" + written(seen) + "\", though none of its calls failed",
           look_at("whose error it found"));
  };
  /// A line for each of the failed calls, with both names in it.
  const auto expect_told = [&](const returned_run& seen) {
    std::vector<std::string> lines;
    std::istringstream text(written(seen));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    for (const auto& made : calls(seen)) {
      if (!made.failed() || made.name() == "cudaGetLastError") continue;
      const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& each) {
        return contains(each, made.name()) && contains(each, made.raw().error);
      });
      expect(line != lines.end(),
             named(made) + " in the destructor failed with " + made.raw().error +
                 ", and no line of its own on stderr " + "has both names. What is there: " +
                 (written(seen).empty() ? "nothing" : "\"" + written(seen) + "\""),
             look_at("what the destructor does with the status of each call"));
      lines.erase(line);
    }
  };
  const std::vector<std::string> all{"cudaFree", "cudaEventDestroy", "cudaEventDestroy", "cudaStreamDestroy"};

  const auto whole = destroy(everything);
  expect_given_back(whole, "that has everything", all);
  expect_silent(whole);
  for (const bool unwinding : {false, true}) {
    const auto fault = destroy(everything, "fault", unwinding);
    expect_given_back(fault, "on a device whose work has failed", all);
    expect_told(fault);
    expect_taken(who, read_attempt(fault, "scope"), calls(fault));
  }
  const auto bad = destroy(everything, "bad_pointer");
  expect_given_back(bad, "whose data is not what cudaMalloc gave", all);
  expect_told(bad);
  expect_taken(who, read_attempt(bad, "scope"), calls(bad));

  const auto half = destroy("stream start");
  expect_given_back(half, "that has a stream and a start event only",
                    {"cudaEventDestroy", "cudaStreamDestroy"});
  expect_silent(half);
  expect_given_back(destroy("data"), "that has data only", {"cudaFree"});
  expect_given_back(destroy("stream"), "that has a stream only", {"cudaStreamDestroy"});
  expect_given_back(destroy("start"), "that has a start event only", {"cudaEventDestroy"});
  expect_given_back(destroy("stop"), "that has a stop event only", {"cudaEventDestroy"});
  expect_given_back(destroy(""), "that has nothing", {});
  const auto behind_ignored = destroy(everything, "good", false, true);
  expect_given_back(behind_ignored, "that has everything, behind a failed call of somebody else's", all);
  expect_silent(behind_ignored);
  expect_left_alone(who, read_attempt(behind_ignored, "scope"), calls(behind_ignored));
}

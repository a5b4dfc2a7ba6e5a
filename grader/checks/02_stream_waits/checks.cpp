#include <algorithm>
#include <string>
#include <vector>

#include "job.hpp"

using namespace lab::checks;
using namespace lab::checks::stream_waits;
using lab::analysis::milliseconds_text;

namespace {

/// What is wrong with a job, by the driver's name.
struct failure {
  const char* name;
  const char* in_words;
};
const failure failures[] = {{"no_input", "job.input was a null pointer"},
                            {"no_output", "job.output was a null pointer"},
                            {"no_device_memory", "job.device was a null pointer"},
                            {"no_copies_stream", "the stream `copies` had been destroyed"},
                            {"no_compute_stream", "the stream `compute` had been destroyed"},
                            {"faulty_work", "work of others in `copies` had written where no memory is"}};

/// A real GPU gives no error for a stream that was destroyed: the program crashes, or anything else happens.
bool can_happen(const std::string& failure) {
  const bool destroyed = failure == "no_copies_stream" || failure == "no_compute_stream";
  return !destroyed || !judging_on_gpu();
}

/// Situations in which an edge is judged: the stream `busy` is quiet or not, the streams are the first ones
/// or others; factors and sizes are of several kinds.
std::vector<std::pair<input_list, int>> edge_situations(const char* busy) {
  const auto count = [](const char* name, int lowest, int highest) {
    return static_cast<int>(fresh(name).integer(lowest, highest));
  };
  return {
      {{{busy, 0.0}, {"factor", fresh("fraction").between(0.1, 0.9)}, {"count", count("mid", 2000, 49'999)}},
       1},
      {{{busy, 5.0}, {"factor", -fresh("factor").between(2, 9)}}, 1},
      {{{busy, 5.0}, {"factor", 1.0}, {"count", count("small", 2, 1000)}}, 2}};
}

}  // namespace

CHECK_CASE("the prediction of what a stream's wait costs the CPU is right", points(1)) {
  const auto seen = observe_answers("predictions", {{"kernel_ms", 80.0}});
  const double actual_ms = seen.number("stream_wait_event_ms");
  // A busy machine makes the call take longer now and then.
  const double least_ms = by_device(actual_ms / 10, 0.0001);
  expect_prediction(seen.any_number("predicted_wait_ms"), between(least_ms, actual_ms * 10),
                    think_of("whom the call makes wait, the CPU or the other stream"));
}

CHECK_CASE("the prediction of the call that makes the CPU wait is right", points(1)) {
  const auto seen = observe_answers("predictions", {{"kernel_ms", 80.0}});
  const std::string chosen = seen.text("predicted_waiting_call");
  if (chosen == "?")
    fail("predicted_waiting_call holds no prediction yet", "Choose one, at the top of your file.");
  const double took_ms = seen.number(chosen + "_ms");
  expect(took_ms >= 40,  // the kernel has begun by the time that the clock is read
         chosen + " came back while the kernel of 80 ms was running",
         look_at("which of these calls is about the CPU, and which only puts something into a queue"));
}

CHECK_CASE("each piece of work is in the stream that it belongs to", points(2)) {
  for (const char* streams : {"non_blocking", "blocking"}) {
    const job done = do_job({{"streams", streams}});
    const auto judge = [&](const lab::analysis::work& work, const std::string& what, lab::trace::id wanted,
                           const std::string& wanted_name) {
      expect(work.stream() == wanted,
             named(what, work) + " is in " + lab::analysis::stream_text(done.seen.trace, work.stream()) +
                 ", not in `" + wanted_name + "`",
             look_at("the stream that it is submitted to"), done.seen, active(done.seen));
    };
    judge(done.upload, "the upload", copies, "copies");
    judge(done.kernel, "scale", compute, "compute");
    judge(done.download, "the download", copies, "copies");
  }
}

CHECK_CASE("scale waits for the upload", points(3)) {
  for (const auto& [situation, calls] : edge_situations("copies_busy_ms")) {
    const job done = do_job(situation, calls);
    expect_ordered(
        done, done.upload, done.kernel,
        "nothing makes " + named("scale", done.kernel) + " wait for " + named("the upload", done.upload));
  }
}

CHECK_CASE("the download waits for scale", points(3)) {
  for (const auto& [situation, calls] : edge_situations("compute_busy_ms")) {
    const job done = do_job(situation, calls);
    expect_ordered(
        done, done.kernel, done.download,
        "nothing makes " + named("the download", done.download) + " wait for " + named("scale", done.kernel));
  }
}

CHECK_CASE("the output is there when the function returns, and nothing else happened to it", points(2),
           needs("scale waits for the upload", "the download waits for scale")) {
  for (const int count : {1, 1000, 100'000, 300'001}) {
    const auto seen = run_job({{"count", count}, {"copies_busy_ms", 3.0}});
    expect_no_hazards(seen);
    expect_no_findings(seen);
  }
  expect_no_hazards(run_job({{"calls", 2}, {"copies_busy_ms", 3.0}}));
  expect_no_hazards(run_job({{"streams", "blocking"}, {"compute_busy_ms", 3.0}}));
}

CHECK_CASE("the output is the input times the factor, for every size", points(2),
           needs("the output is there when the function returns, and nothing else happened to it")) {
  const double fresh_factor = fresh("factor").between(2, 9);
  for (const int count : {0, 1, 255, 256, 257, 100'000, 400'001}) {
    const bool even = count % 2 == 0;
    for (const double factor : {even ? 1.0 : 0.0, even ? -fresh_factor : fresh_factor}) {
      const auto seen = run_job({{"count", count}, {"factor", factor}, {"copies_busy_ms", 1.0}});
      std::vector<float> wanted;
      for (int i = 0; i < count; ++i) {
        wanted.push_back(static_cast<float>(i % 1000 + 1) * static_cast<float>(factor));
      }
      expect(seen.buffer<float>("output"), equals(wanted), look_at("what the kernel is launched with"));
      expect(seen.integer("input_is_kept") == 1, std::string(function) + " changed the input",
             look_at("what is written to job.input, which is the caller's"));
    }
  }
}

CHECK_CASE("the CPU waits once, behind its last submission", points(2),
           needs("the output is there when the function returns, and nothing else happened to it")) {
  for (const double busy_ms : {by_device(20, 200), by_device(2, 100)}) {
    const job done = do_job({{"copies_busy_ms", busy_ms}, {"compute_busy_ms", busy_ms}});
    const auto& trace = done.seen.trace;
    const auto submitted = last_submission(done);
    int waits = 0;
    for (const auto& made : trace.calls_in(function)) {
      if (made.blocked_ms() == 0) continue;
      ++waits;
      expect(made.when().begin >= submitted,
             made.name() + " (" + made.where() + ") made the CPU wait for " +
                 milliseconds_text(made.blocked_ms()) + " before everything was submitted",
             look_at("what makes a stream wait, and not the CPU"), done.seen, active(done.seen));
    }
    for (const auto& earlier : trace.kernels("earlier_work")) {
      const bool in_the_way = earlier.stream() == copies || earlier.stream() == compute;  // not the first one
      expect(!in_the_way || submitted < earlier.when().end,
             "earlier_work, which was in " + lab::analysis::stream_text(trace, earlier.stream()) +
                 " before the call, had ended before everything was submitted: the CPU " +
                 kept_busy_by(done.seen, submitted),
             look_at("what the CPU does between its submissions: anything that comes back only when work is "
                     "done is a wait"),
             done.seen, active(done.seen));
    }
    std::string slept;  // and where
    for (const auto& pause : trace.run().pauses) {
      const std::string where = lab::analysis::place(pause.stack);
      if (where.empty() || pause.kind != lab::trace::pause_kind::slept) continue;
      expect(pause.begin >= submitted, "the CPU slept (" + where + ") before everything was submitted",
             look_at("what orders the work: a time that was long enough today does not"), done.seen,
             active(done.seen));
      slept = where;
    }
    for (const auto& made : trace.calls_in(function)) {
      const bool asks = made.name() == "cudaEventQuery" || made.name() == "cudaStreamQuery";
      expect(!asks || made.when().begin >= submitted,
             named(made) + " asked whether work is done before everything was submitted",
             look_at("what makes a stream wait, whatever the answer would be"), done.seen, active(done.seen));
    }
    // To sleep between two questions is one way to wait; to sleep in front of a wait is another one.
    expect(waits <= 1 && (waits == 0 || slept.empty()),
           slept.empty() || waits > 1
               ? std::string(function) + " made the CPU wait " + std::to_string(waits) + " times"
               : "the CPU slept (" + slept + "), and waited besides",
           look_at("the one thing that has to be done when the function returns"), done.seen,
           active(done.seen));
  }
}

CHECK_CASE("work of others neither holds the job up nor is held up by it", points(2)) {
  for (const char* streams : {"non_blocking", "blocking"}) {
    const job done = do_job({{"unrelated_ms", 200.0}, {"streams", streams}});
    expect(done.seen.integer("other_stream_is_busy") == 1,
           std::string(function) + " came back only after unrelated_work, in another stream, had ended",
           look_at("what the CPU waits for"), done.seen, active(done.seen));
    const auto unrelated = done.seen.trace.kernels("unrelated_work").back();
    expect(done.download.when().end < unrelated.when().end,
           "the download was held up until unrelated_work, in another stream, had ended",
           look_at("the streams that the work is in"), done.seen, active(done.seen));
  }
  const auto expect_busy = [](const returned_run& seen, const std::string& when) {
    expect(
        seen.integer("other_stream_is_busy") == 1,
        std::string(function) + " came back only after unrelated_work, in another stream, had ended, " + when,
        look_at("what the CPU waits for there"), seen, active(seen));
  };
  expect_busy(run_job({{"unrelated_ms", 200.0}, {"count", 0}}), "though the job had no elements");
  for (const char* failure : {"no_device_memory", "no_compute_stream"}) {
    if (!can_happen(failure)) continue;
    expect_busy(observe("scale", situation_with({{"unrelated_ms", 200.0}, {"failure", failure}})),
                "when a call had failed");
  }
}

CHECK_CASE("events that only order work keep no time, and are destroyed", points(1)) {
  const auto seen = run_job({});
  for (const auto& event : seen.trace.run().events) {
    const auto created = seen.trace.call_with_id(event.created_by);
    if (created.where().empty()) continue;
    expect(!event.timing, "the event created at " + created.where() + " keeps time, which nobody asks for",
           look_at("cudaEventCreateWithFlags"));
  }
  expect_no_leaks(seen);
  for (const char* failure : {"no_device_memory", "no_compute_stream"}) {
    if (!can_happen(failure)) continue;
    expect_no_leaks(observe("scale", situation_with({{"failure", failure}})));
  }
  expect_all_given_back(run_job({{"count", 0}}), "when there were no elements, ");
  for (const auto& made : calls_that_may_fail(seen)) expect_all_given_back_after(seen, made);
}

CHECK_CASE("a failure is returned", points(1)) {
  for (const failure& each : failures) {
    if (!can_happen(each.name)) continue;
    const auto ran = observe_any("scale", situation_with({{"failure", each.name}}));
    if (ran->how == ending::crashed) continue;  // it used the memory itself, as it may
    const auto failed = first_failed(calls_of_student(returned_run(ran)));
    const std::string what =
        failed ? named(*failed) + " answered " + failed->raw().error + ", since " + each.in_words
               : std::string(each.in_words);
    if (ran->how == ending::stopped || ran->how == ending::timed_out) {
      fail(std::string(function) + " did not come back, though " + what,
           "Look at the loop that asks again: a failure is no \"not ready\".");
    }
    const returned_run seen = observe("scale", situation_with({{"failure", each.name}}));
    const std::string status = seen.text("status");
    expect(status != "cudaSuccess", std::string(function) + " returned cudaSuccess, though " + what,
           look_at(
               failed ? "what becomes of the status of " + named(*failed)
                      : "the CPU's wait for the work, which returns such a failure, and what becomes of it"));
    expect(
        !failed || status == failed->raw().error,
        std::string(function) + " returned " + status + ", though " + what + ", before anything else failed",
        look_at("which status is kept: the first that is no success"));
  }
  const auto quiet = run_job({});
  for (const auto& made : calls_that_may_fail(quiet)) expect_failure_returned(quiet, made, function);
}

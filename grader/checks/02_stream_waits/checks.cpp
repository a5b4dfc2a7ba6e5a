#include <cmath>
#include <string>
#include <vector>

#include "job.hpp"

using namespace lab::checks;
using namespace lab::checks::stream_waits;
using lab::analysis::milliseconds_text;

CHECK_CASE("the prediction of what a stream's wait costs the CPU is right", points(1)) {
  const auto seen = observe("predictions", {{"kernel_ms", 80.0}});
  const double actual_ms = seen.number("stream_wait_event_ms");
  expect_prediction(seen.any_number("predicted_wait_ms"), between(actual_ms / 10, actual_ms * 10));
}

CHECK_CASE("the prediction of the call that makes the CPU wait is right", points(1)) {
  const auto seen = observe("predictions", {{"kernel_ms", 80.0}});
  const std::string chosen = seen.text("predicted_waiting_call");
  if (chosen == "?")
    fail("predicted_waiting_call holds no prediction yet", "Choose one, at the top of your file.");
  const double took_ms = seen.number(chosen + "_ms");
  expect(
      took_ms >= 80,
      chosen + " came back after " + milliseconds_text(took_ms) + ", while the kernel of 80 ms was running",
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
  for (const double busy_ms : {0.0, 5.0}) {
    const job done = do_job({{"copies_busy_ms", busy_ms}});
    expect_ordered(done, done.upload, done.kernel, "nothing makes scale wait for the upload");
  }
}

CHECK_CASE("the download waits for scale", points(3)) {
  for (const double busy_ms : {0.0, 5.0}) {
    const job done = do_job({{"compute_busy_ms", busy_ms}});
    expect_ordered(done, done.kernel, done.download, "nothing makes the download wait for scale");
  }
}

CHECK_CASE("the output is there when the function returns, and nothing else happened to it", points(2),
           needs("scale waits for the upload", "the download waits for scale")) {
  for (const int count : {1, 1000, 100'000, 300'001}) {
    const auto seen = run_job({{"count", count}, {"copies_busy_ms", 3.0}});
    expect_no_hazards(seen);
    expect_no_findings(seen);
  }
  expect_no_hazards(run_job({{"streams", "blocking"}, {"compute_busy_ms", 3.0}}));
}

CHECK_CASE("the output is the input times the factor, for every size", points(2),
           needs("the output is there when the function returns, and nothing else happened to it")) {
  for (const int count : {0, 1, 255, 256, 257, 100'000}) {
    for (const double factor : {3.0, fresh("factor").between(2, 9)}) {
      const auto seen = run_job({{"count", count}, {"factor", factor}, {"copies_busy_ms", 1.0}});
      expect(seen.text("status") == "cudaSuccess", std::string(function) + " returned " +
                                                       seen.text("status") + " for " + std::to_string(count) +
                                                       " elements");
      std::vector<float> wanted;
      for (int i = 0; i < count; ++i) {
        wanted.push_back(static_cast<float>(i % 1000 + 1) * static_cast<float>(factor));
      }
      expect(seen.buffer<float>("output"), equals(wanted), look_at("what the kernel is launched with"));
    }
  }
}

CHECK_CASE("the CPU waits once, behind its last submission", points(2)) {
  const job done = do_job({{"copies_busy_ms", 20.0}, {"compute_busy_ms", 20.0}});
  const auto submitted = done.download.submitted_by().when().end;
  int waits = 0;
  for (const auto& made : done.seen.trace.calls_in(function)) {
    if (made.blocked_ms() == 0) continue;
    ++waits;
    expect(made.when().begin >= submitted,
           made.name() + " (" + made.where() + ") made the CPU wait for " +
               milliseconds_text(made.blocked_ms()) + " before everything was submitted",
           look_at("what makes a stream wait, and not the CPU"), done.seen, active(done.seen));
  }
  expect(waits <= 1, std::string(function) + " made the CPU wait " + std::to_string(waits) + " times",
         look_at("the one thing that has to be done when the function returns"), done.seen,
         active(done.seen));
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
  expect_no_leaks(run_job({{"failure", "no_device_memory"}}));
}

CHECK_CASE("a failure is returned", points(1)) {
  const auto seen = run_job({{"failure", "no_device_memory"}});
  expect(seen.text("status") != "cudaSuccess",
         std::string(function) + " returned cudaSuccess though the copies had no device memory to go to",
         look_at("what each call returns"));
}

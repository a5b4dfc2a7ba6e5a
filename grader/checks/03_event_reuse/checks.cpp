#include <algorithm>
#include <string>
#include <vector>

#include "checks/witness.hpp"
#include "ring.hpp"

using namespace lab::checks;
using namespace lab::checks::event_reuse;
using lab::analysis::work;

namespace {

const char* const structure =
    "each frame goes through the slot of its turn, in the streams that its work belongs to";

/// Fails the check where the choice is not the one that `seen` shows.
void expect_record(const returned_run& seen, const std::string& prediction, const std::string& who,
                   lab::trace::time_ns went_on) {
  const std::string chosen = seen.text(prediction);
  if (chosen == "?") fail(prediction + " holds no prediction yet", "Choose one, at the top of your file.");
  const work a = seen.trace.kernels("work_a").back(), b = seen.trace.kernels("work_b").back();
  const bool after_a = went_on >= a.when().end, after_b = went_on >= b.when().end;
  expect(chosen == (after_b   ? "second"
                    : after_a ? "first"
                              : "neither"),
         "your prediction, " + chosen + ", is not what happens: " + who + " went on " +
             (after_b   ? "when work_b had ended"
              : after_a ? "when work_a had ended and work_b had not"
                        : "before work_a had ended"),
         look_at("when the wait is issued, and which record is there at that moment"), seen,
         lab::analysis::span{a.when().begin, b.when().end});
}

/// Fails the check where brighten's or outline's part of the results is wrong.
void expect_results(const returned_run& seen, int frames, int pixels, double gain) {
  expect_success(seen);
  std::vector<float> wanted_bright, wanted_lines;
  for (int f = 0; f < frames; ++f) {
    for (int i = 0; i < pixels; ++i) {
      const auto pixel = [&](int at) { return static_cast<float>((f + 1) * (at % 1000 + 1)); };
      wanted_bright.push_back(pixel(i) * static_cast<float>(gain));
      wanted_lines.push_back(i == 0 ? 0 : pixel(i) - pixel(i - 1));
    }
  }
  expect(seen.buffer<float>("bright"), equals(wanted_bright),
         look_at("the frame that is read, and what brighten is launched with"));
  expect(seen.buffer<float>("lines"), equals(wanted_lines),
         look_at("the frame that is read, and what outline is launched with"));
}

/// One piece of work of a frame, as messages name it.
struct part_of_frame {
  const work& made;
  const char* what;
  std::size_t frame;
};

/// Fails the check where nothing makes `later` wait for `earlier`. Of a frame of one pixel outline reads
/// nothing, so that no hazard tells of it.
void expect_wait(const job& done, const known_order& known, const part_of_frame& later,
                 const part_of_frame& earlier) {
  expect(known.before(earlier.made, later.made),
         "nothing makes " + named(later.what, later.made) + " of " + frame_in_slot(done, later.frame) +
             ", wait for " + named(earlier.what, earlier.made) + " of " + frame_number(earlier.frame) +
             ", in frames of " + std::to_string(done.pixels) + (done.pixels == 1 ? " pixel" : " pixels"),
         look_at("what has to be done before it may begin, whatever the size of a frame"), done.seen,
         active(done.seen));
}

}  // namespace

CHECK_CASE("the prediction of the record that a stream's wait keeps is right", points(1)) {
  const auto seen = observe_answers("predictions");
  expect_record(seen, "predicted_for_the_stream", "waiting_work, in the other stream,",
                seen.trace.kernels("waiting_work").back().when().begin);
}

CHECK_CASE("the prediction of the record that the CPU waits for is right", points(1)) {
  const auto seen = observe_answers("predictions");
  expect_record(seen, "predicted_for_the_cpu", "the CPU", seen.trace.call("cudaEventSynchronize").when().end);
}

CHECK_CASE("the prediction of what a query says before any record is right", points(1)) {
  const auto seen = observe_answers("predictions");
  const std::string chosen = seen.text("predicted_query"), said = seen.text("query");
  if (chosen == "?") fail("predicted_query holds no prediction yet", "Choose one, at the top of your file.");
  expect(chosen == said, "your prediction, " + chosen + ", is not what happens: it said " + said,
         look_at("what an event stands for: the work in front of its record; and how much of that there is, "
                 "without a record"));
}

CHECK_CASE(structure, points(2)) {
  const job several = do_job(3, 7, 300, {{"streams", "non_blocking"}});
  const job one_large = do_job(3, 1, 2000, {{"streams", "blocking"}}, 1);
  for (const job& done : {several, one_large}) {
    about(done.seen);
    const auto judge = [&](const work& made, const std::string& what, lab::trace::id wanted,
                           const std::string& wanted_name) {
      expect(made.stream() == wanted,
             named(what, made) + " is in " + lab::analysis::stream_text(done.seen.trace, made.stream()) +
                 ", not in `" + wanted_name + "`",
             look_at("the stream that it is submitted to"), done.seen, active(done.seen));
    };
    for (const frame_work& each : done.frames) {
      judge(each.upload, "the upload", copies, "copies");
      judge(each.brighten, "brighten", brightening, "brightening");
      judge(each.outline, "outline", outlining, "outlining");
    }
  }
}

CHECK_CASE("the kernels wait for the upload of their frame", points(3), needs(structure)) {
  for (const job& done : all_rings()) {
    about(done.seen);
    expect_no(missing_edge::upload_to_kernel, done);
    const known_order known(done);
    for (std::size_t f = 0; f < done.frames.size(); ++f) {
      const auto& [upload, brighten, outline] = done.frames[f];
      expect_wait(done, known, {brighten, "brighten", f}, {upload, "the upload", f});
      expect_wait(done, known, {outline, "outline", f}, {upload, "the upload", f});
    }
  }
}

CHECK_CASE("an upload waits until both kernels are done with what is in its slot", points(3),
           needs(structure)) {
  for (const job& done : all_rings()) {
    about(done.seen);
    expect_no(missing_edge::kernel_to_upload, done);
    const known_order known(done);
    for (auto f = static_cast<std::size_t>(done.depth); f < done.frames.size(); ++f) {
      const std::size_t before = f - static_cast<std::size_t>(done.depth);
      const part_of_frame upload{done.frames[f].upload, "the upload", f};
      expect_wait(done, known, upload, {done.frames[before].brighten, "brighten", before});
      expect_wait(done, known, upload, {done.frames[before].outline, "outline", before});
    }
  }
}

CHECK_CASE("the CPU reads a frame into a slot when the frame before is uploaded from it", points(3),
           needs(structure)) {
  for (const job& done : all_rings()) {
    about(done.seen);
    expect_no(missing_edge::upload_to_cpu, done);
  }
}

CHECK_CASE("the CPU waits for nothing but the upload out of the slot that it needs", points(2),
           needs("the CPU reads a frame into a slot when the frame before is uploaded from it")) {
  for (const job& done : all_rings()) {
    about(done.seen);
    const known_order known(done);
    const auto depth = static_cast<std::size_t>(done.depth);
    for (const auto& made : waits_in(done)) {
      std::size_t next = 0;  // the frame that is uploaded next
      while (next < done.frames.size() &&
             done.frames[next].upload.submitted_by().raw().begun <= made.raw().begun) {
        ++next;
      }
      const auto judge = [&](const work& other, const std::string& what, std::size_t frame) {
        if (!known.tells(made, other)) return;
        if (next >= depth) {
          const work& needed = done.frames[next - depth].upload;
          if (needed.raw().id == other.raw().id || known.before(other, needed)) return;
        }
        expect(false,
               named(made.name(), made) + " makes the CPU wait until " + what + " of " + frame_number(frame) +
                   " is done; before " + frame_in_slot(done, std::min(next, done.frames.size() - 1)) +
                   ", the CPU need not wait for that" +
                   (frame + depth <= next ? ": the stream `copies` must, in front of the upload" : ""),
               look_at("what has to be done before the CPU may write to a slot's staging memory, and what "
                       "before the upload may write to its device memory"),
               done.seen, active(done.seen));
      };
      for (std::size_t f = 0; f < done.frames.size(); ++f) {
        judge(done.frames[f].brighten, "brighten", f);
        judge(done.frames[f].outline, "outline", f);
        judge(done.frames[f].upload, "the upload", f);
      }
    }
  }
}

CHECK_CASE("the frames overlap as far as there are slots", points(3),
           needs("the kernels wait for the upload of their frame",
                 "an upload waits until both kernels are done with what is in its slot",
                 "the CPU waits for nothing but the upload out of the slot that it needs")) {
  for (const job& done : all_rings()) {
    about(done.seen);
    const known_order known(done);
    const auto depth = static_cast<std::size_t>(done.depth);
    const auto judge = [&](const work& later, const std::string& what, std::size_t frame, const work& earlier,
                           const std::string& other, std::size_t other_frame) {
      expect(!known.before(earlier, later),
             named(what, later) + " of " + frame_in_slot(done, frame) + ", waits for " +
                 named(other, earlier) + " of " + frame_number(other_frame) +
                 known.wait_between(earlier, later),
             look_at("what has to be done before it may begin"), done.seen, active(done.seen));
    };
    for (std::size_t f = 0; f < done.frames.size(); ++f) {
      const frame_work& each = done.frames[f];
      const std::size_t free = f < depth ? 0 : f - depth + 1;  // the first frame that it need not wait for
      if (free < f) {
        judge(each.upload, "the upload", f, done.frames[free].brighten, "brighten", free);
        judge(each.upload, "the upload", f, done.frames[free].outline, "outline", free);
      }
      judge(each.brighten, "brighten", f, done.frames[free].outline, "outline", free);
      judge(each.outline, "outline", f, done.frames[free].brighten, "brighten", free);
      if (f + 1 == done.frames.size()) continue;
      judge(each.brighten, "brighten", f, done.frames[f + 1].upload, "the upload", f + 1);
      judge(each.outline, "outline", f, done.frames[f + 1].upload, "the upload", f + 1);
    }
  }
}

CHECK_CASE("all is done when the function returns, and nothing else happened to it", points(2),
           needs("the kernels wait for the upload of their frame",
                 "an upload waits until both kernels are done with what is in its slot",
                 "the CPU reads a frame into a slot when the frame before is uploaded from it")) {
  for (const job& done : all_rings()) {
    about(done.seen);
    const known_order known(done);
    const work reads_results = done.seen.trace.kernels("read_results").back();  // right behind the function
    const frame_work& last = done.frames.back();
    for (const work& each : {last.brighten, last.outline}) {
      if (known.before(each, reads_results)) continue;
      std::string proof;
      for (const lab::analysis::hazard& found : hazards_in(done.seen)) {
        if (proof.empty()) proof = witness(done.seen.raw(), found);
      }
      fail(std::string(function) + " returned, and nothing had made the CPU wait until " +
               named(each.name(), each) + " was done with " + frame_in_slot(done, done.frames.size() - 1),
           proof + (proof.empty() ? "" : " ") +
               "Look at the last waits of the CPU, and which work is in front of them.");
    }
    for (const lab::analysis::hazard& found : hazards_in(done.seen)) {
      if (found.second.operation == 0 || !found.second.where.empty()) continue;
      fail(done.seen, found,
           found.second.name + " is the caller's, who goes on when " + function +
               " has returned. Look at what is still queued by then.");
    }
    expect_no_hazards(done.seen);
    expect_no_findings(done.seen);
  }
}

CHECK_CASE("the results are right, for every depth and number of frames", points(2),
           needs("all is done when the function returns, and nothing else happened to it")) {
  for (const job& done : all_rings()) {
    about(done.seen);
    expect_results(done.seen, static_cast<int>(done.frames.size()), done.pixels, done.gain);
  }
  expect_results(run_job({{"frames", 0}}), 0, 0, fresh_gain());
}

CHECK_CASE("the events are created once for each slot, keep no time, and are destroyed", points(2)) {
  const auto created = [](const returned_run& seen) {
    about(seen);
    std::vector<lab::analysis::call> calls;
    for (const auto& event : seen.trace.run().events) {
      const auto by = seen.trace.call_with_id(event.created_by);
      if (by.where().empty()) continue;
      expect(!event.timing, "the event created at " + by.where() + " keeps time, which nobody asks for",
             look_at("cudaEventCreateWithFlags"));
      calls.push_back(by);
    }
    return calls;
  };
  const auto few = run_job({{"depth", 2}, {"frames", 5}}), many = run_job({{"depth", 2}, {"frames", 30}});
  const auto for_few = created(few), for_many = created(many);
  expect(for_many.size() == for_few.size(),
         std::to_string(for_few.size()) + " events were created for 5 frames in 2 slots, and " +
             std::to_string(for_many.size()) + " for 30 frames" +
             (for_many.empty() ? "" : ", the last at " + for_many.back().where()),
         look_at("the loop that creates them: an event may be recorded again in each round"));
  expect_no_leaks(many);
  expect_no_leaks(run_job({{"slot_without_memory", 1}}));
  expect_all_given_back(run_job({{"frames", 0}}), "when there were no frames, ");
  for (const auto& made : calls_that_may_fail(few)) {
    expect_no_findings(expect_all_given_back_after(few, made));
  }
}

CHECK_CASE("work of others neither holds the frames up nor is held up by them", points(2)) {
  for (const char* streams : {"non_blocking", "blocking"}) {
    const auto seen = run_job({{"unrelated_ms", 200.0}, {"streams", streams}});
    expect_success(seen);
    const work unrelated = seen.trace.kernels("unrelated_work").back();
    expect(seen.integer("other_stream_is_busy") == 1,
           std::string(function) + " came back only after unrelated_work, in another stream, had ended",
           look_at("what the CPU waits for"), seen, active(seen));
    for (const char* kernel : {"brighten", "outline"}) {
      expect(seen.trace.kernels(kernel).back().when().end < unrelated.when().end,
             std::string("the last ") + kernel +
                 " was held up until unrelated_work, in another stream, had "
                 "ended",
             look_at("the streams that the work is in"), seen, active(seen));
    }
    for (const work& next : seen.trace.kernels("next_work")) {
      expect(next.when().begin < unrelated.when().end,
             "next_work, which the caller submitted to " +
                 lab::analysis::stream_text(seen.trace, next.stream()) + " when " + function +
                 " had returned, was held up until unrelated_work, in another stream, had ended",
             look_at("what is still queued when the function returns, and in which stream"), seen);
    }
  }
}

CHECK_CASE("a failure is returned, and ends the work", points(1), needs(structure)) {
  const auto expect_end = [](const returned_run& seen) {
    const auto failed = first_failed(calls_of_student(seen));
    for (const work& each : seen.trace.all_work()) {
      const bool later = failed && each.submitted_by().raw().begun > failed->raw().begun;
      expect(!later || each.where().empty(),
             named(each.submitted_by()) + " submitted work after " + named(*failed) + " had failed",
             look_at("how the loop ends"));
    }
  };
  const auto seen = run_job({{"slot_without_memory", 1}});
  expect(seen.text("status") == "cudaErrorInvalidValue",
         std::string(function) + " returned " + seen.text("status") +
             " though slot 1 had no device memory for frame 1 to go to, and its upload failed with "
             "cudaErrorInvalidValue",
         look_at("what each call returns"));
  expect_end(seen);
  const auto quiet = run_job({{"depth", 2}, {"frames", 5}});
  for (const auto& made : calls_that_may_fail(quiet)) {
    expect_end(expect_failure_returned(quiet, made, function));
  }
}

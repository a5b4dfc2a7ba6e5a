#pragma once

#include <algorithm>
#include <analysis/hazards.hpp>
#include <analysis/order.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.hpp"
#include "checks/failures.hpp"

/// What the function of lab 03 did with one job.
namespace lab::checks::event_reuse {

inline constexpr const char* function = "process_frames";

/// The driver's streams and memory, in the order in which it makes them.
enum : trace::id { copies = 1, brightening = 2, outlining = 3 };
enum : trace::id { staging = 1, device_memory = 2, bright = 3, lines = 4 };

inline double fresh_gain() {
  return static_cast<double>(fresh("gain").integer(2, 9));
}

/// Runs one job in a quiet situation, but for what `particular` says.
inline returned_run run_job(const input_list& particular) {
  input_list situation{{"depth", 3},
                       {"frames", 7},
                       {"pixels", 300},
                       {"gain", fresh_gain()},
                       {"streams", "non_blocking"},  // or "blocking"
                       {"copies_busy_ms", 0.0},      // work of others, queued in that stream before
                       {"brightening_busy_ms", 0.0},
                       {"outlining_busy_ms", 0.0},
                       {"unrelated_ms", 0.0},         // in a fourth stream
                       {"slot_without_memory", -1}};  // uploads to this slot fail
  for (input& usual : situation) {
    for (const input& special : particular) {
      if (special.name == usual.name) usual = special;
    }
  }
  return observe("process", situation);
}

/// One frame's way.
struct frame_work {
  analysis::work upload;
  analysis::work brighten;
  analysis::work outline;
};

/// One job, with what it did for each frame.
struct job {
  returned_run seen;
  int depth;
  int pixels;
  double gain;
  std::vector<frame_work> frames;
};

/// "frame 3"
inline std::string frame_number(std::size_t frame) {
  return "frame " + std::to_string(frame);
}

/// "brighten (student.cu:41)"
template <class Named>
std::string named(const std::string& what, const Named& made) {
  return what + " (" + made.where() + ")";
}

/// Fails the check where the function returned a failure, though nothing was in its way.
inline void expect_success(const returned_run& seen) {
  checks::expect_success(
      seen, function,
      look_at("what is handed over: an event that was never created, a slot that is not there"));
}

/// The pieces of work that the student's file submitted, one for each frame.
inline std::vector<analysis::work> one_a_frame(const std::vector<analysis::work>& all, int frames,
                                               const std::string& what) {
  std::vector<analysis::work> own;
  for (const analysis::work& each : all) {
    if (!each.where().empty()) own.push_back(each);
  }
  expect(own.size() == static_cast<std::size_t>(frames),
         std::string(function) + " makes " + std::to_string(own.size()) + " times " + what + " for " +
             std::to_string(frames) + (frames == 1 ? " frame" : " frames") + "; one for each is asked for");
  return own;
}

inline std::vector<analysis::work> uploads(const returned_run& seen) {
  std::vector<analysis::work> found;
  for (const analysis::work& each : seen.trace.copies()) {
    if (each.raw().direction == trace::copy_direction::host_to_device) found.push_back(each);
  }
  return found;
}

/// In which of the parts of the memory, `pixels` floats each, the work reads or writes; -1 where it does not.
inline int part_used(const analysis::work& by, trace::id memory, bool write, int pixels) {
  for (const auto& range : by.raw().accesses) {
    if (range.allocation != memory || range.write != write) continue;
    return static_cast<int>(range.begin / (static_cast<std::uint64_t>(pixels) * sizeof(float)));
  }
  return -1;
}

/// Fails the check where the work does not use the part of the memory that is meant for the frame.
inline void expect_part(const std::string& what, const analysis::work& by, trace::id memory, bool write,
                        int wanted, int pixels, const std::string& whose) {
  const int used = part_used(by, memory, write, pixels);
  if (used == wanted) return;
  const std::string part = memory == staging         ? "the staging memory of slot "
                           : memory == device_memory ? "the device memory of slot "
                           : memory == bright        ? "the part of `bright` for frame "
                                                     : "the part of `lines` for frame ";
  const std::string does = write ? " writes to " : " reads from ";
  const std::string should = part + std::to_string(wanted);
  fail(whose + ": " + named(what, by) +
           (used < 0 ? (write ? " does not write to " : " does not read from ") + should
                     : does + part + std::to_string(used) + ", not " + std::to_string(wanted)),
       "Look at the slot that the frame goes through, f % depth, and at what is handed over.");
}

/// Fails the check where the CPU does not read the frame into its slot, between the upload of the frame
/// before it there and its own.
inline void expect_reading(const job& done, std::size_t frame) {
  const auto depth = static_cast<std::size_t>(done.depth);
  const auto submitted = [&](std::size_t of) { return done.frames[of].upload.submitted_by().raw().begun; };
  const auto since = frame < depth ? 0 : submitted(frame - depth);
  const auto& accesses = done.seen.trace.run().host_accesses;
  const bool found = std::any_of(accesses.begin(), accesses.end(), [&](const trace::host_access& each) {
    const auto slot = each.bytes.begin / (static_cast<std::uint64_t>(done.pixels) * sizeof(float));
    return each.bytes.allocation == staging && each.bytes.write && slot == frame % depth &&
           since < each.when && each.when < submitted(frame);
  });
  expect(found,
         frame_number(frame) + " is uploaded from slot " + std::to_string(frame % depth) +
             " before the CPU has read it into the staging memory there",
         look_at("read_frame, and the order in which a frame is read, uploaded and processed"));
}

/// Fails the check where the job is not a way through its slot for each frame.
inline job do_job(int depth, int frames, int pixels, input_list particular, double gain = fresh_gain()) {
  for (const input& each :
       input_list{{"depth", depth}, {"frames", frames}, {"pixels", pixels}, {"gain", gain}}) {
    particular.push_back(each);
  }
  job done{run_job(particular), depth, pixels, gain, {}};
  expect_success(done.seen);
  const auto copies_made = one_a_frame(uploads(done.seen), frames, "a copy to the device");
  const auto brightens = one_a_frame(done.seen.trace.kernels("brighten"), frames, "a launch of brighten");
  const auto outlines = one_a_frame(done.seen.trace.kernels("outline"), frames, "a launch of outline");
  for (std::size_t f = 0; f < copies_made.size(); ++f) {
    done.frames.push_back({copies_made[f], brightens[f], outlines[f]});
  }
  for (std::size_t f = 0; f < done.frames.size(); ++f) {
    const frame_work& work = done.frames[f];
    const std::string whose = frame_number(f);
    const int number = static_cast<int>(f), slot = number % depth;
    expect_part("the upload", work.upload, staging, false, slot, pixels, whose);
    expect_part("the upload", work.upload, device_memory, true, slot, pixels, whose);
    expect_part("brighten", work.brighten, device_memory, false, slot, pixels, whose);
    expect_part("brighten", work.brighten, bright, true, number, pixels, whose);
    // Of a frame of one pixel outline reads nothing.
    if (pixels > 1) expect_part("outline", work.outline, device_memory, false, slot, pixels, whose);
    expect_part("outline", work.outline, lines, true, number, pixels, whose);
    expect_reading(done, f);
  }
  return done;
}

/// Rings of all depths, with numbers of frames around the wrap and with many, and frames of all sizes, with
/// gains of all kinds; all streams are busy with something else at first. In front of them a quiet one, which
/// makes the clearest picture, and some with one busy stream.
inline std::vector<job> all_rings() {
  const auto fresh_number = [](const char* name, int lowest, int highest) {
    return static_cast<int>(fresh(name).integer(lowest, highest));
  };
  const double gains[] = {fresh_gain(), 1, -fresh_gain(), 0.5};
  std::vector<job> all{do_job(2, 7, 300, {})};
  const auto next_gain = [&] { return gains[all.size() % 4]; };
  for (const char* busy : {"copies_busy_ms", "brightening_busy_ms", "outlining_busy_ms"}) {
    all.push_back(do_job(2, 7, 300, {{busy, 1.0}}, next_gain()));
  }
  const auto add = [&](int depth, int frames, int pixels) {
    all.push_back(do_job(depth, frames, pixels,
                         {{"copies_busy_ms", 1.0}, {"brightening_busy_ms", 2.0}, {"outlining_busy_ms", 3.0}},
                         next_gain()));
  };
  for (const int depth : {3, 1, 2, 8}) {
    for (const int frames : {depth + 1, 3 * depth + 1}) add(depth, frames, depth == 8 ? 256 : 300);
  }
  for (const int frames : {1, 2, 3}) add(3, frames, 300);
  add(fresh_number("depth", 4, 7), fresh_number("frames", 30, 40), fresh_number("pixels", 2, 255));
  add(2, 5, 1);
  add(2, 5, fresh_number("many_pixels", 1025, 5000));
  add(2, 100, 257);
  add(70, 80, 33);
  return all;
}

/// "frame 4, in slot 1 of 3"
inline std::string frame_in_slot(const job& done, std::size_t frame) {
  const auto depth = static_cast<std::size_t>(done.depth);
  return frame_number(frame) + ", in slot " + std::to_string(frame % depth) + " of " + std::to_string(depth);
}

/// The frame that the operation is part of.
inline std::optional<std::size_t> frame_of(const job& done, trace::id operation) {
  for (std::size_t f = 0; f < done.frames.size(); ++f) {
    const frame_work& work = done.frames[f];
    for (const auto* each : {&work.upload, &work.brighten, &work.outline}) {
      if (each->raw().id == operation) return f;
    }
  }
  return {};
}

/// "In slot 1 of 2, brighten is frame 1's, the upload frame 3's."
inline std::string place_in_ring(const job& done, const analysis::hazard& found,
                                 std::optional<std::size_t> first, std::optional<std::size_t> second) {
  const auto depth = static_cast<std::size_t>(done.depth);
  const auto of = [](std::size_t frame) { return "frame " + std::to_string(frame) + "'s"; };
  const std::size_t any = first ? *first : *second;
  const std::string slot = " slot " + std::to_string(any % depth) + " of " + std::to_string(depth) + ".";
  if (!first || !second) return "The upload is " + of(any) + ", in" + slot;
  if (*first == *second) return "Both are " + of(any) + ", in" + slot;
  return "In" + slot.substr(0, slot.size() - 1) + ", " + found.first.name + " is " + of(*first) + ", " +
         found.second.name + " " + of(*second) + ".";
}

/// Between which two uses of a slot an edge is missing.
enum class missing_edge {
  upload_to_kernel,  ///< of the same frame
  kernel_to_upload,  ///< of the next frame in the slot
  upload_to_cpu,     ///< which reads the next frame into the slot
};

/// Fails the check, and says at which frame, where two uses of a slot are not ordered.
inline void expect_no(missing_edge which, const job& done) {
  for (const analysis::hazard& each : hazards_in(done.seen)) {
    const auto first = frame_of(done, each.first.operation), second = frame_of(done, each.second.operation);
    const bool by_cpu = each.first.operation == 0 || each.second.operation == 0;
    if (by_cpu ? !first && !second : !first || !second) continue;
    if (each.second.operation == 0 && each.second.where.empty()) continue;  // the caller, when all is over
    const missing_edge found = by_cpu              ? missing_edge::upload_to_cpu
                               : *first == *second ? missing_edge::upload_to_kernel
                                                   : missing_edge::kernel_to_upload;
    if (found != which) continue;
    fail(done.seen, each, place_in_ring(done, each, first, second));
  }
}

/// When the function called for the last piece of work of the last frame.
inline trace::sequence last_submission(const job& done) {
  const frame_work& last = done.frames.back();
  return std::max(last.brighten.submitted_by().raw().begun, last.outline.submitted_by().raw().begun);
}

/// From the first to the last call that the function made.
inline analysis::span active(const returned_run& seen) {
  const auto calls = seen.trace.calls_in(function);
  if (calls.empty()) return {};
  return {calls.front().when().begin, calls.back().when().end};
}

/// The function's waits of the CPU before its last submission; of queries those that it makes again and
/// again.
inline std::vector<analysis::call> waits_in(const job& done) {
  std::vector<analysis::call> found;
  std::string previous;
  for (const analysis::call& each : done.seen.trace.calls_in(function)) {
    if (each.raw().begun > last_submission(done)) break;
    const bool asks = each.name().find("Query") != std::string::npos;
    if (each.waits() || (asks && previous == each.name())) found.push_back(each);
    previous = each.name();
  }
  return found;
}

/// What is known to be done before what, in one job.
class known_order {
 public:
  explicit known_order(const job& done) : trace_(done.seen.trace), order_(trace_.run()) {}

  bool before(const analysis::work& earlier, const analysis::work& later) const {
    return order_.before(earlier.raw().id, later.raw().id);
  }

  /// Whether the call, where it is a wait of the CPU or a query, tells that the work is done.
  bool tells(const analysis::call& made, const analysis::work& of) const {
    if (made.failed() || of.submitted_by().raw().begun > made.raw().begun) return false;
    if (made.name() == "cudaDeviceSynchronize") return true;
    const auto done_by = [&](trace::id other) {
      return other == of.raw().id || (other != 0 && order_.before(of.raw().id, other));
    };
    if (made.name() == "cudaEventSynchronize" || made.name() == "cudaEventQuery") {
      return done_by(made.raw().operation);
    }
    if (made.name() != "cudaStreamSynchronize" && made.name() != "cudaStreamQuery") return false;
    trace::id last = 0;
    for (const trace::operation& each : trace_.run().operations) {
      const bool before_call = trace_.call_with_id(each.submitted_by).raw().begun < made.raw().begun;
      if (before_call && each.stream == made.raw().stream) last = each.id;
    }
    return done_by(last);
  }

  /// ": … means the record at …", of the wait in the stream of `later` that makes it come after `earlier`; ""
  /// where there is none.
  std::string wait_between(const analysis::work& earlier, const analysis::work& later) const {
    for (const trace::operation& each : trace_.run().operations) {
      const bool in_front = each.kind == trace::operation_kind::event_wait && each.stream == later.stream() &&
                            each.id < later.raw().id && each.waits_for != 0;
      if (!in_front || !order_.before(earlier.raw().id, each.waits_for)) continue;
      return ": " + named("cudaStreamWaitEvent", trace_.work_with_id(each.id)) + " means the record at " +
             trace_.work_with_id(each.waits_for).where();
    }
    return "";
  }

 private:
  const analysis::recording& trace_;
  analysis::order order_;
};

}  // namespace lab::checks::event_reuse

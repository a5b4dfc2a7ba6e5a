#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lab::analysis {
namespace {

constexpr double shortest_compared_ms = 0.05;

/// "scale in stream 2"; a wait with the record that it was bound to.
std::string in_words(const trace::operation& work) {
  std::string text = work.name + " in stream " + std::to_string(work.stream);
  if (work.bytes > 0) text += ", " + std::to_string(work.bytes) + " bytes";
  if (work.event > 0) text += ", event " + std::to_string(work.event);
  if (work.kind == trace::operation_kind::event_wait) text += ", record " + std::to_string(work.waits_for);
  return text;
}

/// "cudaEventSynchronize of event 1"; "" for a call that orders nothing, and for a question, which is asked
/// as often as time allows.
std::string in_words(const trace::host_call& made) {
  if (made.name.find("Query") != std::string::npos) return "";
  // How a refused launch is called depends on the version of CUDA.
  const bool refused = made.error == "cudaErrorInvalidConfiguration";
  const std::string answer =
      made.error.empty() ? "" : ": " + (refused ? "cudaErrorInvalidValue" : made.error);
  if (made.event > 0) return made.name + " of event " + std::to_string(made.event) + answer;
  if (made.stream) return made.name + " of stream " + std::to_string(*made.stream) + answer;
  return is_wait(made) ? made.name + answer : "";
}

bool tells_of_a_fault(const trace::host_call& made) {
  return made.status >= 700 && made.status < 800;  // sticky errors, as cudaError_t numbers them
}

/// What was asked of a device, in order, up to the first call that tells of a fault.
struct asked {
  explicit asked(const recording& of) {
    const auto& calls = of.run().calls;
    const auto fault = std::find_if(calls.begin(), calls.end(), tells_of_a_fault);
    faulted = fault != calls.end();
    for (auto made = calls.begin(); made != fault; ++made) {
      if (std::string text = in_words(*made); !text.empty()) ordering.push_back(std::move(text));
    }
    for (const trace::operation& each : of.run().operations) {
      if (!faulted || of.call_with_id(each.submitted_by).raw().begun < fault->begun)
        work.push_back(in_words(each));
    }
  }

  std::vector<std::string> work, ordering;
  bool faulted = false;
};

/// @param to_the_end otherwise, as far as both go
std::string first_difference(const std::vector<std::string>& emulated, const std::vector<std::string>& real,
                             bool to_the_end) {
  const auto count =
      to_the_end ? std::max(emulated.size(), real.size()) : std::min(emulated.size(), real.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = i < emulated.size() ? emulated[i] : "nothing";
    const std::string other = i < real.size() ? real[i] : "nothing";
    if (one == other) continue;
    return "number " + std::to_string(i + 1) + " is " + one + " on the emulated GPU, " + other +
           " on the real one";
  }
  return "";
}

}  // namespace

std::string disagreement(const recording& emulated, const recording& real, double tolerance) {
  const asked one(emulated), other(real);
  const bool to_the_end = !one.faulted && !other.faulted;
  if (auto text = first_difference(one.work, other.work, to_the_end); !text.empty())
    return "of the work, " + text;
  if (auto text = first_difference(one.ordering, other.ordering, to_the_end); !text.empty())
    return "of the calls, " + text;
  for (std::size_t i = 0; i < std::min(one.work.size(), other.work.size()); ++i) {
    const work expected(emulated, emulated.run().operations[i]), found(real, real.run().operations[i]);
    if (!expected.ended() || !found.ended()) continue;
    const double ms = expected.milliseconds(), real_ms = found.milliseconds(), longer = std::max(ms, real_ms);
    if (longer <= shortest_compared_ms || std::fabs(ms - real_ms) <= tolerance * longer) continue;
    return in_words(expected.raw()) + " took " + milliseconds_text(ms) + " on the emulated GPU, " +
           milliseconds_text(real_ms) + " on the real one";
  }
  return "";
}

}  // namespace lab::analysis

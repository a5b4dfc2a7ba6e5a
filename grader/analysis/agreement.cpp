#include "agreement.hpp"

#include <algorithm>
#include <cmath>
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

/// "cudaEventSynchronize of event 1"; "" for a call that orders nothing.
std::string in_words(const trace::host_call& made) {
  if (made.event > 0) return made.name + " of event " + std::to_string(made.event);
  if (made.stream) return made.name + " of stream " + std::to_string(*made.stream);
  return made.name.find("Synchronize") == std::string::npos ? "" : made.name;
}

std::vector<std::string> ordering_calls(const recording& of) {
  std::vector<std::string> all;
  for (const trace::host_call& made : of.run().calls) {
    std::string text = in_words(made);
    if (!text.empty()) all.push_back(std::move(text) + (made.error.empty() ? "" : ": " + made.error));
  }
  return all;
}

std::vector<std::string> submitted_work(const recording& of) {
  std::vector<std::string> all;
  for (const trace::operation& each : of.run().operations) all.push_back(in_words(each));
  return all;
}

std::string first_difference(const std::vector<std::string>& emulated, const std::vector<std::string>& real) {
  for (std::size_t i = 0; i < std::max(emulated.size(), real.size()); ++i) {
    const std::string one = i < emulated.size() ? emulated[i] : "nothing";
    const std::string other = i < real.size() ? real[i] : "nothing";
    if (one != other)
      return "number " + std::to_string(i + 1) + " is " + one + " on the emulated GPU, " + other +
             " on the real one";
  }
  return "";
}

}  // namespace

std::string disagreement(const recording& emulated, const recording& real, double tolerance) {
  if (auto text = first_difference(submitted_work(emulated), submitted_work(real)); !text.empty())
    return "of the work, " + text;
  if (auto text = first_difference(ordering_calls(emulated), ordering_calls(real)); !text.empty())
    return "of the calls, " + text;
  for (std::size_t i = 0; i < real.run().operations.size(); ++i) {
    const trace::id number = real.run().operations[i].id;
    const work one = emulated.work_with_id(number), other = real.work_with_id(number);
    if (!one.ended() || !other.ended()) continue;
    const double longer = std::max(one.milliseconds(), other.milliseconds());
    if (longer <= shortest_compared_ms) continue;
    if (std::fabs(one.milliseconds() - other.milliseconds()) <= tolerance * longer) continue;
    return in_words(one.raw()) + " took " + milliseconds_text(one.milliseconds()) + " on the emulated GPU, " +
           milliseconds_text(other.milliseconds()) + " on the real one";
  }
  return "";
}

}  // namespace lab::analysis

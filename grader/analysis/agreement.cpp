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

/// "cudaEventSynchronize of event 1"; "" for a call that orders nothing.
std::string in_words(const trace::host_call& made) {
  if (made.event > 0) return made.name + " of event " + std::to_string(made.event);
  if (made.stream) return made.name + " of stream " + std::to_string(*made.stream);
  return made.name.find("Synchronize") == std::string::npos ? "" : made.name;
}

bool tells_of_a_fault(const trace::host_call& made) {
  return made.status >= 700 && made.status < 800;  // sticky errors, as cudaError_t numbers them
}

/// How a refused launch is called depends on the version of CUDA.
std::string answer_of(const trace::host_call& made) {
  if (made.error == "cudaErrorInvalidConfiguration") return "cudaErrorInvalidValue";
  return made.error;
}

std::vector<std::string> ordering_calls(const std::vector<trace::host_call>& calls, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = in_words(calls[i]);
    if (!text.empty()) all.push_back(std::move(text) + ": " + answer_of(calls[i]));
  }
  return all;
}

/// Up to the first on either side that tells of a fault.
std::pair<std::vector<std::string>, std::vector<std::string>> comparable_calls(const recording& one,
                                                                               const recording& other) {
  const auto &calls = one.run().calls, &others = other.run().calls;
  const auto faults_at = [](const auto& all) {
    return std::find_if(all.begin(), all.end(), tells_of_a_fault) - all.begin();
  };
  auto first = ordering_calls(calls, static_cast<std::size_t>(faults_at(calls)));
  auto second = ordering_calls(others, static_cast<std::size_t>(faults_at(others)));
  const bool faulted = std::any_of(calls.begin(), calls.end(), tells_of_a_fault);
  if (faulted) {
    const auto both = std::min(first.size(), second.size());
    first.resize(both);
    second.resize(both);
  }
  return {first, second};
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
  const auto [calls, real_calls] = comparable_calls(emulated, real);
  if (auto text = first_difference(calls, real_calls); !text.empty()) return "of the calls, " + text;
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

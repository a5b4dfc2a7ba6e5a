#include "runs.hpp"

#include <cctype>
#include <cmath>
#include <timeline/text.hpp>

#include "messages.hpp"
#include "session.hpp"

namespace lab::checks {
namespace {

// The last line of what the program printed, for a program that did not come to its end.
std::string last_output(const observation& seen) {
  std::string text = seen.output;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  if (text.empty() || seen.output_bytes > seen.output.size()) return "";
  const std::size_t line = text.rfind('\n');
  text = text.substr(line == std::string::npos ? 0 : line + 1);
  return text.rfind("lab: ", 0) == 0 ? ""
                                     : "The last line it printed: \"" + timeline::shown_text(text) + "\".";
}

const trace::finding* hole_in_record(const observation& seen) {
  for (const auto& each : seen.trace.run().findings) {
    if (each.kind == trace::finding_kind::incomplete_record ||
        each.kind == trace::finding_kind::not_recorded) {
      return &each;
    }
  }
  return nullptr;
}

// Ends the check with *error* unless the program ended well; `circumstances` ends the sentence then.
returned_run ended_well(std::shared_ptr<const observation> seen, const std::string& circumstances = "") {
  if (seen->how != ending::returned) {
    end_check(outcome::error, seen->sentence() + circumstances, last_output(*seen), whole_run(*seen));
  }
  if (const auto* hole = hole_in_record(*seen)) {
    const bool refused = hole->kind == trace::finding_kind::not_recorded;
    end_check(refused ? outcome::not_run : outcome::error,
              "what the GPU did could not be recorded: " + analysis::finding_text(*hole),
              refused ? "To be judged on the emulated GPU: LAB_DEVICE=emulator ./lab check" : "");
  }
  if (!seen->has_trace) {
    end_check(outcome::error,
              "the record of what the program did is missing: the program closed a file descriptor that "
              "it had not opened",
              seen->detail);
  }
  return returned_run(std::move(seen));
}

}  // namespace

reported_number reported_number::from(const std::string& function) const {
  reported_number result = *this;
  result.subject_ = function;
  return result;
}

bool reported_number::in_milliseconds() const {
  return name_.size() > 3 && name_.compare(name_.size() - 3, 3, "_ms") == 0;
}

reported_number returned_run::any_number(const std::string& name) const {
  return {seen_->values.number(name), name, seen_};
}

reported_number returned_run::number(const std::string& name) const {
  const reported_number result = any_number(name);
  if (std::isfinite(result.value())) return result;
  end_check(*seen_, outcome::fail,
            name + " is " + number_text(result.value()) + ", which is no measured value",
            first_finding(*seen_), whole_run(*seen_));
}

std::int64_t returned_run::integer(const std::string& name) const {
  return seen_->values.integer(name);
}

std::string returned_run::text(const std::string& name) const {
  return seen_->values.text(name);
}

bool returned_run::has(const std::string& name) const {
  return seen_->values.has(name);
}

std::shared_ptr<const observation> observe_any(const std::string& scenario, const input_list& inputs) {
  return current_session().observe({scenario, inputs});
}

returned_run observe(const std::string& scenario, const input_list& inputs) {
  return ended_well(observe_any(scenario, inputs));
}

void about(const returned_run& seen) {
  current_session().is_about(seen.raw());
}

returned_run observe_answers(const std::string& scenario, const input_list& inputs) {
  current_session().keep_secret({scenario, inputs});
  return observe(scenario, inputs);
}

on_emulated_gpu::on_emulated_gpu() : before_(current_session().observe_emulated(true)) {}

on_emulated_gpu::~on_emulated_gpu() {
  current_session().observe_emulated(before_);
}

bool judging_on_gpu() {
  return current_session().is_on_gpu();
}

double by_device(double usually, double on_real_gpu) {
  return judging_on_gpu() ? on_real_gpu : usually;
}

returned_run observe_failing(const returned_run& seen, const analysis::call& made) {
  run_request failing = seen.raw().asked;
  failing.schedule = "fail " + std::to_string(made.raw().id);
  return ended_well(current_session().observe(failing),
                    ", when " + made.name() + " (" + made.where() + ") had failed");
}

}  // namespace lab::checks

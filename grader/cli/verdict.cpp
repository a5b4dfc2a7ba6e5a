#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace lab::cli {

std::string_view name_of(outcome what) {
  static constexpr std::array<std::string_view, 4> names{"pass", "fail", "error", "not run"};
  return names[static_cast<std::size_t>(what)];
}

int exit_code_of(outcome what) {
  static constexpr std::array codes{exit_pass, exit_fail, exit_error, exit_not_run};
  return codes[static_cast<std::size_t>(what)];
}

outcome worst_of(outcome one, outcome other) {
  // A check that needs a failed one is "not run", but what the student must mend is the failed one.
  static constexpr std::array severity{0, 2, 3, 1};
  return severity[static_cast<std::size_t>(one)] >= severity[static_cast<std::size_t>(other)] ? one : other;
}

int lab_verdict::points() const {
  int sum = 0;
  for (const auto& check : checks) sum += check.points;
  return sum;
}

int lab_verdict::max_points() const {
  int sum = 0;
  for (const auto& check : checks) sum += check.max_points;
  return sum;
}

nlohmann::ordered_json to_json(const std::vector<lab_verdict>& verdicts) {
  auto worst = outcome::pass;
  auto labs = nlohmann::ordered_json::array();
  for (const auto& verdict : verdicts) {
    worst = worst_of(worst, verdict.outcome);
    auto checks = nlohmann::ordered_json::array();
    for (const auto& check : verdict.checks) {
      nlohmann::ordered_json entry{{"name", check.name},
                                   {"outcome", name_of(check.outcome)},
                                   {"points", check.points},
                                   {"max_points", check.max_points}};
      if (!check.message.empty()) entry["message"] = check.message;
      if (!check.because.empty()) entry["because"] = check.because;
      if (check.picture) entry["timeline"] = nlohmann::json(*check.picture);
      if (check.run) entry["run"] = nlohmann::json(*check.run);
      checks.push_back(std::move(entry));
    }
    nlohmann::ordered_json lab{{"lab", verdict.lab},
                               {"file", verdict.file.string()},
                               {"outcome", name_of(verdict.outcome)},
                               {"points", verdict.points()},
                               {"max_points", verdict.max_points()},
                               {"device", verdict.device},
                               {"seed", verdict.seed},
                               {"traces", verdict.traces},
                               {"checks", std::move(checks)},
                               {"milliseconds",
                                {{"translate", verdict.build.translate_ms},
                                 {"compile", verdict.build.compile_ms},
                                 {"link", verdict.build.link_ms},
                                 {"run", verdict.run_ms}}}};
    if (!verdict.message.empty()) lab["message"] = verdict.message;
    if (!verdict.warnings.empty()) lab["warnings"] = verdict.warnings;
    labs.push_back(std::move(lab));
  }
  return {{"version", 1},
          {"outcome", name_of(worst)},
          {"exit_code", exit_code_of(worst)},
          {"labs", std::move(labs)}};
}

}  // namespace lab::cli

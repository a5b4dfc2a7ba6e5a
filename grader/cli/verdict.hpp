#pragma once

#include <checks/run_request.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <timeline/excerpt.hpp>
#include <vector>

#include "build.hpp"

/// What came of grading one file.
namespace lab::cli {

enum class outcome { pass, fail, error, not_run };

std::string_view name_of(outcome what);  ///< "pass", "fail", "error", "not run"
int exit_code_of(outcome what);
outcome worst_of(outcome one, outcome other);

struct check_verdict {
  std::string name;
  lab::cli::outcome outcome = outcome::not_run;
  int points = 0;
  int max_points = 0;
  std::string message;  ///< what happened and what was expected; empty where it passed
  std::string because;  ///< the explanation and what to look at; for not_run what it needs
  std::optional<timeline::excerpt> picture;
  double milliseconds = 0;                     ///< real time that judging took
  std::optional<checks::judged_run> run = {};  ///< the one that does not do as it should
};

struct lab_verdict {
  std::string lab;
  fs::path file;
  lab::cli::outcome outcome = outcome::pass;
  std::string message;                ///< where the file as a whole is in error: it does not compile, say
  std::vector<std::string> warnings;  ///< of the compiler, about the file itself
  std::uint64_t traces = 0;           ///< a hash of all that the device recorded
  std::string device;                 ///< "emulated T4, virtual time"
  std::uint64_t seed = 0;
  std::vector<check_verdict> checks;
  step_times build;
  double run_ms = 0;

  int points() const;
  int max_points() const;
};

/// The document that `lab check --format json` prints; docs/check-json.md describes it.
nlohmann::ordered_json to_json(const std::vector<lab_verdict>& verdicts);

}  // namespace lab::cli

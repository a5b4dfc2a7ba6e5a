#pragma once

#include <optional>
#include <string>
#include <timeline/excerpt.hpp>

#include "run_request.hpp"

namespace lab::checks {

enum class outcome { pass, fail, error, not_run };

/// "pass", "fail", "error", "not run"
const char* outcome_name(outcome what);

/// What a check came to, in the student's words.
struct verdict {
  checks::outcome outcome = outcome::pass;
  std::string message;  ///< what happened and what was expected; "" for a pass
  std::string because;  ///< the explanation, what to look at; for not_run the check that did not pass
  std::optional<timeline::excerpt> timeline;  ///< the picture that belongs to it
  std::optional<judged_run> run;              ///< the run that does not do as it should
};

/// Thrown to end a check with a verdict.
struct check_ended {
  checks::verdict verdict;
};

}  // namespace lab::checks

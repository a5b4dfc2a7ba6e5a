#pragma once

#include <checks/run_request.hpp>
#include <string>
#include <vector>

#include "course.hpp"

/// The runs that show what a lab is about: grader/checks/NN_topic/pictures.json.
///
///     {"scenario": "time", "inputs": {"kernel_ms": 5.0, …},
///      "pictures": [{"name": "host_ms", "shows": "a sentence", "inputs": {…}}, …]}
///
/// `inputs` of a picture come on top of those of all, and its own `scenario` instead of theirs. A number with
/// a point is one to the scenario too; one without is an integer. A picture that shows what predictions ask
/// for names them, `"answers": ["predicted_host_ms"]`; what the file at hand predicts is then told by the
/// scenario "predictions", whose inputs stand beside those of all: `"predictions": {"kernel_ms": 80.0}`.
namespace lab::cli {

struct lab_picture {
  std::string name;
  std::string shows;  ///< what to look for
  checks::run_request run;
  std::vector<std::string> answers;  ///< the predictions that have to be made before it is shown
  checks::run_request predictions;   ///< the run that tells which have been made
};

/// @throws told_error where the lab has none, or the file makes no sense
std::vector<lab_picture> pictures_of(const course& labs, const lab_entry& lab);

}  // namespace lab::cli

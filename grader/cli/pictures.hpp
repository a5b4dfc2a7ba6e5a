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
/// a point is one to the scenario too; one without is an integer.
namespace lab::cli {

struct lab_picture {
  std::string name;
  std::string shows;  ///< what to look for
  checks::run_request run;
};

/// @throws told_error where the lab has none, or the file makes no sense
std::vector<lab_picture> pictures_of(const course& labs, const lab_entry& lab);

}  // namespace lab::cli

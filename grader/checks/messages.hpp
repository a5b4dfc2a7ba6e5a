#pragma once

#include <optional>
#include <string>

#include "observation.hpp"
#include "verdict.hpp"

/// What the messages of failed checks are made of.
namespace lab::checks {

/// Ends the check in progress.
[[noreturn]] void end_check(outcome what, const std::string& message, const std::string& because,
                            std::optional<timeline::excerpt> picture = {});
/// The same, because of this run.
[[noreturn]] void end_check(const observation& of, outcome what, const std::string& message,
                            const std::string& because, std::optional<timeline::excerpt> picture = {});

std::string number_text(double value);  ///< six digits; "NaN"

/// What the device found wrong, with the student's line: of a kernel, that of its launch.
std::string finding_text(const analysis::recording& seen, const trace::finding& found);

/// What the device first found wrong in the run, as a sentence; "" for nothing.
std::string first_finding(const observation& seen);

/// The whole run, without the creation of the context, which would leave no room for the rest.
std::optional<timeline::excerpt> whole_run(const observation& seen);

}  // namespace lab::checks

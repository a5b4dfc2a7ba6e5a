#pragma once

#include <string>
#include <vector>

#include "verdict.hpp"

namespace lab::cli {

/// The document that `lab check --format junit` prints; docs/check-junit.md describes it. Well-formed XML 1.0
/// in UTF-8, whatever bytes a file name or a message has.
std::string to_junit(const std::vector<lab_verdict>& verdicts);

}  // namespace lab::cli

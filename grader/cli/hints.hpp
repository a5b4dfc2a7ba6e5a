#pragma once

#include <string>
#include <vector>

#include "files.hpp"

namespace lab::cli {

/// The hints to one check, the vaguest first.
struct check_hints {
  std::string check;
  std::vector<std::string> stages;
};

/// Reads a hints.md: a section "## name of the check" for each check, in it the stages as items "1. ...", "2.
/// ...". A section without numbered items is one stage.
std::vector<check_hints> read_hints(const fs::path& file);

}  // namespace lab::cli

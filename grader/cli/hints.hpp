#pragma once

#include <string>
#include <vector>

#include "course.hpp"

namespace lab::cli {

/// The hints to one check, the vaguest first.
struct check_hints {
  std::string check;
  std::vector<std::string> stages;
};

/// Reads a hints.md: a section "## name of the check" for each check, in it the stages as items "1. ...", "2.
/// ...". A section without numbered items is one stage.
std::vector<check_hints> read_hints(const fs::path& file);

/// The check that the user means: of that name, or the only one with the words, else the characters, in its
/// name. @throws told_error where there is none or more than one
const check_hints& the_one_named(const std::vector<check_hints>& all, const std::string& name,
                                 const lab_entry& lab);

}  // namespace lab::cli

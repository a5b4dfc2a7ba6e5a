#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "course.hpp"

namespace lab::cli {

/// What may stand for the last of `words`, the rest of a command line behind `lab` up to the cursor: one
/// candidate a line, with a tab and its description where it has one, or the line ":files .EXTENSION" for the
/// name of a file. The scripts in launcher/ call this as `lab __complete WORD...`.
std::string completions(const CLI::App& app, const course& labs, std::vector<std::string> words);

}  // namespace lab::cli

#pragma once

#include <string>

#include "progress.hpp"
#include "terminal.hpp"

/// Verdicts as text for a person.
namespace lab::cli {

struct render_options {
  bool every_timeline = false;  ///< not only the first failure's
  bool times = false;           ///< what the wait for the verdict was spent on
  bool advise = true;           ///< end with what to do next
  bool seeded = false;          ///< the inputs are of a seed that was asked for
};

std::string render(const lab_verdict& verdict, const lab_entry& lab, const terminal& out,
                   const render_options& how);

/// One line: "✓ 1 timing pitfalls  14/14".
std::string render_line(const lab_verdict& verdict, const lab_entry& lab, const terminal& out);

std::string mark(outcome what, const terminal& out);

}  // namespace lab::cli

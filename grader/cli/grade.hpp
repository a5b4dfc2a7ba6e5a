#pragma once

#include <functional>
#include <optional>

#include "terminal.hpp"
#include "verdict.hpp"

/// Builds a file as an exercise of its lab, has the lab's checks judge it, and reads their report.
namespace lab::cli {

struct grade_request {
  const lab_entry* lab = nullptr;
  fs::path file;
  fs::path shown_as;                      ///< empty: the file's own name
  std::optional<std::uint64_t> seed;      ///< unset: from the file's content, so unpredictable yet repeatable
  cli::device device = device::emulator;  ///< cuda: what can be judged on a real GPU is judged there
  std::function<void()> meanwhile =
      {};  ///< called about ten times a second; what it throws abandons the grading
};

/// Never throws for what is wrong with the file: that is a verdict. Blocks; safe to call from several
/// threads.
/// @throws told_error where the machine or the installation is at fault (disk_full), interrupted
lab_verdict grade(const course& labs, const grade_request& what, progress_bar* bar = nullptr);

}  // namespace lab::cli

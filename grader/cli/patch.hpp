#pragma once

#include "course.hpp"

namespace lab::cli {

/// Another text in place of a lab's solution, in a temporary folder.
class scratch_solution {
 public:
  scratch_solution(const course& labs, const lab_entry& lab, const std::string& text);

  const fs::path& folder() const { return folder_.path(); }
  const fs::path& file() const { return file_; }

 private:
  temporary_folder folder_;
  fs::path file_;
};

/// A lab's solution with a patch applied.
class patched_solution {
 public:
  /// @throws told_error naming the patch where it does not apply exactly (no fuzz) or touches other files,
  /// with the line of the patch that is at fault
  patched_solution(const course& labs, const lab_entry& lab, const fs::path& patch);

  const fs::path& file() const { return solution_.file(); }

 private:
  scratch_solution solution_;
};

}  // namespace lab::cli

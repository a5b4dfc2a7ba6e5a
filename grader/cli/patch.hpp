#pragma once

#include "course.hpp"

namespace lab::cli {

/// A lab's solution with a patch applied, in a temporary folder.
class patched_solution {
 public:
  /// @throws told_error naming the patch where it does not apply exactly (no fuzz) or touches other files
  patched_solution(const course& labs, const lab_entry& lab, const fs::path& patch);

  const fs::path& file() const { return file_; }

 private:
  temporary_folder folder_;
  fs::path file_;
};

}  // namespace lab::cli

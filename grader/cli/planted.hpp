#pragma once

#include <string>
#include <vector>

#include "course.hpp"

/// The programs in a lab's wrong/ and right/ folders.
namespace lab::cli {

struct planted_program {
  fs::path file;       ///< a .patch on the solution, or a .cu where the structure differs
  std::string check;   ///< wrong/: the check that must stop it
  std::string phrase;  ///< wrong/: what that check's message must contain

  bool is_patch() const { return file.extension() == ".patch"; }
};

/// A wrong file opens with lines "check: NAME" and "phrase: TEXT" ("// check: NAME" in a .cu).
/// @throws told_error naming the file and the line it lacks
std::vector<planted_program> planted_in(const fs::path& folder, bool wrong);

/// A pair of mistakes that need not both be told, because one hides the other.
struct excluded_pair {
  std::string one, other;  ///< file names without the extension
  std::string reason;
};

/// Lines "one + other: reason"; "#" begins a comment. The file may be missing.
/// @throws told_error naming the line that is not so
std::vector<excluded_pair> excluded_pairs_in(const fs::path& file);

}  // namespace lab::cli

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

/// Pairs of mistakes that need not both be told, because one hides the other. A name may contain "*".
struct excluded_pairs {
  std::string one, other;  ///< file names without the extension
  std::string reason;

  bool covers(const planted_program& first, const planted_program& second) const;
};

/// Lines "one + other: reason"; "#" begins a comment. The file may be missing.
/// @throws told_error naming the line that is not so
std::vector<excluded_pairs> excluded_pairs_in(const fs::path& file);

struct planted_pair {
  const planted_program* one;
  const planted_program* other;
};

/// Every two patches that different checks must stop (a check tells its first failure only) and that are not
/// excluded; where there are more than `limit`, an arbitrary choice that is always the same.
std::vector<planted_pair> pairs_of(const std::vector<planted_program>& wrong,
                                   const std::vector<excluded_pairs>& excluded, std::size_t limit);

}  // namespace lab::cli

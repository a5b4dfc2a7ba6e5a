#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files.hpp"

/// A compiler's and a linker's output, reduced to the one thing that the student can act on.
namespace lab::cli {

/// The file that was compiled, as the messages name it.
struct source_in_question {
  fs::path shown_as;  ///< absolute; the compiler knows it under this name, through #line
  std::string text;
  std::vector<fs::path> internal_folders;  ///< where a location means nothing to the student
  fs::path contract;                       ///< the header that declares what it must define; may be empty
};

/// "FILE:LINE:COLUMN: error: ..." with the source line beneath, for the first error in what g++ or clang++
/// printed; an error inside a library's header is told at the line of the student that led to it.
std::string first_compile_error(std::string_view output, const source_in_question& source);

/// The first warnings, at most `most`, that point into the student's own file, by line, each once:
/// "LINE:COLUMN: warning: ..." with the source line beneath.
std::vector<std::string> own_warnings(std::string_view output, const source_in_question& source,
                                      std::size_t most);

/// Sentences for undefined and doubly defined symbols, as bfd, gold and lld print them.
std::string link_error(std::string_view output, const source_in_question& source);

/// "FILE:LINE:COLUMN: error: MESSAGE" with the line of `text` beneath; 0 for what is not known.
std::string error_at(const fs::path& file, int line, int column, std::string_view message,
                     std::string_view text);

/// A line end and the line `number` (from 1) of the text with its number, and a caret under `column` (0:
/// none).
std::string quoted_line(std::string_view text, int number, int column);

}  // namespace lab::cli

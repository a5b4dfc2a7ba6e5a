#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Turns CUDA C++ into C++ that the host compiler takes: launches, shared memory, and the headers that hold
/// them.
///
/// The text keeps its lines, and `#line` names the original, so diagnostics, `__LINE__` and debug information
/// point into the file the student wrote. Nothing here writes a file except write().
///
/// Inside, from the bottom up: a source_file is tokens, of which conditions tell what is compiled and
/// brackets what belongs together, held as fragments; declarations and kernel_table tell what names mean; the
/// passes rewrite a fragment; a project does all this for a source and its headers.
namespace lab::emulator::translate {

struct options {
  std::vector<std::filesystem::path> include_dirs;  ///< where headers are looked for, as the compiler's -I
  std::string source_name;       ///< what #line and diagnostics call the file; empty: its path
  std::filesystem::path output;  ///< where the text will lie; the copies of headers are named after it
};

/// One sentence about one place in the source. Line 0: about the file as a whole.
struct diagnostic {
  std::string file;
  int line = 0;
  int column = 0;  ///< in bytes, from 1
  std::string message;
};

/// `file:line:column: error: message`, as compilers write it.
std::string to_string(const diagnostic& error);

/// A header that held CUDA syntax; its copy lies beside the output.
struct translated_include {
  std::filesystem::path original;
  std::string file_name;
  std::string text;
};

struct result {
  std::string text;
  std::vector<std::filesystem::path> read_files;  ///< the source first, then each header that was found
  std::vector<translated_include> includes;
  std::vector<diagnostic> errors;  ///< empty: the translation may be used
};

/// Reads the file and the headers it names, and translates. Never throws on bad input: see `errors`.
result translate_file(const std::filesystem::path& source, const options& how);

/// As translate_file, for a text that is taken to lie at `source`.
result translate_text(std::string text, const std::filesystem::path& source, const options& how);

/// Writes the text to `output` and the headers beside it, each by renaming a finished temporary file.
/// @throws std::system_error naming the file that could not be written
void write(const result& translated, const std::filesystem::path& output);

/// The rule `output: files read`, in the format of Make and Ninja.
std::string dependency_rule(const result& translated, const std::filesystem::path& output);

/// Writes `text` to `path` so that others see the old file or the whole new one.
/// @throws std::system_error naming the file
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace lab::emulator::translate

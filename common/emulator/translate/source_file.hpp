#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fragment.hpp"

namespace lab::emulator::translate {

/// One `#include` line that names a file.
struct include_line {
  std::string spelled;
  std::uint32_t begin = 0;  ///< of the name with its quotes or angle brackets
  std::uint32_t end = 0;
  bool quoted = false;
  activity state = activity::compiled;
};

struct place {
  int line = 0;
  int column = 0;
};

/// The largest source that is read, in bytes.
inline constexpr std::size_t largest_source = std::size_t{16} << 20;

/// Reads the file, or as much as shows that it is too large; false, with errno set, if it cannot be read.
bool read_text(const std::filesystem::path& path, std::string& text);

/// Why a text cannot be CUDA source, and where; an empty message: it can.
struct unreadable {
  std::string message;
  place where;
};
unreadable check_text(std::string_view text);

/// Line and column from 1; a byte order mark is no column.
place place_in(std::string_view text, std::size_t offset);

/// A file's text and what it consists of.
class source_file {
 public:
  source_file(std::filesystem::path path, std::string name, std::string text);
  source_file(const source_file&) = delete;  // its fragments point to it
  source_file& operator=(const source_file&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// Whether the words that concern the translator occur at all.
  bool mentions_cuda() const;

  const fragment& program() const { return program_; }
  fragment& program() { return program_; }
  const std::vector<fragment>& macros() const { return macros_; }
  const std::vector<include_line>& includes() const { return includes_; }
  const std::vector<directive>& directives() const { return tokens_.directives; }
  const std::vector<lexical_problem>& problems() const { return tokens_.problems; }
  const conditions& branches() const { return conditions_; }

  /// How surely the file is compiled as a whole.
  activity state() const { return state_; }
  void set_state(activity state) { state_ = state; }

  std::string_view spelling(const token& t) const { return tokens_.spelling(t, text_); }
  place place_of(std::uint32_t offset) const { return place_in(text_, offset); }

 private:
  void read_macro(const directive& d, activity state);
  void read_include(const directive& d, activity state);

  std::filesystem::path path_;
  std::string name_;
  std::string text_;
  token_list tokens_;
  conditions conditions_;
  fragment program_;
  std::vector<fragment> macros_;
  std::vector<include_line> includes_;
  activity state_ = activity::skipped;
};

}  // namespace lab::emulator::translate

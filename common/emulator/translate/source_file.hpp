#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "brackets.hpp"
#include "conditions.hpp"
#include "tokens.hpp"

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

/// A file's text, with its tokens once somebody needs them.
class source_file {
 public:
  source_file(std::filesystem::path path, std::string name, std::string text);

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  /// Whether the words that concern the translator occur at all; else tokens are not needed.
  bool mentions_cuda() const;
  /// The include lines, without splitting the rest into tokens.
  std::vector<include_line> scan_includes() const;

  /// Splits the text into tokens; a second call does nothing.
  void read_tokens();
  bool has_tokens() const { return read_; }
  token_list& tokens() { return tokens_; }
  const token_list& tokens() const { return tokens_; }
  const std::vector<token>& code() const { return tokens_.code; }
  const conditions& branches() const { return conditions_; }
  /// The partner of each bracket of code().
  const std::vector<std::uint32_t>& partners() const { return partners_; }
  std::string_view spelling(const token& t) const { return tokens_.spelling(t, text_); }
  std::vector<include_line> includes() const;

  place place_of(std::uint32_t offset) const;

 private:
  std::filesystem::path path_;
  std::string name_;
  std::string text_;
  bool read_ = false;
  token_list tokens_;
  conditions conditions_;
  std::vector<std::uint32_t> partners_;
};

/// Tokens [first, last) as one line: a space wherever the source has blanks, comments or line ends.
std::string one_line(const source_file& file, const std::vector<token>& tokens, std::size_t first,
                     std::size_t last);

/// The text between quotes of a C string literal that means `text`.
std::string escaped(std::string_view text);

}  // namespace lab::emulator::translate

#include "source_file.hpp"

#include <algorithm>

namespace lab::emulator::translate {

source_file::source_file(std::filesystem::path path, std::string name, std::string text)
    : path_(std::move(path)), name_(std::move(name)), text_(std::move(text)) {}

bool source_file::mentions_cuda() const {
  for (const std::string_view word : {"<<<", "__shared__", "__global__", "asm"}) {
    for (std::size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1)) {
      // that the emulator's headers define these words as macros does not count
      constexpr std::string_view define = "#define ";
      const bool defines =
          at >= define.size() && text_.compare(at - define.size(), define.size(), define) == 0;
      if (!defines) return true;
    }
  }
  return false;
}

std::vector<include_line> source_file::scan_includes() const {
  std::vector<include_line> found;
  const auto skip_blanks = [this](std::size_t at) {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at;
  };
  for (std::size_t hash = text_.find('#'); hash != std::string::npos; hash = text_.find('#', hash + 1)) {
    std::size_t before = hash;
    while (before > 0 && (text_[before - 1] == ' ' || text_[before - 1] == '\t')) --before;
    if (before > 0 && text_[before - 1] != '\n') continue;
    std::size_t at = skip_blanks(hash + 1);
    if (text_.compare(at, 7, "include") != 0) continue;
    at = skip_blanks(at + 7);
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '<')) continue;
    const std::size_t end = text_.find_first_of(text_[at] == '"' ? "\"\n" : ">\n", at + 1);
    if (end == std::string::npos || text_[end] == '\n') continue;
    found.push_back({text_.substr(at + 1, end - at - 1), static_cast<std::uint32_t>(at),
                     static_cast<std::uint32_t>(end + 1), text_[at] == '"', activity::unknown});
  }
  return found;
}

void source_file::read_tokens() {
  if (read_) return;
  read_ = true;
  tokens_ = tokenize(text_);
  conditions_ = conditions(tokens_, text_);
  partners_ = match_brackets(tokens_.code, conditions_.events());
}

std::vector<include_line> source_file::includes() const {
  std::vector<include_line> found;
  for (std::size_t i = 0; i < tokens_.directives.size(); ++i) {
    const directive& d = tokens_.directives[i];
    if (d.kind != directive_kind::include || d.first == d.last) continue;
    const token& name = tokens_.directive_tokens[d.first];
    if (name.kind != token_kind::header_name) continue;
    found.push_back({text_.substr(name.begin + 1, name.end - name.begin - 2), name.begin, name.end,
                     text_[name.begin] == '"', conditions_.of_directive(static_cast<std::uint32_t>(i))});
  }
  return found;
}

place source_file::place_of(std::uint32_t offset) const {
  const std::size_t end = std::min<std::size_t>(offset, text_.size());
  const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t line_end = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
  std::size_t line_begin = line_end == std::string::npos ? 0 : line_end + 1;
  if (line_begin == 0 && text_.compare(0, 3, "\xef\xbb\xbf") == 0 && end >= 3) line_begin = 3;
  return {static_cast<int>(line) + 1, static_cast<int>(end - line_begin) + 1};
}

std::string one_line(const source_file& file, const std::vector<token>& tokens, std::size_t first,
                     std::size_t last) {
  std::string line;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first && tokens[i].space_before) line += ' ';
    line += file.spelling(tokens[i]);
  }
  return line;
}

std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace lab::emulator::translate

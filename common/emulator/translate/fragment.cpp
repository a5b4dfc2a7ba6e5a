#include "fragment.hpp"

#include <algorithm>

#include "source_file.hpp"

namespace lab::emulator::translate {

std::string_view fragment::spelling(std::uint32_t i) const {
  return file->spelling(tokens[i]);
}

activity fragment::state_at(std::uint32_t i) const {
  return std::max(file->state(), macro ? macro_state : file->branches().of_code(i));
}

int fragment::parameter(std::uint32_t i) const {
  if (!tokens[i].identifier()) return -1;
  const auto found = std::find(parameters.begin(), parameters.end(), spelling(i));
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

bool fragment::has_directive(std::uint32_t first, std::uint32_t last) const {
  if (macro || last <= first + 1) return false;
  const std::vector<directive>& all = file->directives();
  const auto found = std::upper_bound(all.begin(), all.end(), first,
                                      [](std::uint32_t i, const directive& d) { return i < d.code_index; });
  return found != all.end() && found->code_index < last;
}

std::vector<stretch> fragment::split_at_commas(std::uint32_t first, std::uint32_t last) const {
  std::vector<stretch> parts;
  std::uint32_t begin = first;
  for (std::uint32_t i = first; i < last; ++i) {
    i = jump(i, last);
    if (!tokens[i].is(op(","))) continue;
    parts.push_back({begin, i});
    begin = i + 1;
  }
  if (begin < last || !parts.empty()) parts.push_back({begin, last});
  return parts;
}

std::string fragment::one_line(std::uint32_t first, std::uint32_t last) const {
  std::string line;
  for (std::uint32_t i = first; i < last; ++i) {
    if (i > first && tokens[i].space_before) line += ' ';
    line += spelling(i);
  }
  return line;
}

std::string fragment::literal_of(std::uint32_t first, std::uint32_t last) const {
  std::string literal, plain;
  const auto flush = [&] {
    if (plain.empty()) return;
    (literal += literal.empty() ? "\"" : " \"") += escaped(plain) + "\"";
    plain.clear();
  };
  for (std::uint32_t i = first; i < last; ++i) {
    if (tokens[i].is(op("##"))) continue;
    const bool pasted = i > first && tokens[i - 1].is(op("##"));
    if (i > first && tokens[i].space_before && !pasted) plain += ' ';
    if (parameter(i) >= 0) {
      flush();
      (literal += literal.empty() ? "#" : " #") += spelling(i);
    } else {
      plain += spelling(i);
    }
  }
  flush();
  return literal.empty() ? "\"\"" : literal;
}

std::string fragment::line_ends(std::uint32_t begin, std::uint32_t end) const {
  std::string ends;
  const std::string_view text = file->text();
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') continue;
    if (macro) ends += " \\";
    ends += i > 0 && text[i - 1] == '\r' ? "\r\n" : "\n";
  }
  return ends;
}

std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? "\\n" : std::string(1, c);
  }
  return quoted;
}

}  // namespace lab::emulator::translate

#include "fragment.hpp"

#include <algorithm>
#include <tuple>

namespace lab::emulator::translate {

int fragment::parameter(std::uint32_t i) const {
  if (!at(i).identifier()) return -1;
  const auto found = std::find(parameters.begin(), parameters.end(), spelling(i));
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

bool fragment::has_directive(std::uint32_t first, std::uint32_t last) const {
  if (macro || last <= first + 1) return false;
  const std::vector<directive>& all = file->tokens().directives;
  const auto found = std::upper_bound(all.begin(), all.end(), first,
                                      [](std::uint32_t i, const directive& d) { return i < d.code_index; });
  return found != all.end() && found->code_index < last;
}

std::vector<stretch> split_at_commas(const fragment& in, std::uint32_t first, std::uint32_t last) {
  std::vector<stretch> parts;
  std::uint32_t begin = first;
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t partner = in.partner(i);
    if (partner != unmatched && partner > i && partner < last) {
      i = partner;
    } else if (in.at(i).is(op(","))) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < last || !parts.empty()) parts.push_back({begin, last});
  return parts;
}

std::string line_ends(const fragment& in, std::uint32_t begin, std::uint32_t end) {
  std::string ends;
  const std::string_view text = in.file->text();
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') continue;
    const bool carriage_return = i > 0 && text[i - 1] == '\r';
    ends += in.macro ? " \\" : "";
    ends += carriage_return ? "\r\n" : "\n";
  }
  return ends;
}

std::string literal_of(const fragment& in, std::uint32_t first, std::uint32_t last) {
  std::string literal, plain;
  const auto flush = [&] {
    if (plain.empty()) return;
    (literal += literal.empty() ? "\"" : " \"") += escaped(plain) + "\"";
    plain.clear();
  };
  for (std::uint32_t i = first; i < last; ++i) {
    if (in.at(i).is(op("##"))) continue;
    const bool pasted = i > first && in.at(i - 1).is(op("##"));
    if (i > first && in.at(i).space_before && !pasted) plain += ' ';
    if (in.is_parameter(i)) {
      flush();
      (literal += literal.empty() ? "#" : " #") += in.spelling(i);
    } else {
      plain += in.spelling(i);
    }
  }
  flush();
  return literal.empty() ? "\"\"" : literal;
}

void error_list::add(const source_file& file, std::uint32_t offset, activity state, std::string message) {
  if (state != activity::compiled || full()) return;
  const place where = file.place_of(offset);
  errors_.push_back({file.name(), where.line, where.column, std::move(message)});
}

void error_list::add(const source_file& file, std::string message) {
  errors_.push_back({file.name(), 0, 0, std::move(message)});
}

std::vector<diagnostic> error_list::take() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const diagnostic& a, const diagnostic& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  return std::move(errors_);
}

}  // namespace lab::emulator::translate

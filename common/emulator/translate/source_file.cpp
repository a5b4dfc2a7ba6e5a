#include "source_file.hpp"

#include <algorithm>
#include <fstream>

namespace lab::emulator::translate {

source_file::source_file(std::filesystem::path path, std::string name, std::string text)
    : path_(std::move(path)), name_(std::move(name)), text_(std::move(text)) {
  tokens_ = tokenize(text_);
  conditions_ = conditions(tokens_, text_);
  program_.file = this;
  program_.tokens = std::move(tokens_.code);
  program_.partners = match_brackets(program_.tokens, conditions_.events());
  for (std::uint32_t i = 0; i < tokens_.directives.size(); ++i) {
    const directive& d = tokens_.directives[i];
    if (d.first == d.last) continue;
    if (d.kind == directive_kind::define) read_macro(d, conditions_.of_directive(i));
    if (d.kind == directive_kind::include) read_include(d, conditions_.of_directive(i));
  }
}

void source_file::read_macro(const directive& d, activity state) {
  const std::vector<token>& all = tokens_.directive_tokens;
  if (all[d.first].meaning != word::none) return;  // the emulator's own `#define __global__`
  fragment macro;
  macro.file = this;
  macro.macro = true;
  macro.macro_state = state;
  macro.macro_name = spelling(all[d.first]);
  std::uint32_t body = d.first + 1;
  if (body < d.last && all[body].is(op("(")) && all[body].begin == all[d.first].end) {
    macro.function_like = true;
    for (; body < d.last && !all[body].is(op(")")); ++body) {
      if (all[body].identifier()) macro.parameters.push_back(spelling(all[body]));
      if (all[body].is(op("..."))) macro.parameters.push_back("__VA_ARGS__");
    }
    body = std::min(body + 1, d.last);
  }
  macro.tokens.assign(all.begin() + body, all.begin() + d.last);
  macro.partners = match_brackets(macro.tokens, {});
  macros_.push_back(std::move(macro));
}

void source_file::read_include(const directive& d, activity state) {
  const token& name = tokens_.directive_tokens[d.first];
  if (name.kind == token_kind::header_name)
    includes_.push_back({text_.substr(name.begin + 1, name.end - name.begin - 2), name.begin, name.end,
                         text_[name.begin] == '"', state});
}

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

bool read_text(const std::filesystem::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  text.resize(std::min<std::uintmax_t>(std::filesystem::file_size(path, error), largest_source + 1));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return in.is_open() && !error && !in.bad();
}

unreadable check_text(std::string_view text) {
  if (text.size() > largest_source)
    return {"this file is larger than 16 MiB, which no source file is.", {1, 1}};
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff")
    return {"this file is UTF-16: save it as UTF-8.", {1, 1}};
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return {};
  return {"there is a NUL byte here, so this is not a text file: check which file this is.",
          place_in(text, nul)};
}

place place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n');
  std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  if (line == 0 && before.substr(0, 3) == "\xef\xbb\xbf") line_begin = 3;
  return {static_cast<int>(line) + 1, static_cast<int>(before.size() - line_begin) + 1};
}

}  // namespace lab::emulator::translate

#include "project.hpp"

#include <algorithm>
#include <fstream>

#include "inline_ptx.hpp"
#include "rejections.hpp"
#include "shared_memory.hpp"

namespace lab::emulator::translate {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool read_text(const std::filesystem::path& path, std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > largest_source) return false;
  std::ifstream in(path, std::ios::binary);
  text.resize(bytes);
  in.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return in.good() || in.eof();
}

bool can_be_included(const std::string& path) {
  return path.find_first_of("\"\n\\") == std::string::npos;
}

fragment program_of(const source_file& file, activity state) {
  fragment program;
  program.file = &file;
  program.tokens = &file.code();
  program.partners = &file.partners();
  program.state = state;
  return program;
}

/// The macro's name and parameters; `body` becomes the index of the first token behind them.
fragment macro_of(const source_file& file, const directive& d, std::uint32_t& body) {
  const std::vector<token>& tokens = file.tokens().directive_tokens;
  fragment macro;
  macro.file = &file;
  macro.macro = true;
  macro.macro_name = file.spelling(tokens[d.first]);
  body = d.first + 1;
  if (body == d.last || !tokens[body].is(op("(")) || tokens[body].begin != tokens[d.first].end) return macro;
  for (; body < d.last && !tokens[body].is(op(")")); ++body) {
    if (tokens[body].identifier()) macro.parameters.push_back(file.spelling(tokens[body]));
    if (tokens[body].is(op("..."))) macro.parameters.push_back("__VA_ARGS__");
  }
  if (body < d.last) ++body;
  return macro;
}

}  // namespace

unreadable check_text(std::string_view text) {
  if (text.size() > largest_source) return {"this file is larger than 16 MiB, which no source file is.", 0};
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff")
    return {"this file is UTF-16: save it as UTF-8.", 0};
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    return {"there is a NUL byte here, so this is not a text file: check which file this is.",
            static_cast<std::uint32_t>(nul)};
  return {};
}

project::project(std::string text, const std::filesystem::path& source, const options& how) : how_(how) {
  const std::string name = how.source_name.empty() ? source.string() : how.source_name;
  units_.push_back(std::make_unique<unit>(source_file(source, name, std::move(text))));
  units_[0]->state = activity::compiled;
  std::error_code error;
  by_path_[std::filesystem::weakly_canonical(source, error).string()] = units_[0].get();
}

result project::run() {
  result done;
  if (const unreadable bad = check_text(units_[0]->file.text()); !bad.message.empty()) {
    errors_.add(units_[0]->file, bad.offset, activity::compiled, bad.message);
  } else {
    units_[0]->file.read_tokens();
    find_headers();
    settle_states();
    analyse();
    for (const auto& u : units_)
      if (u->file.has_tokens()) translate(*u);
    choose_copies();
    done.text = render(*units_[0]);
  }
  for (const auto& u : units_) {
    done.read_files.push_back(u->file.path());
    if (!u->copy_name.empty()) done.includes.push_back({u->file.path(), u->copy_name, render(*u)});
  }
  done.errors = errors_.take();
  return done;
}

void project::find_headers() {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    unit& u = *units_[i];
    if (i != 0 && u.file.mentions_cuda()) u.file.read_tokens();
    u.edges = resolve(u, u.file.has_tokens() ? u.file.includes() : u.file.scan_includes());
  }
}

std::vector<project::edge> project::resolve(const unit& includer, const std::vector<include_line>& lines) {
  std::vector<edge> edges;
  for (const include_line& line : lines)
    if (edge e = resolve(includer, line); e.target != nullptr) edges.push_back(std::move(e));
  return edges;
}

project::edge project::resolve(const unit& includer, const include_line& line) {
  if (line.spelled.empty()) return {line, nullptr, false};
  if (line.quoted || std::filesystem::path(line.spelled).is_absolute()) {
    unit* found = load(includer.file.path().parent_path() / line.spelled);
    if (found != nullptr) return {line, found, true};
  }
  for (const std::filesystem::path& folder : how_.include_dirs)
    if (unit* found = load(folder / line.spelled)) return {line, found, false};
  return {line, nullptr, false};
}

project::unit* project::load(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return nullptr;
  const std::string key = std::filesystem::canonical(path, error).string();
  if (error) return nullptr;
  if (const auto known = by_path_.find(key); known != by_path_.end()) return known->second;
  std::string text;
  if (!read_text(path, text) || !check_text(text).message.empty()) return by_path_[key] = nullptr;
  const std::filesystem::path plain = path.lexically_normal();
  units_.push_back(std::make_unique<unit>(source_file(plain, plain.string(), std::move(text))));
  return by_path_[key] = units_.back().get();
}

/// A header is as surely compiled as the surest way to it.
void project::settle_states() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& u : units_) {
      for (const edge& e : u->edges) {
        const activity state = std::max(u->state, e.line.state);
        if (state >= e.target->state) continue;
        e.target->state = state;
        changed = true;
      }
    }
  }
}

void project::analyse() {
  for (const auto& u : units_)
    if (u->file.has_tokens()) names_.add_macros(u->file);
  for (const auto& u : units_) {
    if (!u->file.has_tokens()) continue;
    names_.apply_macros(u->file);
    u->declared = read_declarations(u->file);
    names_.add_declarations(u->file, u->declared);
    for (const std::uint32_t index : macros_with_cuda(*u)) {
      std::uint32_t body = 0;
      const fragment macro = macro_of(u->file, u->file.tokens().directives[index], body);
      if (!macro.parameters.empty()) passed_[std::string(macro.macro_name)].resize(macro.parameters.size());
    }
  }
  for (const auto& u : units_)
    if (u->file.has_tokens()) collect_macro_arguments(program_of(u->file, u->state), passed_);
}

void project::translate(unit& u) {
  report_lexical_problems(u);
  const fragment program = program_of(u.file, u.state);
  const surroundings around{names_, &u.declared, passed_, errors_, u.changes};
  translate_launches(program, around);
  translate_shared_memory(program, around);
  translate_inline_ptx(program, around);
  report_misuse(program, around);
  for (const std::uint32_t index : macros_with_cuda(u)) translate_macro(u, index);
}

std::vector<std::uint32_t> project::macros_with_cuda(const unit& u) const {
  std::vector<std::uint32_t> found;
  const token_list& list = u.file.tokens();
  for (std::uint32_t i = 0; i < list.directives.size(); ++i) {
    const directive& d = list.directives[i];
    if (d.kind != directive_kind::define || d.first == d.last) continue;
    const auto begin = list.directive_tokens.begin() + d.first;
    const auto end = list.directive_tokens.begin() + d.last;
    if (std::none_of(begin + 1, end, [](const token& t) {
          return t.is(op("<<<")) || t.is(word::shared_) || t.is(word::asm_);
        }))
      continue;
    if (names_.specifiers(u.file.spelling(*begin)) == nullptr) found.push_back(i);
  }
  return found;
}

void project::translate_macro(unit& u, std::uint32_t index) {
  const token_list& list = u.file.tokens();
  const directive& d = list.directives[index];
  std::uint32_t body_begin = 0;
  fragment body = macro_of(u.file, d, body_begin);
  body.state = std::max(u.state, u.file.branches().of_directive(index));
  const std::vector<token> tokens(list.directive_tokens.begin() + body_begin,
                                  list.directive_tokens.begin() + d.last);
  const std::vector<std::uint32_t> partners = match_brackets(tokens, {});
  body.tokens = &tokens;
  body.partners = &partners;
  const surroundings around{names_, nullptr, passed_, errors_, u.changes};
  translate_launches(body, around);
  translate_shared_memory(body, around);
  translate_inline_ptx(body, around);
}

void project::report_lexical_problems(const unit& u) {
  for (const lexical_problem& p : u.file.tokens().problems) {
    const activity state = p.everywhere ? u.state : u.file.branches().of_code(p.code_index);
    errors_.add(u.file, p.offset, std::max(state, u.state), p.message);
  }
}

/// A header needs a copy if it holds CUDA syntax, or includes one that does.
void project::choose_copies() {
  std::size_t number = 0;
  const std::string stem = how_.output.empty() ? "translated" : how_.output.filename().string();
  const auto choose = [&](unit& u) {
    u.copy_name = stem + "." + std::to_string(++number) + "." + u.file.path().filename().string();
  };
  for (const auto& u : units_)
    if (u != units_[0] && !u->changes.empty()) choose(*u);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& u : units_) {
      if (u == units_[0] || !u->copy_name.empty()) continue;
      if (std::none_of(u->edges.begin(), u->edges.end(),
                       [](const edge& e) { return !e.target->copy_name.empty(); }))
        continue;
      choose(*u);
      changed = true;
    }
  }
  for (const auto& u : units_)
    if (u == units_[0] || !u->copy_name.empty()) redirect_includes(*u);
}

void project::redirect_includes(unit& u) {
  if (!u.file.has_tokens()) {
    u.file.read_tokens();
    u.edges = resolve(u, u.file.includes());
  }
  for (const edge& e : u.edges) {
    std::string target = e.target->copy_name;
    if (target.empty() && e.beside && e.target != &u) {
      std::error_code error;
      target = std::filesystem::absolute(e.target->file.path(), error).lexically_normal().string();
    }
    if (!target.empty() && can_be_included(target))
      u.changes.replace(e.line.begin, e.line.end, "\"" + target + "\"");
  }
}

std::string project::render(const unit& u) const {
  const bool source = &u == units_[0].get();
  // nvcc includes the runtime's header by itself
  std::string text = source ? "#include <cuda_runtime.h>\n" : "";
  text += "#line 1 \"" + escaped(u.file.name()) + "\"\n";
  const std::string edited = u.changes.apply(u.file.text());
  const bool marked = std::string_view(edited).substr(0, byte_order_mark.size()) == byte_order_mark;
  return text.append(edited, marked ? byte_order_mark.size() : 0);
}

}  // namespace lab::emulator::translate

#include "project.hpp"

#include <algorithm>

namespace lab::emulator::translate {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool can_be_included(const std::string& path) {
  return path.find_first_of("\"\n\\") == std::string::npos;
}

}  // namespace

project::project(std::string text, const std::filesystem::path& source, const options& how) : how_(how) {
  units_.push_back(std::make_unique<unit>(source, name_of(source, how), std::move(text)));
  units_[0]->file.set_state(activity::compiled);
  units_[0]->has_cuda = true;
  std::error_code error;
  by_path_[std::filesystem::weakly_canonical(source, error).string()] = units_[0].get();
}

result project::run() {
  result done;
  find_headers();
  settle_states();
  analyse();
  for (const auto& u : units_)
    if (u->has_cuda) translate(*u);
  choose_copies();
  done.text = render(*units_[0]);
  for (const auto& u : units_) {
    done.read_files.push_back(u->file.path());
    if (!u->copy_name.empty()) done.includes.push_back({u->file.path(), u->copy_name, render(*u)});
  }
  done.errors = errors_.take();
  return done;
}

void project::find_headers() {
  for (std::size_t i = 0; i < units_.size(); ++i)
    for (const include_line& line : units_[i]->file.includes())
      if (edge e = resolve(*units_[i], line); e.target != nullptr) units_[i]->edges.push_back(std::move(e));
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
  units_.push_back(std::make_unique<unit>(plain, plain.string(), std::move(text)));
  units_.back()->has_cuda = units_.back()->file.mentions_cuda();
  return by_path_[key] = units_.back().get();
}

/// A header is as surely compiled as the surest way to it.
void project::settle_states() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& u : units_) {
      for (const edge& e : u->edges) {
        const activity state = std::max(u->file.state(), e.line.state);
        if (state >= e.target->file.state()) continue;
        e.target->file.set_state(state);
        changed = true;
      }
    }
  }
}

void project::analyse() {
  launches_by_address_ = std::any_of(units_.begin(), units_.end(), [](const auto& u) {
    return u->file.text().find("cudaLaunchKernel") != std::string_view::npos;
  });
  for (const auto& u : units_)
    if (u->has_cuda) names_.add_macros(u->file);
  for (const auto& u : units_) {
    if (!u->has_cuda) continue;
    names_.apply_macros(u->file.program());
    u->declared = read_declarations(u->file.program());
    names_.add_declarations(u->declared);
    names_.add_uses(u->file.program());
    for (const fragment& macro : u->file.macros()) names_.add_uses(macro);
  }
}

void project::translate(unit& u) {
  for (const lexical_problem& p : u.file.problems()) {
    const activity state = p.everywhere ? activity::compiled : u.file.branches().of_code(p.code_index);
    errors_.add(u.file, p.offset, std::max(state, u.file.state()), p.message);
  }
  const auto run_passes = [&](const fragment& in, const declarations* declared) {
    const surroundings around{names_, declared, errors_, u.changes};
    translate_launches(in, around);
    translate_shared_memory(in, around);
    translate_inline_ptx(in, around);
    if (declared != nullptr) report_misuse(in, around);
    if (declared != nullptr && launches_by_address_) list_kernels(in, around);
  };
  run_passes(u.file.program(), &u.declared);
  for (const fragment& macro : u.file.macros())
    if (names_.specifiers(macro.macro_name) == nullptr) run_passes(macro, nullptr);
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

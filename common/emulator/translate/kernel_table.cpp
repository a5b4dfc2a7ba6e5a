#include "kernel_table.hpp"

#include <algorithm>

#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

/// Reads a macro's body; its meaning stays `none` unless it holds specifiers only.
specifier_macro read_specifiers(const fragment& body) {
  specifier_macro found;
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    switch (body.at(i).meaning) {
      case word::global_:
      case word::shared_:
        found.meaning = body.at(i).meaning;
        break;
      case word::device_:
        if (found.meaning == word::none) found.meaning = word::device_;
        break;
      case word::volatile_:
        found.is_volatile = true;
        break;
      case word::extern_:
        found.is_extern = true;
        break;
      case word::host_:
      case word::static_:
      case word::inline_:
      case word::constexpr_:
      case word::void_:
      case word::attribute_:
        break;
      default:
        if (body.jump(i) == i && body.at(i).kind != token_kind::text) return {};
        i = body.jump(i);
    }
  }
  return found;
}

/// Whether a declaration in scope `declared` may be what qualification `spelled` means.
bool path_fits(std::string_view declared, std::string_view spelled) {
  if (spelled.empty() || declared == spelled) return true;
  const std::size_t extra = declared.size() < spelled.size() ? 0 : declared.size() - spelled.size();
  return extra >= 2 && declared.substr(extra) == spelled && declared.substr(extra - 2, 2) == "::";
}

constexpr std::size_t most = 64;  // overloads, or names given to one macro: nobody writes more

}  // namespace

void kernel_table::add_macros(const source_file& file) {
  for (const fragment& macro : file.macros()) {
    const std::string name(macro.macro_name);
    macros_.insert(name);
    if (macro.function_like) continue;
    if (const specifier_macro found = read_specifiers(macro); found.meaning != word::none)
      specifiers_[name] = found;
  }
}

void kernel_table::apply_macros(fragment& program) const {
  if (specifiers_.empty()) return;
  for (token& t : program.tokens) {
    if (!t.name()) continue;
    if (const specifier_macro* found = specifiers(program.file->spelling(t))) t.meaning = found->meaning;
  }
}

void kernel_table::add_declarations(const declarations& found) {
  for (const function_declaration& f : found.functions) {
    std::vector<const function_declaration*>& same_name = functions_[f.name];
    if (same_name.size() < most)
      same_name.push_back(&f);
    else if (f.kernel)
      same_name.back() = &f;
  }
}

void kernel_table::add_uses(const fragment& in) {
  for (std::uint32_t i = 0; i + 1 < in.size(); ++i) {
    if (!in.at(i).name() || !in.at(i + 1).is(op("(")) || in.jump(i + 1) == i + 1) continue;
    const std::string macro(in.spelling(i));
    if (!is_macro(macro)) continue;
    const std::vector<stretch> arguments = in.split_at_commas(i + 2, in.partner(i + 1));
    for (std::size_t k = 0; k < arguments.size() && k < most; ++k) {
      const auto [first, last] = arguments[k];
      if (first == last) continue;
      passed_name passed{name_callee(in, first, last), {}};
      const int parameter = in.parameter(first);
      if (parameter >= 0) passed.from = {std::string(in.macro_name), parameter};
      std::vector<passed_name>& all = passed_[{macro, static_cast<int>(k)}];
      if (!passed.callee.name.empty() && all.size() < most) all.push_back(std::move(passed));
    }
  }
}

const specifier_macro* kernel_table::specifiers(std::string_view name) const {
  if (specifiers_.empty()) return nullptr;
  const auto found = specifiers_.find(std::string(name));
  return found == specifiers_.end() ? nullptr : &found->second;
}

const std::vector<const function_declaration*>& kernel_table::functions(std::string_view name) const {
  static const std::vector<const function_declaration*> none;
  const auto found = functions_.find(std::string(name));
  return found == functions_.end() ? none : found->second;
}

/// The kernels that the name may mean; where its qualification fits some, only those.
std::vector<const function_declaration*> kernel_table::candidates(const callee_name& callee) const {
  std::vector<const function_declaration*> kernels;
  for (const function_declaration* f : functions(callee.name))
    if (f->kernel && !f->specialization) kernels.push_back(f);
  const auto others =
      std::stable_partition(kernels.begin(), kernels.end(),
                            [&](const function_declaration* k) { return path_fits(k->path, callee.path); });
  if (others != kernels.begin()) kernels.erase(others, kernels.end());
  return kernels;
}

bool kernel_table::needs_deduction(const callee_name& callee) const {
  const std::vector<const function_declaration*> kernels = candidates(callee);
  return std::any_of(kernels.begin(), kernels.end(), [&](const function_declaration* k) {
    if (k->is_template && (k->has_pack || callee.template_arguments < k->template_parameters)) return true;
    if (k->defaulted > 0 && callee.arguments != k->parameters) return true;
    // overloads; a redeclaration looks the same
    const function_declaration& first = *kernels[0];
    return k->path == first.path && (k->signature != first.signature || k->is_template != first.is_template);
  });
}

std::uint64_t kernel_table::pointer_parameters(const callee_name& callee) const {
  std::uint64_t pointers = ~std::uint64_t{0};
  for (const function_declaration* kernel : candidates(callee)) pointers &= kernel->pointers;
  return pointers;
}

std::vector<callee_name> kernel_table::passed(std::string_view macro, int parameter) const {
  std::vector<callee_name> names;
  std::vector<macro_parameter> places = {{std::string(macro), parameter}};
  for (std::size_t i = 0; i < places.size() && i < most; ++i) {
    const auto found = passed_.find(places[i]);
    if (found == passed_.end()) continue;
    for (const passed_name& p : found->second) {
      names.push_back(p.callee);
      if (!p.from.first.empty() && std::find(places.begin(), places.end(), p.from) == places.end())
        places.push_back(p.from);
    }
  }
  return names;
}

bool is_visible(const function_declaration& f, const callee_name& callee, std::string_view here) {
  if (!callee.path.empty()) return path_fits(f.path, callee.path);
  return f.path.empty() || here.substr(0, f.path.size()) == f.path;
}

}  // namespace lab::emulator::translate

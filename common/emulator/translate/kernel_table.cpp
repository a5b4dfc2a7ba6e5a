#include "kernel_table.hpp"

#include <algorithm>

#include "declaration_head.hpp"

namespace lab::emulator::translate {
namespace {

/// Reads a macro's body; false unless it holds specifiers only.
bool read_specifiers(const token_list& list, std::uint32_t first, std::uint32_t last,
                     specifier_macro& found) {
  int parentheses = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const token& t = list.directive_tokens[i];
    if (t.is(op("(")))
      ++parentheses;
    else if (t.is(op(")")))
      --parentheses;
    else if (parentheses == 0) {
      switch (t.meaning) {
        case word::global_:
        case word::shared_:
          found.meaning = t.meaning;
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
        case word::launch_bounds_:
          break;
        default:
          if (t.kind != token_kind::text) return false;
      }
    }
  }
  return found.meaning != word::none;
}

}  // namespace

void kernel_table::add_macros(const source_file& file) {
  const token_list& list = file.tokens();
  for (const directive& d : list.directives) {
    if (d.kind != directive_kind::define || d.first == d.last) continue;
    const token& name = list.directive_tokens[d.first];
    const std::string spelled(file.spelling(name));
    if (name.meaning != word::none) continue;  // the emulator's own `#define __global__`
    macros_.insert(spelled);
    const bool takes_arguments = d.first + 1 < d.last && list.directive_tokens[d.first + 1].is(op("(")) &&
                                 list.directive_tokens[d.first + 1].begin == name.end;
    specifier_macro found;
    if (!takes_arguments && read_specifiers(list, d.first + 1, d.last, found)) specifiers_[spelled] = found;
  }
}

void kernel_table::apply_macros(source_file& file) const {
  if (specifiers_.empty()) return;
  for (token& t : file.tokens().code) {
    if (!t.name()) continue;
    if (const specifier_macro* found = specifiers(file.spelling(t))) t.meaning = found->meaning;
  }
}

void kernel_table::add_declarations(const source_file& file, const declarations& found) {
  // more overloads than anybody writes are told apart no better
  constexpr std::size_t most = 64;
  for (const function_declaration& f : found.functions) {
    std::vector<known_function>& same_name = functions_[f.name];
    if (same_name.size() < most)
      same_name.push_back({&file, &f});
    else if (f.kernel)
      same_name.back() = {&file, &f};
  }
}

const specifier_macro* kernel_table::specifiers(std::string_view name) const {
  if (specifiers_.empty()) return nullptr;
  const auto found = specifiers_.find(std::string(name));
  return found == specifiers_.end() ? nullptr : &found->second;
}

const std::vector<known_function>& kernel_table::functions(std::string_view name) const {
  static const std::vector<known_function> none;
  const auto found = functions_.find(std::string(name));
  return found == functions_.end() ? none : found->second;
}

bool path_fits(std::string_view declared, std::string_view spelled) {
  if (spelled.empty() || declared == spelled) return true;
  const std::size_t extra = declared.size() < spelled.size() ? 0 : declared.size() - spelled.size();
  return extra >= 2 && declared.substr(extra) == spelled && declared.substr(extra - 2, 2) == "::";
}

bool is_visible(const function_declaration& f, const callee_name& callee, std::string_view here) {
  if (!callee.path.empty()) return path_fits(f.path, callee.path);
  return f.path.empty() || here.substr(0, f.path.size()) == f.path;
}

namespace {

/// The kernels that the name may mean; where its qualification fits some, only those.
std::vector<const function_declaration*> candidates(const kernel_table& table, const callee_name& callee) {
  std::vector<const function_declaration*> kernels;
  for (const known_function& known : table.functions(callee.name))
    if (known.declaration->kernel && !known.declaration->specialization) kernels.push_back(known.declaration);
  const auto others =
      std::stable_partition(kernels.begin(), kernels.end(),
                            [&](const function_declaration* k) { return path_fits(k->path, callee.path); });
  if (others != kernels.begin()) kernels.erase(others, kernels.end());
  return kernels;
}

}  // namespace

std::uint64_t pointer_parameters(const kernel_table& table, const callee_name& callee) {
  std::uint64_t pointers = ~std::uint64_t{0};
  for (const function_declaration* kernel : candidates(table, callee)) pointers &= kernel->pointers;
  return pointers;
}

bool needs_deduction(const kernel_table& table, const callee_name& callee) {
  const std::vector<const function_declaration*> kernels = candidates(table, callee);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const function_declaration& kernel = *kernels[i];
    if (kernel.is_template && (kernel.has_pack || callee.template_arguments < kernel.template_parameters))
      return true;
    if (kernel.defaulted > 0 && callee.arguments != kernel.parameters) return true;
    // overloads; a redeclaration looks the same
    const bool overloaded =
        i > 0 && kernel.path == kernels[0]->path &&
        (kernel.signature != kernels[0]->signature || kernel.is_template != kernels[0]->is_template);
    if (overloaded) return true;
  }
  return false;
}

}  // namespace lab::emulator::translate

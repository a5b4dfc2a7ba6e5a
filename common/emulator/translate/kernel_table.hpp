#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "declarations.hpp"

/// What is known of names across a source and its headers.
namespace lab::emulator::translate {

/// A declaration and the file it stands in.
struct known_function {
  const source_file* file = nullptr;
  const function_declaration* declaration = nullptr;
};

/// A macro without parameters that stands for specifiers alone, such as `#define KERNEL extern "C"
/// __global__`.
struct specifier_macro {
  word meaning = word::none;  ///< global_, device_ or shared_, whichever it holds
  bool is_volatile = false;
  bool is_extern = false;
};

/// A launched or called function as the source names it.
struct callee_name {
  std::string name;             ///< without qualification or template arguments
  std::string path;             ///< its qualification, `a::b`
  int template_arguments = -1;  ///< -1: no < >
  int arguments = -1;           ///< how many the call passes; -1: not known
};

class kernel_table {
 public:
  /// Collects the file's macros; every file's before any declarations are read.
  void add_macros(const source_file& file);
  /// Gives tokens that are specifier macros the meaning of what they stand for.
  void apply_macros(source_file& file) const;
  void add_declarations(const source_file& file, const declarations& found);

  bool is_macro(std::string_view name) const { return macros_.count(std::string(name)) != 0; }
  const specifier_macro* specifiers(std::string_view name) const;
  const std::vector<known_function>& functions(std::string_view name) const;

 private:
  std::unordered_set<std::string> macros_;
  std::unordered_map<std::string, specifier_macro> specifiers_;
  std::unordered_map<std::string, std::vector<known_function>> functions_;
};

/// Whether only the call's arguments can tell which function is meant, so its address cannot be taken.
bool needs_deduction(const kernel_table& table, const callee_name& callee);

/// Bit i: parameter i is a pointer in every kernel that `callee` may mean.
std::uint64_t pointer_parameters(const kernel_table& table, const callee_name& callee);

/// Whether a declaration in scope `declared` may be what qualification `spelled` means.
bool path_fits(std::string_view declared, std::string_view spelled);

/// Whether `callee`, named in scope `here`, may mean the declaration.
bool is_visible(const function_declaration& f, const callee_name& callee, std::string_view here);

}  // namespace lab::emulator::translate

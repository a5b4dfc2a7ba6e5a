#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "callee.hpp"
#include "declarations.hpp"

/// What is known of names across a source and its headers.
namespace lab::emulator::translate {

/// A macro without parameters that stands for specifiers alone, such as `#define KERNEL extern "C"
/// __global__`.
struct specifier_macro {
  word meaning = word::none;  ///< global_, device_ or shared_, whichever it holds
  bool is_volatile = false;
  bool is_extern = false;
};

class kernel_table {
 public:
  /// Collects the file's macros; every file's before anything else.
  void add_macros(const source_file& file);
  /// Gives tokens that are specifier macros the meaning of what they stand for.
  void apply_macros(fragment& program) const;
  void add_declarations(const declarations& found);
  /// Collects the names that the fragment passes to macros, which may launch them.
  void add_uses(const fragment& in);

  bool is_macro(std::string_view name) const { return macros_.count(std::string(name)) != 0; }
  const specifier_macro* specifiers(std::string_view name) const;
  const std::vector<const function_declaration*>& functions(std::string_view name) const;

  /// Whether only the call's arguments can tell which function is meant, so its address cannot be taken.
  bool needs_deduction(const callee_name& callee) const;
  /// Bit i: parameter i is a pointer in every kernel that `callee` may mean.
  std::uint64_t pointer_parameters(const callee_name& callee) const;
  /// What the uses of a macro name for its parameter, be it through other macros.
  std::vector<callee_name> passed(std::string_view macro, int parameter) const;

 private:
  using macro_parameter = std::pair<std::string, int>;
  struct passed_name {
    callee_name callee;
    macro_parameter from;  ///< where the use stands in a macro that passes its own parameter on
  };
  std::vector<const function_declaration*> candidates(const callee_name& callee) const;

  std::unordered_set<std::string> macros_;
  std::unordered_map<std::string, specifier_macro> specifiers_;
  std::unordered_map<std::string, std::vector<const function_declaration*>> functions_;
  std::map<macro_parameter, std::vector<passed_name>> passed_;
};

/// Whether `callee`, named in scope `here`, may mean the declaration.
bool is_visible(const function_declaration& f, const callee_name& callee, std::string_view here);

}  // namespace lab::emulator::translate

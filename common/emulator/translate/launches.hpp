#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "fragment.hpp"
#include "kernel_table.hpp"

/// `kernel<<<grid, block>>>(arguments)` becomes an ordinary call.
namespace lab::emulator::translate {

/// What the uses of launching macros pass to them, by macro and parameter: the kernels it may launch.
using macro_arguments = std::unordered_map<std::string, std::vector<std::vector<callee_name>>>;

/// Adds what the fragment passes to the macros that `passed` already names.
void collect_macro_arguments(const fragment& in, macro_arguments& passed);

/// What surrounds a fragment: needed to judge, not to translate.
struct surroundings {
  const kernel_table& names;
  const declarations* declared = nullptr;  ///< of the fragment's file; none in a macro's body
  const macro_arguments& passed;
  error_list& errors;
  edits& changes;
};

/// Translates every launch in the fragment.
void translate_launches(const fragment& in, const surroundings& around);

/// The function a call or launch names, whose last token is `last - 1`; an empty name if it is no plain name.
callee_name name_callee(const fragment& in, std::uint32_t first, std::uint32_t last);

/// Whether `name` may be a local variable or parameter at token `use`, by how the function uses it until
/// there.
bool may_be_local(const fragment& in, const declarations& declared, std::string_view name, std::uint32_t use);

}  // namespace lab::emulator::translate

#pragma once

#include "fragment.hpp"
#include "kernel_table.hpp"

/// `kernel<<<grid, block>>>(arguments)` becomes an ordinary call.
namespace lab::emulator::translate {

/// What surrounds a fragment: needed to judge, not to translate.
struct surroundings {
  const kernel_table& names;
  const declarations* declared = nullptr;  ///< of the fragment's file; none in a macro's body
  error_list& errors;
  edits& changes;
};

/// Translates every launch in the fragment.
void translate_launches(const fragment& in, const surroundings& around);

/// The function a call or launch names, whose last token is `last - 1`; an empty name if it is no plain name.
callee_name name_callee(const fragment& in, std::uint32_t first, std::uint32_t last);

/// Whether `name` may be a local variable or parameter at token `use`, by how the function uses it until there.
bool may_be_local(const fragment& in, const declarations& declared, std::string_view name, std::uint32_t use);

}  // namespace lab::emulator::translate

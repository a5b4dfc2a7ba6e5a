#pragma once

#include <string>

#include "model.hpp"

/// Names: of functions and variables as the source has them, and of copies.
namespace lab::trace {

/// The mangled name in the source's words, without unnamed namespaces. What C linkage names is not mangled: a
/// "f" of it is no float.
std::string demangled(const char* name);

/// "void n::kernel<int (*)()>(float*, int)", taken apart.
struct function_words {
  std::string name;        ///< "n::kernel<int (*)()>"
  std::string parameters;  ///< "float*, int"
};

function_words words_of_function(const char* mangled);

/// The last part of a function's name alone, as debug information has it: "kernel<int (*)()>", "operator()".
std::string unqualified(const char* mangled);

/// "copy host to device"; the name of such an operation in a trace
const char* copy_name(copy_direction direction);

}  // namespace lab::trace

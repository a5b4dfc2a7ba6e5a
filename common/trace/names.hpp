#pragma once

#include <string>

/// Names of functions and variables as the source has them.
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

}  // namespace lab::trace

#pragma once

#include <string>
#include <string_view>

namespace lab::cli {

/// A definition that other files do not see under the name they use.
struct hidden_definition {
  int line = 0;            ///< 0: there is none
  std::string how;         ///< "inside a namespace without a name"
  std::string what_to_do;  ///< a sentence
};

/// Looks in CUDA source that compiles for a definition of `symbol`, "space::name(int)" as a linker says it,
/// that stands in another namespace, is static, or is a constant that no header declares. Nothing is found
/// where one stands in the open.
hidden_definition find_hidden(const std::string& source, std::string_view symbol);

}  // namespace lab::cli

#pragma once

#include <cstdint>
#include <string>

#include "declarations.hpp"

/// The tokens of a declaration before its body or semicolon.
namespace lab::emulator::translate {

enum class head_kind : std::uint8_t { other, namespace_, class_, function };

struct declaration_head {
  head_kind kind = head_kind::other;
  std::string name;                  ///< of the namespace or class
  bool initializes_members = false;  ///< a constructor whose `: a{1}, b{2}` precedes its body
  function_declaration function;
};

/// Reads tokens [first, last), which stand at namespace or class scope.
declaration_head read_head(const fragment& program, std::uint32_t first, std::uint32_t last);

}  // namespace lab::emulator::translate

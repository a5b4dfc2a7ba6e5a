#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brackets.hpp"
#include "conditions.hpp"
#include "tokens.hpp"

namespace lab::emulator::translate {

class source_file;

/// Tokens [first, last).
struct stretch {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool empty() const { return first == last; }
};

/// Tokens that are read as program text: a file's own, or the body of one #define.
struct fragment {
  const source_file* file = nullptr;
  std::vector<token> tokens;
  std::vector<std::uint32_t> partners;  ///< as match_brackets() gives them
  bool macro = false;
  std::string_view macro_name;
  std::vector<std::string_view> parameters;  ///< of the macro
  bool function_like = false;                ///< the macro
  activity macro_state = activity::compiled;

  std::uint32_t size() const { return static_cast<std::uint32_t>(tokens.size()); }
  const token& at(std::uint32_t i) const { return tokens[i]; }
  /// Whether there is a token i and it is this punctuator.
  bool has(std::uint32_t i, std::uint32_t punctuator) const { return i < size() && tokens[i].is(punctuator); }
  std::string_view spelling(std::uint32_t i) const;
  activity state_at(std::uint32_t i) const;

  std::uint32_t partner(std::uint32_t i) const { return partners[i]; }
  /// The partner of bracket i if it stands behind i and before `last`, else i.
  std::uint32_t jump(std::uint32_t i, std::uint32_t last = unmatched) const {
    return partners[i] > i && partners[i] < last ? partners[i] : i;
  }
  /// The partner of bracket i if it stands before i, else i.
  std::uint32_t back(std::uint32_t i) const { return partners[i] < i ? partners[i] : i; }

  /// The index of the macro's parameter that token i is, or -1.
  int parameter(std::uint32_t i) const;
  /// Whether a # line stands among tokens [first, last).
  bool has_directive(std::uint32_t first, std::uint32_t last) const;
  /// The parts of [first, last) between commas outside of brackets.
  std::vector<stretch> split_at_commas(std::uint32_t first, std::uint32_t last) const;
  /// Tokens [first, last) with a space wherever the source has blanks, comments or line ends.
  std::string one_line(std::uint32_t first, std::uint32_t last) const;
  /// A C expression for the text of [first, last), in which a macro's parameters appear as they are passed.
  std::string literal_of(std::uint32_t first, std::uint32_t last) const;
  /// The line ends within bytes [begin, end), as they stand there: what replaces those bytes must hold them.
  std::string line_ends(std::uint32_t begin, std::uint32_t end) const;
};

/// The text between quotes of a C string literal that means `text`.
std::string escaped(std::string_view text);

}  // namespace lab::emulator::translate

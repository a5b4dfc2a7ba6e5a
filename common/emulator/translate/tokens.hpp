#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The preprocessing tokens of one file: what the translator reads instead of characters.
namespace lab::emulator::translate {

/// The words that mean something to the translator, as far as it tells them apart.
enum class word : std::uint8_t {
  none,
  // from here to requires_: words that may precede a type and say nothing of it
  global_,
  device_,
  host_,
  shared_,
  static_,
  extern_,
  inline_,  ///< and others that change nothing
  friend_,
  constexpr_,
  const_,
  volatile_,
  restrict_,
  attribute_,  ///< may carry parentheses
  align_,
  decltype_,
  noexcept_,
  requires_,

  void_,
  built_in_type_,
  auto_,
  class_,  ///< struct and union, too
  enum_,
  namespace_,
  template_,
  operator_,
  alias_,    ///< typedef, using
  access_,   ///< public, private, protected
  final_,    ///< and override: words only in some places
  block_,    ///< else, do, try: a block may follow at once
  control_,  ///< if, for and others whose parentheses a statement follows
  asm_,
  other_,  ///< a word of the language all the same
};

enum class token_kind : std::uint8_t { identifier, number, text, character, punctuator, header_name, other };

/// A punctuator's characters packed into a number, so that comparing one is comparing integers.
constexpr std::uint32_t op(std::string_view characters) {
  std::uint32_t code = 0;
  for (const char c : characters) code = code << 8 | static_cast<unsigned char>(c);
  return code;
}

struct token {
  std::uint32_t begin = 0;  ///< bytes [begin, end) of the file
  std::uint32_t end = 0;
  std::uint32_t punctuator = 0;  ///< op("...") if it is one
  token_kind kind = token_kind::other;
  word meaning = word::none;
  bool space_before = false;
  bool spliced = false;  ///< holds a backslash-newline

  bool is(std::uint32_t code) const { return punctuator == code; }
  bool is(word which) const { return meaning == which; }
  bool identifier() const { return kind == token_kind::identifier; }
  /// An identifier that is not a word of the language: it can name something.
  bool name() const { return identifier() && (meaning == word::none || meaning == word::final_); }
};

enum class directive_kind : std::uint8_t { other, define, include, if_, ifdef, ifndef, elif, else_, endif };

/// One `#` line. Its tokens stand apart from the program's, which it may interrupt anywhere.
struct directive {
  directive_kind kind = directive_kind::other;
  std::uint32_t begin = 0;       ///< of the `#`
  std::uint32_t code_index = 0;  ///< stands before this token of the program
  std::uint32_t first = 0;       ///< tokens [first, last) after the directive's name
  std::uint32_t last = 0;
};

/// Something the file may not hold where it is compiled.
struct lexical_problem {
  std::uint32_t offset = 0;
  std::uint32_t code_index = 0;
  bool everywhere = false;  ///< wrong even in text that is not compiled
  std::string message;
};

struct token_list {
  std::vector<token> code;
  std::vector<token> directive_tokens;
  std::vector<directive> directives;
  std::vector<lexical_problem> problems;
  std::unordered_map<std::uint32_t, std::string> spliced;  ///< spelling of a token by its begin

  /// The token's characters, without backslash-newlines.
  std::string_view spelling(const token& t, std::string_view text) const;
};

/// Splits the text in one pass.
token_list tokenize(std::string_view text);

}  // namespace lab::emulator::translate

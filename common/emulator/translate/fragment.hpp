#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "edits.hpp"
#include "source_file.hpp"
#include "translate.hpp"

namespace lab::emulator::translate {

/// Tokens that are read as program text: a file's own, or the body of one #define.
struct fragment {
  const source_file* file = nullptr;
  const std::vector<token>* tokens = nullptr;
  const std::vector<std::uint32_t>* partners = nullptr;
  std::string_view macro_name;
  std::vector<std::string_view> parameters;  ///< of the macro
  bool macro = false;
  activity state = activity::compiled;  ///< of a macro's body, or of the whole file

  std::uint32_t size() const { return static_cast<std::uint32_t>(tokens->size()); }
  const token& at(std::uint32_t i) const { return (*tokens)[i]; }
  std::uint32_t partner(std::uint32_t i) const { return (*partners)[i]; }
  std::string_view spelling(std::uint32_t i) const { return file->spelling(at(i)); }
  activity state_at(std::uint32_t i) const {
    return macro ? state : std::max(state, file->branches().of_code(i));
  }
  /// The index of the macro's parameter that token i is, or -1.
  int parameter(std::uint32_t i) const;
  bool is_parameter(std::uint32_t i) const { return parameter(i) >= 0; }
  /// Whether a # line stands among tokens [first, last).
  bool has_directive(std::uint32_t first, std::uint32_t last) const;
};

/// Tokens [first, last).
struct stretch {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool empty() const { return first == last; }
};

/// The parts of [first, last) between commas outside of brackets.
std::vector<stretch> split_at_commas(const fragment& in, std::uint32_t first, std::uint32_t last);

/// The line ends within bytes [begin, end), as they stand there: what replaces those bytes must hold them.
std::string line_ends(const fragment& in, std::uint32_t begin, std::uint32_t end);

/// A C expression for the text of [first, last), in which a macro's parameters appear as they are passed.
std::string literal_of(const fragment& in, std::uint32_t first, std::uint32_t last);

/// Collects diagnostics, in compiled text only.
class error_list {
 public:
  /// Of text that may not be compiled nothing is rejected: the compiler will see it or it will not.
  void add(const source_file& file, std::uint32_t offset, activity state, std::string message);
  void add(const source_file& file, std::string message);
  bool full() const { return errors_.size() >= most; }
  std::vector<diagnostic> take();

 private:
  static constexpr std::size_t most = 20;
  std::vector<diagnostic> errors_;
};

}  // namespace lab::emulator::translate

#include <algorithm>

#include "passes.hpp"

namespace lab::emulator::translate {
namespace {

/// An instruction that reads a special register into an operand of this constraint, and the C++ for it.
struct register_read {
  std::string_view instruction;
  std::string_view special_register;
  std::string_view constraint;
  std::string_view value;
};

constexpr register_read register_reads[] = {
    {"mov.u64", "%globaltimer", "\"=l\"", "::lab::emulator::globaltimer()"},
    {"mov.u32", "%globaltimer_lo", "\"=r\"", "static_cast<unsigned>(::lab::emulator::globaltimer())"},
    {"mov.u32", "%globaltimer_hi", "\"=r\"", "static_cast<unsigned>(::lab::emulator::globaltimer() >> 32)"},
    {"mov.u64", "%clock64", "\"=l\"", "::clock64()"},
    {"mov.u32", "%clock", "\"=r\"", "static_cast<unsigned>(::clock64())"},
    {"mov.u32", "%laneid", "\"=r\"", "::lab::emulator::laneid()"},
    {"mov.u32", "%warpid", "\"=r\"", "::lab::emulator::warpid()"},
    {"mov.u32", "%smid", "\"=r\"", "::lab::emulator::smid()"},
};

/// The parts of `text` between any of `separators`, without blanks around them; empty ones are left out.
std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t first = part.find_first_not_of(' ');
    if (first != part.npos) parts.emplace_back(part.substr(first, part.find_last_not_of(' ') + 1 - first));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// PTX writes its operations with a dot, as in `mov.u64`, but for a few; x86 none, and its directives begin
/// with one.
bool is_ptx(const std::string& instruction) {
  for (const std::string& word : split(instruction, " ")) {
    if (word[0] == '@') continue;  // a predicate
    if (word == ".reg" || word == "trap" || word == "exit" || word == "brkpt") return true;
    const std::size_t end = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789");
    return end != word.npos && end > 0 && word[end] == '.';
  }
  return false;
}

/// One `asm` statement.
class asm_translator {
 public:
  asm_translator(const fragment& in, const surroundings& around, std::uint32_t word_token)
      : in_(in), around_(around), word_(word_token) {}

  /// Returns the last token of the statement.
  std::uint32_t run() {
    if (find_parts() && in_.state_at(word_) != activity::skipped) translate();
    return close_;
  }

 private:
  bool find_parts() {
    close_ = word_;
    std::uint32_t i = word_ + 1;
    while (i < in_.size() && in_.at(i).identifier() && !in_.at(i).is(word::asm_)) ++i;  // volatile
    if (!in_.has(i, op("(")) || in_.jump(i) == i) return false;
    close_ = in_.jump(i);
    for (++i; i < close_ && !ends_section(i); ++i) read_template(i);
    if (i == close_ || in_.at(i).is(op("::"))) return true;
    const std::uint32_t first = ++i;
    while (i < close_ && !ends_section(i)) i = in_.jump(i, close_) + 1;
    outputs_ = in_.split_at_commas(first, i);
    return true;
  }

  void translate() {
    const std::vector<std::string> instructions = split(template_, ";\n{}");
    const auto ptx = std::find_if(instructions.begin(), instructions.end(), is_ptx);
    // the label of `int f() asm("f.v2");` is no instruction: no ; ends it and nothing follows it
    if (ptx == instructions.end() || template_.find_first_of("; ") == template_.npos) return;
    if (in_.has_directive(word_, close_))
      return reject("a line with # splits this asm statement: write the whole statement on each side of it.");
    std::string assignments;
    for (const std::string& instruction : instructions) {
      const std::string one = assignment(instruction);
      if (one.empty()) return reject(why_not(is_ptx(instruction) ? instruction : *ptx));
      (assignments += assignments.empty() ? "" : ", ") += one;
    }
    replace(std::move(assignments));
  }

  bool ends_section(std::uint32_t i) const { return in_.at(i).is(op(":")) || in_.at(i).is(op("::")); }

  /// Joins the template's literals; of their escapes only the line end matters.
  void read_template(std::uint32_t i) {
    if (in_.at(i).kind != token_kind::text) return;
    const std::string_view literal = in_.spelling(i);
    const bool raw = literal.find('R') < literal.find('"');
    const std::size_t end = raw ? literal.rfind(')') : literal.size() - 1;
    for (std::size_t at = literal.find(raw ? '(' : '"') + 1; at < end && at < literal.size(); ++at) {
      char c = literal[at];
      if (c == '\\' && !raw && at + 1 < end) c = literal[++at] == 'n' ? '\n' : ' ';
      if (c == '\t') c = ' ';
      if (c != '%' || template_.empty() || template_.back() != '%') template_ += c;  // %% means %
    }
  }

  static const register_read* find_read(const std::vector<std::string>& words) {
    for (const register_read& r : register_reads)
      if (words.size() == 3 && words[2] == r.special_register) return &r;
    return nullptr;
  }

  /// What does the same in C++; empty if nothing does.
  std::string assignment(const std::string& instruction) const {
    std::vector<std::string> words = split(instruction, ", ");
    const register_read* read = find_read(words);
    if (read == nullptr || template_.find(';') == template_.npos) return "";
    if (words[0].substr(0, 5) == "mov.s" || words[0].substr(0, 5) == "mov.b") words[0][4] = 'u';
    const std::size_t operand = words[1].size() == 2 ? static_cast<std::size_t>(words[1][1] - '0') : 10;
    if (words[0] != read->instruction || words[1][0] != '%' || operand >= outputs_.size()) return "";
    const auto [first, last] = outputs_[operand];
    if (last < first + 3 || in_.spelling(first) != read->constraint || in_.partner(first + 1) != last - 1)
      return "";
    return in_.one_line(first + 1, last) + " = " + std::string(read->value);
  }

  static std::string why_not(const std::string& instruction) {
    if (const register_read* read = find_read(split(instruction, ", ")))
      return std::string(read->special_register) + " is read as in asm volatile(\"" +
             std::string(read->instruction) + " %0, %" + std::string(read->special_register) +
             ";\" : " + std::string(read->constraint) + "(variable)): write it so.";
    const std::string shown = instruction.size() <= 60 ? instruction : instruction.substr(0, 57) + "...";
    return "inline PTX `" + shown + "` is not emulated: write it in CUDA C++.";
  }

  /// Where only the compiler can tell whether the text is used, it is the compiler that rejects it.
  void reject(const std::string& message) {
    if (!in_.macro && in_.state_at(word_) == activity::compiled)
      around_.errors.add(in_, word_, message);
    else
      replace("_Pragma(\"" + escaped("GCC error \"" + escaped(message) + "\"") + "\")");
  }

  void replace(std::string text) {
    const std::uint32_t begin = in_.at(word_).begin, end = in_.at(close_).end;
    around_.changes.replace(begin, end, text.append(in_.line_ends(begin, end)));
  }

  const fragment& in_;
  const surroundings& around_;
  std::uint32_t word_;
  std::uint32_t close_ = 0;
  std::string template_;
  std::vector<stretch> outputs_;
};

}  // namespace

void translate_inline_ptx(const fragment& in, const surroundings& around) {
  for (std::uint32_t i = 0; i < in.size() && !around.errors.full(); ++i)
    if (in.at(i).is(word::asm_)) i = asm_translator(in, around, i).run();
}

}  // namespace lab::emulator::translate

#include "shared_memory.hpp"

#include <algorithm>
#include <set>

#include "declaration_head.hpp"

namespace lab::emulator::translate {
namespace {

/// One declaration statement that holds `__shared__`.
class shared_translator {
 public:
  shared_translator(const fragment& in, const surroundings& around, std::uint32_t word_token,
                    std::set<std::string>& declared_outside)
      : in_(in), around_(around), word_(word_token), declared_outside_(declared_outside) {}

  /// Returns the last token that belongs to the statement.
  std::uint32_t run() {
    find_statement();
    if (translate()) around_.changes.replace(in_.at(first_).begin, end_of_statement(), text());
    return last_;
  }

 private:
  struct variable {
    std::string name;  ///< as it is pasted together in a macro: the name's tokens
    std::string type;  ///< of the whole variable, given its base
    std::string alignment;
    bool parameter = false;
  };

  bool reject(std::uint32_t token, const std::string& message) {
    around_.errors.add(*in_.file, in_.at(token).begin, in_.state_at(token), message);
    return false;
  }

  std::uint32_t jump(std::uint32_t i) const {
    const std::uint32_t partner = in_.partner(i);
    return partner != unmatched && partner > i ? partner : i;
  }

  void find_statement() {
    first_ = word_;
    while (first_ > 0 && !ends_previous(first_ - 1)) first_ = backward(first_ - 1);
    last_ = word_;
    while (last_ < in_.size() && !in_.at(last_).is(op(";")) && !in_.at(last_).is(op("}")) &&
           !in_.at(last_).is(op(")")))
      last_ = jump(last_) + 1;
    closed_ = last_ < in_.size() && in_.at(last_).is(op(";"));
  }

  /// The opening bracket if token i closes one, else i.
  std::uint32_t backward(std::uint32_t i) const {
    const std::uint32_t partner = in_.partner(i);
    return partner == unmatched || partner > i ? i : partner;
  }

  /// Whether token i belongs to what stands before the declaration.
  bool ends_previous(std::uint32_t i) const {
    const token& t = in_.at(i);
    if (t.is(op(")"))) {
      const std::uint32_t open = backward(i);
      return open == i || open == 0 || !takes_own_parentheses(in_.at(open - 1).meaning);
    }
    return t.is(op(";")) || t.is(op("{")) || t.is(op("}")) || t.is(op("(")) || t.is(op(":")) ||
           t.is(op(",")) || t.is(word::else_) || t.is(word::do_);
  }

  scope_kind place() const {
    if (around_.declared == nullptr) return scope_kind::function;
    return around_.declared->scope_at(word_).kind;
  }
  bool outside_functions() const { return place() == scope_kind::file || place() == scope_kind::namespace_; }

  bool translate() {
    if (last_ < in_.size() && in_.at(last_).is(op(")")))
      return reject(word_, "__shared__ belongs to variables, not to parameters: take it away here.");
    if (!closed_ && !in_.macro)
      return reject(word_, "this __shared__ declaration has no end: add the missing ;.");
    if (in_.has_directive(first_, last_))
      return reject(word_,
                    "a line with # splits this __shared__ declaration: write the whole declaration on each "
                    "side of it.");
    if (place() == scope_kind::class_)
      return reject(word_,
                    "a member cannot be __shared__: declare the variable inside the kernel that uses it.");
    const std::uint32_t declarators = read_specifiers();
    if (in_.macro && (base_.empty() || declarators == last_))
      return reject(word_,
                    "this macro holds part of a __shared__ declaration: let it hold a whole one, as in "
                    "__shared__ float name[256].");
    if (base_.empty())
      return reject(word_,
                    "this __shared__ declaration names no type: write it as in __shared__ float tile[256];.");
    for (const stretch& part : split_at_commas(in_, declarators, last_))
      if (!read_variable(part)) return false;
    if (variables_.empty())
      return reject(
          word_,
          "this __shared__ declaration names no variable: write it as in __shared__ float tile[256];.");
    if (outside_functions() && !extern_)
      return reject(word_, "'" + variables_[0].name +
                               "' is __shared__ outside of a function, which is not emulated: declare it "
                               "inside the kernel that uses it.");
    return true;
  }

  /// Reads what precedes the first name; returns the token behind it.
  std::uint32_t read_specifiers() {
    bool has_type = false;
    std::uint32_t i = first_;
    for (; i < last_; ++i) {
      const token& t = in_.at(i);
      if (t.is(word::shared_) || t.is(word::device_)) {
        note_macro(i);
      } else if (t.is(word::extern_)) {
        extern_ = true;
      } else if (t.is(word::static_) || t.is(word::inline_)) {
        continue;
      } else if (takes_own_parentheses(t.meaning) && !t.is(word::decltype_)) {
        i = read_attribute(i, alignment_);
      } else if (t.is(op("[")) && !has_type) {
        i = jump(i);
      } else if (t.is(word::const_) || t.is(word::volatile_) || t.is(word::restrict_) ||
                 t.is(word::typename_)) {
        append(i, i + 1);
      } else if (t.is(word::built_in_type_) || t.is(word::auto_) || t.is(word::void_)) {
        append(i, i + 1);
        has_type = true;
      } else if (t.is(word::struct_) || t.is(word::class_) || t.is(word::union_) || t.is(word::enum_)) {
        const std::uint32_t end = end_of_class(i);
        append(i, end);
        i = end - 1;
        has_type = true;
      } else if (!has_type && (t.name() || t.is(op("::")) || t.is(word::decltype_))) {
        const std::uint32_t end = end_of_type_name(i);
        append(i, end);
        i = end - 1;
        has_type = true;
      } else {
        break;
      }
    }
    return i;
  }

  void note_macro(std::uint32_t i) {
    if (const specifier_macro* macro = around_.names.specifiers(in_.spelling(i))) {
      if (macro->is_volatile) base_ += "volatile ";
      extern_ = extern_ || macro->is_extern;
    }
  }

  void append(std::uint32_t first, std::uint32_t last) {
    if (!base_.empty() && base_.back() != ' ') base_ += ' ';
    base_ += one_line(*in_.file, *in_.tokens, first, last);
  }

  /// `__align__(16)`, `alignas(T)`, `__attribute__((aligned(16)))`: keeps the number, returns the last token.
  std::uint32_t read_attribute(std::uint32_t i, std::string& alignment) const {
    if (i + 1 >= last_ || !in_.at(i + 1).is(op("("))) return i;
    const std::uint32_t close = jump(i + 1);
    if (in_.at(i).is(word::align_) || in_.at(i).is(word::alignas_))
      alignment = one_line(*in_.file, *in_.tokens, i + 2, close);
    if (in_.at(i).is(word::attribute_)) {
      for (std::uint32_t k = i + 2; k + 1 < close; ++k) {
        const std::string_view name = in_.spelling(k);
        if ((name == "aligned" || name == "__aligned__") && in_.at(k + 1).is(op("(")))
          alignment = one_line(*in_.file, *in_.tokens, k + 2, jump(k + 1));
      }
    }
    return close;
  }

  std::uint32_t end_of_class(std::uint32_t i) const {
    for (++i; i < last_; ++i) {
      const token& t = in_.at(i);
      if (t.is(op("{"))) return jump(i) + 1;
      if (takes_own_parentheses(t.meaning) && i + 1 < last_ && in_.at(i + 1).is(op("("))) {
        i = jump(i + 1);
      } else if (t.name()) {
        const std::uint32_t end = end_of_type_name(i);
        const bool defines = end < last_ && (in_.at(end).is(op("{")) || in_.at(end).is(op(":")) ||
                                             in_.at(end).is(word::final_));
        if (!defines) return end;
        for (i = end; i < last_; ++i)
          if (in_.at(i).is(op("{"))) return jump(i) + 1;
        return last_;
      }
    }
    return last_;
  }

  std::uint32_t end_of_type_name(std::uint32_t i) const {
    for (bool expects_name = true; i < last_; ++i) {
      const token& t = in_.at(i);
      if (t.is(op("::")) || t.is(op("##"))) {
        expects_name = true;
      } else if (expects_name && (t.name() || t.is(word::template_))) {
        expects_name = t.is(word::template_);
      } else if (expects_name && t.is(word::decltype_)) {
        if (i + 1 < last_) i = jump(i + 1);
        expects_name = false;
      } else if (!expects_name && t.is(op("<")) && jump(i) != i) {
        i = jump(i);
      } else {
        break;
      }
    }
    return i;
  }

  /// One declarator: its name is taken out of it, what is left is its type.
  bool read_variable(stretch part) {
    variable v;
    v.alignment = alignment_;
    std::uint32_t name = part.first;
    while (name < part.last && !in_.at(name).name()) ++name;
    if (name == part.last)
      return reject(part.first < in_.size() ? part.first : word_,
                    "a name is missing in this __shared__ declaration.");
    std::uint32_t behind = name + 1;
    while (behind + 1 < part.last && in_.at(behind).is(op("##"))) behind += 2;
    v.name = one_line(*in_.file, *in_.tokens, name, behind);
    for (std::uint32_t i = name; i < behind; ++i) v.parameter = v.parameter || in_.is_parameter(i);
    if (behind < part.last && in_.at(behind).is(op("("))) return reject_initializer(behind, v);
    std::string suffix;
    for (std::uint32_t i = behind; i < part.last; ++i) {
      const token& t = in_.at(i);
      if (t.is(op("=")) || t.is(op("{"))) return reject_initializer(i, v);
      if (takes_own_parentheses(t.meaning)) {
        i = read_attribute(i, v.alignment);
        continue;
      }
      if (t.is(op("[")) && jump(i) == i + 1 && i == behind && !extern_)
        return reject(i, "the __shared__ array '" + v.name +
                             "' needs a size; only extern __shared__ takes it from the launch.");
      const std::uint32_t end = jump(i) + 1;
      suffix += one_line(*in_.file, *in_.tokens, i, end);
      i = end - 1;
    }
    v.type = one_line(*in_.file, *in_.tokens, part.first, name);
    if (!v.type.empty()) v.type += ' ';
    v.type += suffix;
    variables_.push_back(std::move(v));
    return true;
  }

  bool reject_initializer(std::uint32_t token, const variable& v) {
    return reject(token,
                  "the __shared__ variable '" + v.name +
                      "' cannot have an initial value: let a thread assign it, then call __syncthreads().");
  }

  std::uint32_t end_of_statement() const { return closed_ ? in_.at(last_).end : in_.at(last_ - 1).end; }

  std::string text() {
    std::string out = outside_functions() ? outside_text() : inside_text();
    if (!closed_ && !out.empty()) out.pop_back();  // a macro leaves the ; to who uses it
    return out + line_ends(in_, in_.at(first_).begin, end_of_statement());
  }

  /// `extern __shared__ T s[];` at namespace scope.
  std::string outside_text() {
    std::string out;
    for (const variable& v : variables_) {
      const std::string path = around_.declared->path_at(word_) + "::" + v.name;
      if (!declared_outside_.insert(path).second) continue;  // declared again, as extern allows
      std::string element = v.type;
      if (const std::size_t bracket = element.find("[]"); bracket != std::string::npos)
        element.erase(bracket, 2);
      if (!element.empty()) element.insert(0, " ");
      while (!element.empty() && element.back() == ' ') element.pop_back();
      out += "[[maybe_unused]] static const ::lab::emulator::dynamic_shared_array<" + base_ + element + "> " +
             v.name + "{};";
    }
    return out;
  }

  std::string inside_text() {
    std::string out = fill("using $base = ", variables_[0]) + base_ + ";";
    for (const variable& v : variables_) {
      out += fill(" using $type = $base", v);
      if (!v.type.empty()) out.append(" ").append(v.type);
      out += ";";
      if (!extern_) out += fill(" static ::lab::emulator::shared_site $site;", v);
      if (!extern_ && !v.alignment.empty()) out += fill(" struct alignas($alignment) $aligned {};", v);
      out += fill(" $type& $name = *static_cast<$type*>(", v);
      out += extern_ ? "::lab::emulator::dynamic_shared()"
                     : fill("::lab::emulator::shared_variable($site, sizeof($type), ", v) +
                           fill(v.alignment.empty() ? own_alignment : stricter_alignment, v);
      out += ");";
    }
    return out;
  }

  static constexpr const char* own_alignment = "alignof($type))";
  static constexpr const char* stricter_alignment =
      "alignof($type) > alignof($aligned) ? alignof($type) : alignof($aligned))";

  /// The pattern with each $word replaced by what it is for this variable.
  std::string fill(std::string_view pattern, const variable& v) const {
    const std::pair<std::string_view, std::string> words[] = {{"$base", pasted("lab_base_", variables_[0])},
                                                              {"$type", pasted("lab_type_", v)},
                                                              {"$site", pasted("lab_shared_", v)},
                                                              {"$aligned", pasted("lab_aligned_", v)},
                                                              {"$alignment", v.alignment},
                                                              {"$name", v.name}};
    std::string filled(pattern);
    for (std::size_t at = filled.find('$'); at != std::string::npos; at = filled.find('$', at)) {
      for (const auto& [word, meaning] : words) {
        if (filled.compare(at, word.size(), word) != 0) continue;
        filled.replace(at, word.size(), meaning);
        at += meaning.size();
        break;
      }
    }
    return filled;
  }

  static std::string pasted(const char* prefix, const variable& v) {
    return prefix + std::string(v.parameter ? " ## " : "") + v.name;
  }

  const fragment& in_;
  const surroundings& around_;
  std::uint32_t word_;
  std::set<std::string>& declared_outside_;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;  ///< the semicolon, or one behind the statement
  bool closed_ = false;
  bool extern_ = false;
  std::string base_;
  std::string alignment_;
  std::vector<variable> variables_;
};

}  // namespace

void translate_shared_memory(const fragment& in, const surroundings& around) {
  std::set<std::string> declared_outside;
  for (std::uint32_t i = 0; i < in.size() && !around.errors.full(); ++i)
    if (in.at(i).is(word::shared_)) i = std::max(i, shared_translator(in, around, i, declared_outside).run());
}

}  // namespace lab::emulator::translate

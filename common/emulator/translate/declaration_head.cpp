#include "declaration_head.hpp"

#include <vector>

namespace lab::emulator::translate {

bool takes_own_parentheses(word w) {
  switch (w) {
    case word::attribute_:
    case word::align_:
    case word::alignas_:
    case word::launch_bounds_:
    case word::declspec_:
    case word::other_attribute_:
    case word::decltype_:
    case word::noexcept_:
    case word::requires_:
      return true;
    default:
      return false;
  }
}

namespace {

struct range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class head_reader {
 public:
  head_reader(const source_file& file, std::uint32_t first, std::uint32_t last)
      : file_(file), code_(file.code()), partners_(file.partners()), first_(first), last_(last) {}

  declaration_head run() {
    head_.function.head = first_;
    find_parts();
    if (namespace_) return finish_namespace();
    if (parameters_.last == 0 && class_key_ != 0) return finish_class();
    if (parameters_.last != 0 && !alias_) finish_function();
    return std::move(head_);
  }

 private:
  const token& at(std::uint32_t i) const { return code_[i]; }
  std::string spelling(std::uint32_t i) const { return std::string(file_.spelling(at(i))); }
  /// The partner of bracket i if it lies within the head, else i itself.
  std::uint32_t jump(std::uint32_t i) const {
    const std::uint32_t partner = partners_[i];
    return partner != unmatched && partner > i && partner < last_ ? partner : i;
  }

  void find_parts() {
    range fallback;
    std::uint32_t i = first_;
    for (; i < last_; ++i) {
      const token& t = at(i);
      if (t.is(op(":")) && parameters_.last == 0 && i > first_ && is_access(at(i - 1).meaning)) {
        first_ = i + 1;
        head_.function.head = first_;
      } else if (t.is(op("[")) || t.is(op("{"))) {
        i = jump(i);
      } else if (t.is(op("<"))) {
        if (i > first_ && at(i - 1).is(word::template_)) read_template(i);
        i = jump(i);
      } else if (t.is(op("("))) {
        const std::uint32_t close = jump(i);
        if (close != i && i > first_ && can_have_parameters(i) && parameters_.last == 0) {
          if (attribute_macro(close)) {
            if (fallback.last == 0) fallback = {i, close};
          } else {
            parameters_ = {i, close};
          }
        }
        i = close;
      } else if (t.is(op("=")) && !operator_) {
        if (parameters_.last == 0) initialized_ = true;
        break;
      } else if (t.is(op(":")) && parameters_.last != 0) {
        head_.initializes_members = true;
        break;
      } else if (t.is(op(":")) && class_key_ != 0) {
        break;
      } else {
        note(i);
      }
    }
    if (parameters_.last == 0 && !initialized_ && class_key_ == 0) parameters_ = fallback;
  }

  static bool is_access(word w) { return w == word::public_ || w == word::private_ || w == word::protected_; }

  bool can_have_parameters(std::uint32_t open) const {
    const token& before = at(open - 1);
    if (takes_own_parentheses(before.meaning)) return false;
    return before.name() || before.is(op(">")) || operator_;
  }

  /// `BOUNDS(256) void k(int)`: what follows the parentheses starts another name, so they were a macro's.
  bool attribute_macro(std::uint32_t close) const {
    if (close + 1 >= last_) return false;
    const token& next = at(close + 1);
    if (!next.identifier() || operator_) return false;
    switch (next.meaning) {
      case word::const_:
      case word::volatile_:
      case word::noexcept_:
      case word::final_:
      case word::override_:
      case word::try_:
      case word::requires_:
      case word::asm_:
      case word::attribute_:
        return false;
      default:
        return true;
    }
  }

  void note(std::uint32_t i) {
    function_declaration& f = head_.function;
    switch (at(i).meaning) {
      case word::global_:
        f.kernel = true;
        break;
      case word::device_:
        f.device = true;
        break;
      case word::operator_:
        operator_ = true;
        break;
      case word::typedef_:
      case word::using_:
        alias_ = true;
        break;
      case word::namespace_:
        if (i == first_ || at(i - 1).is(word::inline_)) namespace_ = true;
        break;
      case word::class_:
      case word::struct_:
      case word::union_:
      case word::enum_:
        if (parameters_.last == 0) class_key_ = i + 1;
        break;
      case word::template_:
        if (i + 1 < last_ && !at(i + 1).is(op("<"))) f.specialization = true;
        break;
      default:
        break;
    }
  }

  void read_template(std::uint32_t open) {
    const std::uint32_t close = jump(open);
    function_declaration& f = head_.function;
    f.is_template = true;
    f.template_parameters = 0;
    template_end_ = close;
    if (close == open + 1) {
      f.specialization = true;
      return;
    }
    for (const range& parameter : split(open + 1, close)) {
      ++f.template_parameters;
      for (std::uint32_t i = parameter.first; i < parameter.last; ++i) {
        if (at(i).is(op("..."))) f.has_pack = true;
        i = jump(i);
      }
    }
  }

  /// The comma-separated parts of tokens [first, last).
  std::vector<range> split(std::uint32_t first, std::uint32_t last) const {
    std::vector<range> parts;
    std::uint32_t begin = first;
    for (std::uint32_t i = first; i < last; ++i) {
      i = jump(i);
      if (!at(i).is(op(","))) continue;
      parts.push_back({begin, i});
      begin = i + 1;
    }
    if (begin < last || !parts.empty()) parts.push_back({begin, last});
    return parts;
  }

  declaration_head finish_namespace() {
    head_.kind = head_kind::namespace_;
    for (std::uint32_t i = first_; i < last_; ++i)
      if (at(i).name() || at(i).is(op("::"))) head_.name += spelling(i);
    return std::move(head_);
  }

  declaration_head finish_class() {
    head_.kind = head_kind::class_;
    for (std::uint32_t i = class_key_; i < last_; ++i) {
      const token& t = at(i);
      if (t.is(op(":")) || t.is(word::final_)) break;
      if (t.name() && !(i + 1 < last_ && at(i + 1).is(op("(")))) head_.name = spelling(i);
      i = jump(i);
    }
    return std::move(head_);
  }

  void finish_function() {
    head_.kind = head_kind::function;
    function_declaration& f = head_.function;
    std::uint32_t name = parameters_.first - 1;
    if (at(name).is(op(">")) && partners_[name] != unmatched && partners_[name] > first_) {
      name = partners_[name] - 1;
      f.specialization = true;
    }
    f.name_token = name;
    f.name = operator_ ? "operator" : spelling(name);
    std::uint32_t begin = name;
    while (begin >= first_ + 2 && at(begin - 1).is(op("::"))) {
      std::uint32_t qualifier = begin - 2;
      if (at(qualifier).is(op(">")) && partners_[qualifier] != unmatched && partners_[qualifier] > first_)
        qualifier = partners_[qualifier] - 1;
      if (!at(qualifier).name()) break;
      f.path = f.path.empty() ? spelling(qualifier) : spelling(qualifier) + "::" + f.path;
      f.member = true;  // or a namespace's: only used to be careful
      begin = qualifier;
    }
    read_parameters();
    read_type(template_end_ == 0 ? first_ : template_end_ + 1, begin);
  }

  void read_parameters() {
    function_declaration& f = head_.function;
    for (const range& parameter : split(parameters_.first + 1, parameters_.last)) {
      if (parameter.last == parameter.first + 1 && at(parameter.first).is(word::void_)) continue;
      ++f.parameters;
      std::uint32_t end = parameter.last;
      for (std::uint32_t i = parameter.first; i < parameter.last; ++i) {
        if (at(i).is(op("..."))) f.variadic = true;
        if (at(i).is(op("="))) {
          ++f.defaulted;
          end = i;
          break;
        }
        i = jump(i);
      }
      const std::uint32_t named = name_of_parameter(parameter.first, end);
      for (std::uint32_t i = parameter.first; i < end; ++i)
        if ((at(i).is(op("*")) || at(i).is(op("["))) && f.parameters <= 64)
          f.pointers |= std::uint64_t{1} << (f.parameters - 1);
      for (std::uint32_t i = parameter.first; i < end; ++i)
        if (i != named && !at(i).is(word::restrict_)) (f.signature += spelling(i)) += ' ';
      f.signature += ',';
    }
  }

  /// The token that names a parameter, or `unmatched`: the last identifier that has a type before it.
  std::uint32_t name_of_parameter(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t i = last;
    while (i > first && at(i - 1).is(op("]")) && partners_[i - 1] != unmatched && partners_[i - 1] > first)
      i = partners_[i - 1];
    if (i <= first + 1 || !at(i - 1).name()) return unmatched;
    const token& before = at(i - 2);
    const bool typed = before.name() || before.is(op("*")) || before.is(op("&")) || before.is(op("&&")) ||
                       before.is(op(">")) || before.is(op("...")) || before.is(word::built_in_type_) ||
                       before.is(word::restrict_) || before.is(word::auto_);
    const bool trailing_const = i > first + 2 && before.is(word::const_);
    return typed || trailing_const ? i - 1 : unmatched;
  }

  void read_type(std::uint32_t first, std::uint32_t last) {
    function_declaration& f = head_.function;
    bool is_void = false, pointer = false, other_name = false, std_name = false, built_in = false;
    std::string spelled;
    for (std::uint32_t i = first; i < last; ++i) {
      const token& t = at(i);
      if (t.is(op("*")) || t.is(op("&")))
        pointer = true;
      else if (t.is(word::void_))
        is_void = true;
      else if (t.is(word::built_in_type_))
        built_in = true;
      else if (t.name() && i + 1 < last && at(i + 1).is(op("::")) && spelling(i) == "std")
        std_name = true;
      else if (t.name() && !(std_name && at(i - 1).is(op("::"))))
        other_name = true;
      else if (is_specifier(t)) {
        i = i + 1 < last && at(i + 1).is(op("(")) ? jump(i + 1) : i;
        continue;
      }
      if (t.is(op("[")) || (t.is(op("(")))) {  // an attribute
        i = jump(i);
        continue;
      }
      const std::uint32_t end = t.is(op("<")) ? jump(i) : i;
      for (; i <= end; ++i) (spelled += at(i).space_before && !spelled.empty() ? " " : "") += spelling(i);
      i = end;
    }
    f.plain_type = built_in || is_void || std_name;
    f.host_only = !f.kernel && !f.device && !f.is_template && !f.member && f.plain_type && !other_name &&
                  !constexpr_in(first, last);
    if (f.kernel && !other_name && (built_in || std_name || (is_void && pointer))) f.wrong_return = spelled;
  }

  bool constexpr_in(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t i = first; i < last; ++i)
      if (at(i).is(word::constexpr_)) return true;
    return false;
  }

  static bool is_specifier(const token& t) {
    switch (t.meaning) {
      case word::global_:
      case word::device_:
      case word::host_:
      case word::static_:
      case word::extern_:
      case word::inline_:
      case word::friend_:
      case word::constexpr_:
      case word::const_:
      case word::volatile_:
        return true;
      default:
        return t.kind == token_kind::text || takes_own_parentheses(t.meaning);
    }
  }

  const source_file& file_;
  const std::vector<token>& code_;
  const std::vector<std::uint32_t>& partners_;
  std::uint32_t first_;
  std::uint32_t last_;
  declaration_head head_;
  range parameters_;
  std::uint32_t template_end_ = 0;
  std::uint32_t class_key_ = 0;  ///< the token behind it
  bool namespace_ = false;
  bool alias_ = false;
  bool operator_ = false;
  bool initialized_ = false;
};

}  // namespace

declaration_head read_head(const source_file& file, std::uint32_t first, std::uint32_t last) {
  return head_reader(file, first, last).run();
}

}  // namespace lab::emulator::translate

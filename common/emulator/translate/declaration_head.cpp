#include "declaration_head.hpp"

namespace lab::emulator::translate {
namespace {

class head_reader {
 public:
  head_reader(const fragment& program, std::uint32_t first, std::uint32_t last)
      : in_(program), first_(first), last_(last) {}

  declaration_head run() {
    find_parts();
    if (namespace_)
      finish_namespace();
    else if (parameters_.empty() && class_key_ != 0)
      finish_class();
    else if (!parameters_.empty() && !alias_)
      finish_function();
    return std::move(head_);
  }

 private:
  const token& at(std::uint32_t i) const { return in_.at(i); }
  std::string spelling(std::uint32_t i) const { return std::string(in_.spelling(i)); }
  std::uint32_t jump(std::uint32_t i) const { return in_.jump(i, last_); }

  void find_parts() {
    stretch fallback;
    bool initialized = false;
    for (std::uint32_t i = first_; i < last_; ++i) {
      const token& t = at(i);
      if (t.is(op("=")) && !operator_) {
        initialized = parameters_.empty();
        break;
      }
      if (t.is(op(":"))) {
        if (parameters_.empty() && i > first_ && at(i - 1).is(word::access_)) {
          first_ = i + 1;
          continue;
        }
        head_.initializes_members = !parameters_.empty();
        if (head_.initializes_members || class_key_ != 0) break;
      }
      note(i);
      const std::uint32_t close = jump(i);
      const bool named = i > first_ && (at(i - 1).name() || at(i - 1).is(op(">")) || operator_);
      if (t.is(op("(")) && close != i && named && parameters_.empty()) {
        stretch& found = attribute_macro(close) ? fallback : parameters_;
        if (found.empty()) found = {i, close};
      }
      i = close;
    }
    if (parameters_.empty() && !initialized && class_key_ == 0) parameters_ = fallback;
  }

  /// `BOUNDS(256) void k(int)`: what follows the parentheses starts another name, so they were a macro's.
  bool attribute_macro(std::uint32_t close) const {
    std::uint32_t next = close + 1;
    while (next < last_ && at(next).is(word::attribute_))
      next = in_.has(next + 1, op("(")) ? jump(next + 1) + 1 : next + 1;
    if (next >= last_ || !at(next).identifier() || operator_) return false;
    switch (at(next).meaning) {
      case word::const_:
      case word::volatile_:
      case word::noexcept_:
      case word::final_:
      case word::block_:
      case word::requires_:
      case word::asm_:
        return false;
      default:
        return true;
    }
  }

  void note(std::uint32_t i) {
    switch (at(i).meaning) {
      case word::global_:
        head_.function.kernel = true;
        break;
      case word::device_:
        head_.function.device = true;
        break;
      case word::operator_:
        operator_ = true;
        break;
      case word::alias_:
        alias_ = true;
        break;
      case word::namespace_:
        if (i == first_ || at(i - 1).is(word::inline_)) namespace_ = true;
        break;
      case word::class_:
      case word::enum_:
        if (parameters_.empty()) class_key_ = i + 1;
        break;
      case word::template_:
        if (in_.has(i + 1, op("<")))
          read_template(i + 1);
        else if (i + 1 < last_)
          head_.function.specialization = true;
        break;
      default:
        break;
    }
  }

  void read_template(std::uint32_t open) {
    function_declaration& f = head_.function;
    const std::uint32_t close = jump(open);
    const std::vector<stretch> parameters = in_.split_at_commas(open + 1, close);
    template_end_ = close;
    f.is_template = true;
    f.specialization = f.specialization || parameters.empty();
    f.template_parameters = static_cast<int>(parameters.size());
    for (std::uint32_t i = open + 1; i < close; ++i) {
      if (at(i).is(op("..."))) f.has_pack = true;
      i = jump(i);
    }
  }

  void finish_namespace() {
    head_.kind = head_kind::namespace_;
    for (std::uint32_t i = first_; i < last_; ++i)
      if (at(i).name() || at(i).is(op("::"))) head_.name += spelling(i);
  }

  void finish_class() {
    head_.kind = head_kind::class_;
    for (std::uint32_t i = class_key_; i < last_; ++i) {
      if (at(i).is(op(":")) || at(i).is(word::final_)) break;
      if (at(i).name() && !in_.has(i + 1, op("("))) head_.name = spelling(i);
      i = jump(i);
    }
  }

  /// The token before the template arguments that end at i, if such end there; else i.
  std::uint32_t before_arguments(std::uint32_t i) const {
    const std::uint32_t open = in_.back(i);
    return at(i).is(op(">")) && open != i && open > first_ ? open - 1 : i;
  }

  void finish_function() {
    head_.kind = head_kind::function;
    function_declaration& f = head_.function;
    f.file = in_.file;
    f.head = first_;
    f.name_token = before_arguments(parameters_.first - 1);
    f.specialization = f.specialization || f.name_token != parameters_.first - 1;
    f.name = operator_ ? "operator" : spelling(f.name_token);
    std::uint32_t begin = f.name_token;
    while (begin >= first_ + 2 && at(begin - 1).is(op("::"))) {
      const std::uint32_t qualifier = before_arguments(begin - 2);
      if (!at(qualifier).name()) break;
      f.path = spelling(qualifier) + (f.path.empty() ? "" : "::") + f.path;
      f.member = true;  // or a namespace's: only used to be careful
      begin = qualifier;
    }
    for (const stretch& parameter : in_.split_at_commas(parameters_.first + 1, parameters_.last))
      read_parameter(parameter);
    read_type(template_end_ == 0 ? first_ : template_end_ + 1, begin);
  }

  void read_parameter(stretch parameter) {
    function_declaration& f = head_.function;
    if (parameter.last == parameter.first + 1 && at(parameter.first).is(word::void_)) return;
    std::uint32_t end = parameter.first;
    for (; end < parameter.last && !at(end).is(op("=")); end = jump(end) + 1)
      if (at(end).is(op("..."))) f.variadic = true;
    if (end < parameter.last) ++f.defaulted;
    const std::uint32_t named = name_of_parameter(parameter.first, end);
    for (std::uint32_t i = parameter.first; i < end; ++i) {
      if ((at(i).is(op("*")) || at(i).is(op("["))) && f.parameters < 64)
        f.pointers |= std::uint64_t{1} << f.parameters;
      if (i != named && !at(i).is(word::restrict_)) (f.signature += spelling(i)) += ' ';
    }
    f.signature += ',';
    ++f.parameters;
  }

  /// The token that names a parameter, or `unmatched`: the last identifier that has a type before it.
  std::uint32_t name_of_parameter(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t i = last;
    while (i > first && at(i - 1).is(op("]")) && in_.back(i - 1) > first && in_.back(i - 1) < i - 1)
      i = in_.back(i - 1);
    if (i <= first + 1 || !at(i - 1).name()) return unmatched;
    const token& before = at(i - 2);
    const bool typed = before.name() || before.is(op("*")) || before.is(op("&")) || before.is(op("&&")) ||
                       before.is(op(">")) || before.is(op("...")) || before.is(word::built_in_type_) ||
                       before.is(word::restrict_) || before.is(word::auto_);
    const bool trailing_const = i > first + 2 && before.is(word::const_);
    return typed || trailing_const ? i - 1 : unmatched;
  }

  void read_type(std::uint32_t first, std::uint32_t last) {
    bool pointer = false, is_void = false, built_in = false, std_name = false, other_name = false;
    bool is_constexpr = false;
    std::string spelled;
    for (std::uint32_t i = first; i < last; ++i) {
      const token& t = at(i);
      if ((t.meaning >= word::global_ && t.meaning <= word::requires_) || t.kind == token_kind::text) {
        is_constexpr = is_constexpr || t.is(word::constexpr_);
        if (in_.has(i + 1, op("("))) i = jump(i + 1);
        continue;
      }
      if (t.is(op("*")) || t.is(op("&"))) pointer = true;
      if (t.is(word::void_)) is_void = true;
      if (t.is(word::built_in_type_)) built_in = true;
      if (t.name() && in_.has(i + 1, op("::")) && spelling(i) == "std")
        std_name = true;
      else if (t.name() && !(std_name && at(i - 1).is(op("::"))))
        other_name = true;
      const std::uint32_t end = jump(i);
      const bool attribute = t.is(op("[")) || t.is(op("("));
      if (!attribute && t.space_before && !spelled.empty()) spelled += ' ';
      if (!attribute) spelled += in_.one_line(i, end + 1);
      i = end;
    }
    function_declaration& f = head_.function;
    f.plain_type = built_in || is_void || std_name;
    f.host_only =
        !f.kernel && !f.device && !f.is_template && !f.member && f.plain_type && !other_name && !is_constexpr;
    if (f.kernel && !other_name && (built_in || std_name || (is_void && pointer))) f.wrong_return = spelled;
  }

  const fragment& in_;
  std::uint32_t first_;
  std::uint32_t last_;
  declaration_head head_;
  stretch parameters_;  ///< from one parenthesis to the other
  std::uint32_t template_end_ = 0;
  std::uint32_t class_key_ = 0;  ///< the token behind it
  bool namespace_ = false;
  bool alias_ = false;
  bool operator_ = false;
};

}  // namespace

declaration_head read_head(const fragment& program, std::uint32_t first, std::uint32_t last) {
  return head_reader(program, first, last).run();
}

}  // namespace lab::emulator::translate

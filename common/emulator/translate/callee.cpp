#include "callee.hpp"

namespace lab::emulator::translate {
namespace {

class backward_reader {
 public:
  explicit backward_reader(const fragment& in) : in_(in) {}

  std::uint32_t start(std::uint32_t end) const {
    std::uint32_t first = end;
    for (;;) {
      const std::uint32_t primary = start_of_primary(first);
      if (primary == first) return end;  // `.` or `->` with nothing before it
      first = start_of_qualified(primary);
      if (first == 0 || !is_member_access(in_.at(first - 1))) return first;
      --first;
    }
  }

 private:
  static bool is_member_access(const token& t) {
    return t.is(op(".")) || t.is(op("->")) || t.is(op(".*")) || t.is(op("->*"));
  }

  /// A name, a parenthesised expression, or either with calls, subscripts and template arguments behind it.
  std::uint32_t start_of_primary(std::uint32_t end) const {
    std::uint32_t first = end;
    while (first > 0) {
      const token& before = in_.at(first - 1);
      if (is_name(first - 1)) return start_of_pasted(first - 1);
      const std::uint32_t open = in_.back(first - 1);
      if (open == first - 1 || before.is(op("}"))) return end;
      if (before.is(op(">"))) {
        if (!in_.at(open).is(op("<")) || open == 0 || !is_name(open - 1)) return end;
        return start_of_pasted(open - 1);
      }
      if (before.is(op(")")) && !is_called(open)) return open;
      first = open;
    }
    return end;
  }

  bool is_name(std::uint32_t i) const { return in_.at(i).name() || in_.at(i).is(word::decltype_); }

  /// Whether what stands before this `(` is called by it; otherwise the parentheses are an operand of their
  /// own.
  bool is_called(std::uint32_t open) const {
    if (open == 0) return false;
    const token& before = in_.at(open - 1);
    if (is_name(open - 1) || before.is(op("]"))) return true;
    if (before.is(op(">"))) return in_.at(in_.back(open - 1)).is(op("<"));
    if (!before.is(op(")"))) return false;
    // `f(1)(2)` is a call of a call; `if (x) (*p)` and `(void)(*p)` are not
    const std::uint32_t outer = in_.back(open - 1);
    return outer != open - 1 && outer > 0 && (is_name(outer - 1) || in_.at(outer - 1).is(op(">")));
  }

  std::uint32_t start_of_pasted(std::uint32_t i) const {
    while (i >= 2 && in_.at(i - 1).is(op("##")) && in_.at(i - 2).identifier()) i -= 2;
    return i;
  }

  std::uint32_t start_of_qualified(std::uint32_t first) const {
    if (first > 0 && in_.at(first - 1).is(word::template_)) --first;
    while (first > 0 && in_.at(first - 1).is(op("::"))) {
      --first;
      if (first == 0) return first;
      const token& before = in_.at(first - 1);
      const bool qualifier = is_name(first - 1) || before.is(op(">")) ||
                             (before.is(op(")")) && in_.back(first - 1) > 0 &&
                              in_.at(in_.back(first - 1) - 1).is(word::decltype_));
      if (!qualifier) return first;  // `::k`
      const std::uint32_t outer = start_of_primary(first);
      if (outer == first) return first;
      first = outer;
      if (first > 0 && in_.at(first - 1).is(word::template_)) --first;
    }
    return first;
  }

  const fragment& in_;
};

}  // namespace

std::uint32_t start_of_callee(const fragment& in, std::uint32_t end) {
  return backward_reader(in).start(end);
}

callee_name name_callee(const fragment& in, std::uint32_t first, std::uint32_t last) {
  callee_name callee;
  std::uint32_t name = last - 1;
  if (const std::uint32_t open = in.back(name); in.at(name).is(op(">")) && open != name && open > first) {
    callee.template_arguments = static_cast<int>(in.split_at_commas(open + 1, name).size());
    name = open - 1;
  }
  if (!in.at(name).name()) return {};
  for (std::uint32_t i = first; i < name; ++i) {
    if (!in.at(i).name() && !in.at(i).is(op("::"))) return {};
    if (i + 1 < name) callee.path += in.spelling(i);
  }
  if (callee.path.substr(0, 2) == "::") callee.path.erase(0, 2);
  callee.name = in.spelling(name);
  callee.token = name;
  return callee;
}

}  // namespace lab::emulator::translate

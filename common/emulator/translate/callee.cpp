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

  std::uint32_t opening(std::uint32_t close) const {
    const std::uint32_t partner = in_.partner(close);
    return partner == unmatched || partner > close ? close : partner;
  }

  /// A name, a parenthesised expression, or either with calls, subscripts and template arguments behind it.
  std::uint32_t start_of_primary(std::uint32_t end) const {
    std::uint32_t first = end;
    while (first > 0) {
      const token& before = in_.at(first - 1);
      if (is_name(first - 1)) return start_of_pasted(first - 1);
      if (before.is(op("]"))) {
        const std::uint32_t open = opening(first - 1);
        if (open == first - 1) return end;
        first = open;
      } else if (before.is(op(")"))) {
        const std::uint32_t open = opening(first - 1);
        if (open == first - 1) return end;
        if (!is_called(open)) return open;
        first = open;
      } else if (before.is(op(">"))) {
        const std::uint32_t open = opening(first - 1);
        if (open == first - 1 || !in_.at(open).is(op("<")) || open == 0 || !is_name(open - 1)) return end;
        return start_of_pasted(open - 1);
      } else {
        return end;
      }
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
    if (before.is(op(">")))
      return in_.partner(open - 1) != unmatched && in_.at(opening(open - 1)).is(op("<"));
    if (!before.is(op(")"))) return false;
    // `f(1)(2)` is a call of a call; `if (x) (*p)` and `(void)(*p)` are not
    const std::uint32_t outer = opening(open - 1);
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
                             (before.is(op(")")) && in_.partner(first - 1) != unmatched &&
                              opening(first - 1) > 0 && in_.at(opening(first - 1) - 1).is(word::decltype_));
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

}  // namespace lab::emulator::translate

#include "conditions.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace lab::emulator::translate {
namespace {

/// What nvcc and the emulator define, known without reading any header.
constexpr std::string_view surely_defined[] = {"__CUDACC__", "__cplusplus", "__NVCC__"};

/// true, false, or nothing when only the preprocessor can tell.
std::optional<bool> value_of_condition(const token_list& list, const directive& d, std::string_view text) {
  std::string condition;
  for (std::uint32_t i = d.first; i < d.last && condition.size() < 64; ++i)
    condition += list.spelling(list.directive_tokens[i], text);
  if (condition == "0" || condition == "false") return false;
  if (condition == "1" || condition == "true") return true;
  for (const std::string_view name : surely_defined) {
    const std::string defined = "defined(" + std::string(name) + ")", plain = "defined" + std::string(name);
    if (condition == defined || condition == plain) return true;
    if (condition == "!" + defined || condition == "!" + plain) return false;
  }
  return std::nullopt;
}

std::string_view first_word(const token_list& list, const directive& d, std::string_view text) {
  return d.first < d.last ? list.spelling(list.directive_tokens[d.first], text) : std::string_view();
}

/// `#ifndef X` followed at once by `#define X`: an include guard or a default, compiled the first time round.
bool guards(const token_list& list, std::size_t index, std::string_view text) {
  if (index + 1 >= list.directives.size()) return false;
  const directive& next = list.directives[index + 1];
  return next.kind == directive_kind::define &&
         first_word(list, next, text) == first_word(list, list.directives[index], text);
}

struct open_condition {
  activity outside;
  bool some_branch_taken;  ///< a branch that is certainly compiled came already
  bool some_branch_unknown;
};

activity activity_of(std::optional<bool> value, open_condition& c) {
  if (c.outside == activity::skipped || c.some_branch_taken || value == false) return activity::skipped;
  if (value == true) {
    c.some_branch_taken = true;
    return c.some_branch_unknown ? activity::unknown : c.outside;
  }
  c.some_branch_unknown = true;
  return activity::unknown;
}

}  // namespace

conditions::conditions(const token_list& tokens, std::string_view text) {
  std::vector<open_condition> open;
  activity now = activity::compiled;
  const auto add = [&](std::size_t index, branch_edge edge) {
    events_.push_back({tokens.directives[index].code_index, static_cast<std::uint32_t>(index), edge, now});
  };
  for (std::size_t i = 0; i < tokens.directives.size(); ++i) {
    const directive& d = tokens.directives[i];
    switch (d.kind) {
      case directive_kind::if_:
      case directive_kind::ifdef:
      case directive_kind::ifndef: {
        std::optional<bool> value;
        if (d.kind == directive_kind::if_)
          value = value_of_condition(tokens, d, text);
        else if (std::find(std::begin(surely_defined), std::end(surely_defined),
                           first_word(tokens, d, text)) != std::end(surely_defined))
          value = d.kind == directive_kind::ifdef;
        else if (d.kind == directive_kind::ifndef && guards(tokens, i, text))
          value = true;
        open.push_back({now, false, false});
        now = activity_of(value, open.back());
        add(i, branch_edge::open);
        break;
      }
      case directive_kind::elif:
      case directive_kind::else_:
        if (open.empty()) break;
        now = activity_of(
            d.kind == directive_kind::else_ ? std::optional(true) : value_of_condition(tokens, d, text),
            open.back());
        add(i, branch_edge::next);
        break;
      case directive_kind::endif:
        if (open.empty()) break;
        now = open.back().outside;
        open.pop_back();
        add(i, branch_edge::close);
        break;
      default:
        break;
    }
  }
}

activity conditions::of_code(std::uint32_t code_index) const {
  const auto after =
      std::upper_bound(events_.begin(), events_.end(), code_index,
                       [](std::uint32_t i, const branch_event& e) { return i < e.code_index; });
  return after == events_.begin() ? activity::compiled : std::prev(after)->after;
}

activity conditions::of_directive(std::uint32_t index) const {
  const auto after = std::lower_bound(events_.begin(), events_.end(), index,
                                      [](const branch_event& e, std::uint32_t i) { return e.directive < i; });
  return after == events_.begin() ? activity::compiled : std::prev(after)->after;
}

}  // namespace lab::emulator::translate

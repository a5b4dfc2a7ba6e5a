#include "brackets.hpp"

#include <algorithm>

namespace lab::emulator::translate {
namespace {

class bracket_matcher {
 public:
  bracket_matcher(const std::vector<token>& tokens, const std::vector<branch_event>& branches)
      : tokens_(tokens), branches_(branches), partner_(tokens.size(), unmatched) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t i = 0; i < tokens_.size();) {
      follow_branches(i);
      i = step(i);
    }
    return std::move(partner_);
  }

 private:
  // The open brackets form a linked list that is only ever added to, so that a branch can return to the list
  // as it was at the #if without copying it.
  struct open_bracket {
    std::uint32_t token;
    std::uint32_t below;
    std::uint32_t code;
  };
  struct open_branch {
    std::uint32_t at_if;
    std::uint32_t behind_endif;
    bool decided;
  };

  std::uint32_t step(std::uint32_t i) {
    const token& t = tokens_[i];
    switch (t.punctuator) {
      case op("("):
      case op("["):
      case op("{"):
      case op("<<<"):
        push(i);
        break;
      case op("<"):
        if (may_open_template(i)) push(i);
        break;
      case op(">"):
        return close_angles(i);
      case op(")"):
        close(i, op("("));
        break;
      case op("]"):
        close(i, op("["));
        break;
      case op("}"):
        close(i, op("{"));
        break;
      case op(";"):
        drop_comparisons();
        break;
      case op("?"):
      case op("&&"):
      case op("||"):
        if (comparisons_in_launch()) drop_to_launch();
        break;
      default:
        break;
    }
    return i + 1;
  }

  bool may_open_template(std::uint32_t i) const {
    return i > 0 && (tokens_[i - 1].name() || tokens_[i - 1].is(word::template_));
  }

  void push(std::uint32_t i) {
    nodes_.push_back({i, top_, tokens_[i].punctuator});
    top_ = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t code_of(std::uint32_t node) const { return node == unmatched ? 0 : nodes_[node].code; }
  void pop() { top_ = nodes_[top_].below; }
  void pair_top_with(std::uint32_t i) {
    partner_[nodes_[top_].token] = i;
    partner_[i] = nodes_[top_].token;
    pop();
  }

  static bool angle(std::uint32_t code) { return code == op("<") || code == op("<<<"); }
  void drop_comparisons() {
    while (angle(code_of(top_))) pop();
  }

  /// Whether only `<` lie between here and an open `<<<`.
  bool comparisons_in_launch() const {
    std::uint32_t node = top_;
    for (int depth = 0; code_of(node) == op("<") && depth < 16; ++depth) node = nodes_[node].below;
    return code_of(node) == op("<<<");
  }
  void drop_to_launch() {
    while (code_of(top_) == op("<")) pop();
  }

  /// A closing bracket ends every comparison within; a brace also what was left open in it.
  void close(std::uint32_t i, std::uint32_t opener) {
    drop_comparisons();
    if (opener == op("{"))
      while (top_ != unmatched && code_of(top_) != opener) pop();
    if (top_ != unmatched && code_of(top_) == opener) pair_top_with(i);
  }

  /// A run of adjacent `>`: some close templates, three in a row may end a launch configuration.
  std::uint32_t close_angles(std::uint32_t i) {
    std::uint32_t length = 1;
    while (i + length < tokens_.size() && tokens_[i + length].is(op(">")) &&
           tokens_[i + length].begin == tokens_[i + length - 1].end)
      ++length;
    std::uint32_t pending = 0;
    std::uint32_t node = top_;
    while (code_of(node) == op("<") && pending <= length) {
      ++pending;
      node = nodes_[node].below;
    }
    const bool in_launch = code_of(node) == op("<<<");
    if (length == 2 && pending == 1) return i + length;  // `a < b >> 1` shifts
    std::uint32_t templates = std::min(pending, length);
    // `n < m>>>(x)`: fewer are pending than would make three, so they were comparisons
    if (in_launch && length == 3 && pending < 3) {
      drop_to_launch();
      templates = 0;
    }
    std::uint32_t used = 0;
    for (; used < templates; ++used) pair_top_with(i + used);
    if (in_launch && length - used >= 3 && code_of(top_) == op("<<<")) pair_top_with(i + used);
    return i + length;
  }

  void follow_branches(std::uint32_t i) {
    for (; next_branch_ < branches_.size() && branches_[next_branch_].code_index <= i; ++next_branch_) {
      const branch_event& event = branches_[next_branch_];
      if (event.edge == branch_edge::open) {
        open_.push_back({top_, top_, false});
      } else {
        open_branch& branch = open_.back();
        if (!branch.decided && inside_ != activity::skipped) {
          branch.behind_endif = top_;
          branch.decided = true;
        }
        top_ = event.edge == branch_edge::next ? branch.at_if : branch.behind_endif;
        if (event.edge == branch_edge::close) open_.pop_back();
      }
      inside_ = event.after;
    }
  }

  const std::vector<token>& tokens_;
  const std::vector<branch_event>& branches_;
  std::vector<std::uint32_t> partner_;
  std::vector<open_bracket> nodes_;
  std::vector<open_branch> open_;
  std::uint32_t top_ = unmatched;
  std::size_t next_branch_ = 0;
  activity inside_ = activity::compiled;
};

}  // namespace

std::vector<std::uint32_t> match_brackets(const std::vector<token>& tokens,
                                          const std::vector<branch_event>& branches) {
  return bracket_matcher(tokens, branches).run();
}

}  // namespace lab::emulator::translate

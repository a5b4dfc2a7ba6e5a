#include "declarations.hpp"

#include "declaration_head.hpp"
#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

class declaration_reader {
 public:
  explicit declaration_reader(const fragment& program) : in_(program) {
    found_.scopes.emplace_back();
    found_.scope_of.resize(in_.size(), 0);
    open_.push_back({0, unmatched});
  }

  declarations run() {
    for (std::uint32_t i = 0; i < in_.size(); ++i) {
      if (i == open_.back().close) {
        leave(i);
        continue;
      }
      found_.scope_of[i] = open_.back().scope;
      if (skipped(i)) continue;
      i = scope_here().executes() ? step_in_function(i) : step(i);
    }
    return std::move(found_);
  }

 private:
  struct open_scope {
    std::uint32_t scope;
    std::uint32_t close;
  };

  scope& scope_here() { return found_.scopes[open_.back().scope]; }

  /// Text that is not compiled declares nothing.
  bool skipped(std::uint32_t i) {
    const auto& events = in_.file->branches().events();
    while (next_event_ < events.size() && events[next_event_].code_index <= i)
      state_ = events[next_event_++].after;
    return state_ == activity::skipped;
  }

  void enter(scope_kind kind, const std::string& name, std::uint32_t close, std::int32_t function = -1) {
    scope s = scope_here();
    s.kind = kind;
    s.parent = open_.back().scope;
    if (function >= 0) s.function = function;
    if (!name.empty() && s.path.size() < longest_path) s.path += (s.path.empty() ? "" : "::") + name;
    found_.scopes.push_back(s);
    open_.push_back({static_cast<std::uint32_t>(found_.scopes.size() - 1), close});
  }

  void leave(std::uint32_t i) {
    open_.pop_back();
    found_.scope_of[i] = open_.back().scope;
    start_declaration(i + 1);
  }

  void start_declaration(std::uint32_t i) {
    head_ = i;
    constructor_ = false;
  }

  std::uint32_t skip_to_partner(std::uint32_t i) {
    const std::uint32_t partner = in_.jump(i, open_.back().close);
    for (std::uint32_t k = i; k <= partner; ++k) found_.scope_of[k] = open_.back().scope;
    return partner;
  }

  /// One token at namespace or class scope.
  std::uint32_t step(std::uint32_t i) {
    switch (in_.at(i).punctuator) {
      case op(";"):
        declare(read_head(in_, head_, i));
        [[fallthrough]];
      case op("}"):
        start_declaration(i + 1);
        return i;
      case op("("):
      case op("["):
      case op("<"):
        return skip_to_partner(i);
      case op("{"):
        return open_brace(i);
      default:
        return i;
    }
  }

  std::uint32_t open_brace(std::uint32_t i) {
    const bool names_member = i > 0 && (in_.at(i - 1).name() || in_.at(i - 1).is(op(">")));
    if (in_.partner(i) != unmatched) {
      if (!constructor_) head_found_ = read_head(in_, head_, i);
      constructor_ = head_found_.initializes_members && names_member;
      if (constructor_) return skip_to_partner(i);
      enter_body(i, in_.partner(i));
    }
    start_declaration(i + 1);
    return i;
  }

  void enter_body(std::uint32_t open, std::uint32_t close) {
    const bool language_linkage =
        open >= 2 && in_.at(open - 1).kind == token_kind::text && in_.at(open - 2).is(word::extern_);
    const head_kind kind = head_found_.kind;
    if (language_linkage || kind == head_kind::namespace_)
      enter(scope_kind::namespace_, language_linkage ? "" : head_found_.name, close);
    else if (kind == head_kind::class_)
      enter(scope_kind::class_, head_found_.name, close);
    else if (kind == head_kind::function)
      enter(scope_kind::function, "", close, declare(head_found_));
    else
      enter(scope_kind::opaque, "", close);
  }

  std::int32_t declare(const declaration_head& head) {
    if (head.kind != head_kind::function) return -1;
    function_declaration f = head.function;
    const scope& here = scope_here();
    f.path = here.path + (here.path.empty() || f.path.empty() ? "" : "::") + f.path;
    f.member = f.member || here.kind == scope_kind::class_;
    if (f.member || here.function >= 0) f.host_only = false;
    found_.functions.push_back(std::move(f));
    return static_cast<std::int32_t>(found_.functions.size() - 1);
  }

  /// One token of a function's body, where only braces matter.
  std::uint32_t step_in_function(std::uint32_t i) {
    const token& t = in_.at(i);
    if (t.is(op(";")) || t.is(op("}"))) start_declaration(i + 1);
    const std::uint32_t close = in_.partner(i);
    if (!t.is(op("{")) || close == unmatched) return i;
    if (i > head_ && starts_class(head_, i))
      enter(scope_kind::class_, read_head(in_, head_, i).name, close);
    else
      enter(starts_block(i) ? scope_kind::block : scope_kind::opaque, "", close);
    start_declaration(i + 1);
    return i;
  }

  bool starts_class(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t i = first; i < last && i < first + 4; ++i)
      if (in_.at(i).is(word::class_)) return read_head(in_, first, last).kind == head_kind::class_;
    return false;
  }

  bool starts_block(std::uint32_t i) const {
    const token& before = in_.at(i - 1);
    if (before.is(op(")"))) {
      const std::uint32_t open = in_.back(i - 1);
      if (open == i - 1 || open == 0) return false;
      return in_.at(open - 1).is(word::control_) || in_.at(open - 1).is(word::constexpr_);
    }
    return before.is(op(";")) || before.is(op("{")) || before.is(op("}")) || before.is(op(":")) ||
           before.is(word::block_);
  }

  static constexpr std::size_t longest_path = 256;  ///< bytes; nothing real nests deeper

  const fragment& in_;
  declarations found_;
  std::vector<open_scope> open_;
  std::uint32_t head_ = 0;
  bool constructor_ = false;
  declaration_head head_found_;
  std::size_t next_event_ = 0;
  activity state_ = activity::compiled;
};

}  // namespace

declarations read_declarations(const fragment& program) {
  return declaration_reader(program).run();
}

bool may_be_local(const fragment& in, const declarations& declared, std::string_view name,
                  std::uint32_t use) {
  const function_declaration* function = declared.function_at(use);
  if (function == nullptr) return true;
  for (std::uint32_t i = function->head; i < use; ++i) {
    if (!in.at(i).identifier() || in.spelling(i) != name) continue;
    const token& next = in.at(i + 1);
    const bool used = next.is(op("(")) || next.is(op("<")) || next.is(op("<<<"));
    const bool typed =
        i > 0 && (in.at(i - 1).name() || in.at(i - 1).is(word::auto_) || in.at(i - 1).is(op("*")) ||
                  in.at(i - 1).is(op("&")) || in.at(i - 1).is(op(">")));
    if (!used || typed) return true;
  }
  return false;
}

}  // namespace lab::emulator::translate

#include "declarations.hpp"

#include "declaration_head.hpp"

namespace lab::emulator::translate {
namespace {

class declaration_reader {
 public:
  explicit declaration_reader(const source_file& file)
      : file_(file), code_(file.code()), partners_(file.partners()) {
    found_.scopes.emplace_back();
    found_.paths.emplace_back();
    found_.scope_of.resize(code_.size(), 0);
    open_.push_back({0, unmatched});
  }

  declarations run() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
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
    const auto& events = file_.branches().events();
    while (next_event_ < events.size() && events[next_event_].code_index <= i)
      state_ = events[next_event_++].after;
    return state_ == activity::skipped;
  }

  void enter(scope_kind kind, const std::string& name, std::uint32_t close, std::int32_t function = -1) {
    scope s;
    s.kind = kind;
    s.parent = open_.back().scope;
    s.function = function >= 0 ? function : scope_here().function;
    s.path = scope_here().path;
    const std::string& outer = found_.paths[s.path];
    if (!name.empty() && outer.size() < longest_path) {
      found_.paths.push_back(outer.empty() ? name : outer + "::" + name);
      s.path = static_cast<std::uint32_t>(found_.paths.size() - 1);
    }
    found_.scopes.push_back(s);
    open_.push_back({static_cast<std::uint32_t>(found_.scopes.size() - 1), close});
  }

  void leave(std::uint32_t i) {
    const scope& closed = scope_here();
    if (closed.kind == scope_kind::function)
      found_.functions[static_cast<std::size_t>(closed.function)].body_end = i;
    open_.pop_back();
    found_.scope_of[i] = open_.back().scope;
    start_declaration(i + 1);
  }

  void start_declaration(std::uint32_t i) {
    head_ = i;
    constructor_ = false;
  }

  std::uint32_t skip_to_partner(std::uint32_t i) {
    const std::uint32_t partner = partners_[i];
    if (partner == unmatched || partner < i || partner >= open_.back().close) return i;
    for (std::uint32_t k = i; k <= partner; ++k) found_.scope_of[k] = open_.back().scope;
    return partner;
  }

  /// One token at namespace or class scope.
  std::uint32_t step(std::uint32_t i) {
    switch (code_[i].punctuator) {
      case op(";"):
        declare(read_head(file_, head_, i));
        start_declaration(i + 1);
        return i;
      case op("("):
      case op("["):
      case op("<"):
        return skip_to_partner(i);
      case op("{"):
        return open_brace(i);
      case op("}"):
        start_declaration(i + 1);
        return i;
      default:
        return i;
    }
  }

  std::uint32_t open_brace(std::uint32_t i) {
    const std::uint32_t close = partners_[i];
    if (close == unmatched) {
      start_declaration(i + 1);
      return i;
    }
    const bool names_member = i > 0 && (code_[i - 1].name() || code_[i - 1].is(op(">")));
    if (constructor_ && names_member) return skip_to_partner(i);
    if (!constructor_) {
      head_found_ = read_head(file_, head_, i);
      if (head_found_.initializes_members && names_member) {
        constructor_ = true;
        return skip_to_partner(i);
      }
    }
    enter_body(i, close);
    start_declaration(i + 1);
    return i;
  }

  void enter_body(std::uint32_t open, std::uint32_t close) {
    const bool language_linkage =
        open >= 2 && code_[open - 1].kind == token_kind::text && code_[open - 2].is(word::extern_);
    if (language_linkage) return enter(scope_kind::namespace_, "", close);
    switch (head_found_.kind) {
      case head_kind::namespace_:
        return enter(scope_kind::namespace_, head_found_.name, close);
      case head_kind::class_:
        return enter(scope_kind::class_, head_found_.name, close);
      case head_kind::function: {
        const std::int32_t index = declare(head_found_);
        return enter(scope_kind::function, "", close, index);
      }
      case head_kind::other:
        return enter(scope_kind::opaque, "", close);
    }
  }

  std::int32_t declare(const declaration_head& head) {
    if (head.kind != head_kind::function) return -1;
    function_declaration f = head.function;
    const scope& here = scope_here();
    const std::string& path = found_.paths[here.path];
    f.path = path.empty() ? f.path : f.path.empty() ? path : path + "::" + f.path;
    f.member = f.member || here.kind == scope_kind::class_;
    if (f.member || here.function >= 0) f.host_only = false;
    found_.functions.push_back(std::move(f));
    return static_cast<std::int32_t>(found_.functions.size() - 1);
  }

  /// One token of a function's body, where only braces matter.
  std::uint32_t step_in_function(std::uint32_t i) {
    const token& t = code_[i];
    if (t.is(op(";")) || t.is(op("}"))) start_declaration(i + 1);
    if (!t.is(op("{")) || partners_[i] == unmatched) return i;
    if (i > head_ && starts_class(head_, i)) {
      enter(scope_kind::class_, read_head(file_, head_, i).name, partners_[i]);
    } else {
      enter(starts_block(i) ? scope_kind::block : scope_kind::opaque, "", partners_[i]);
    }
    start_declaration(i + 1);
    return i;
  }

  bool starts_class(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t i = first; i < last && i < first + 4; ++i)
      if (code_[i].is(word::class_) || code_[i].is(word::struct_) || code_[i].is(word::union_))
        return read_head(file_, first, last).kind == head_kind::class_;
    return false;
  }

  bool starts_block(std::uint32_t i) const {
    const token& before = code_[i - 1];
    switch (before.punctuator) {
      case op(";"):
      case op("{"):
      case op("}"):
      case op(":"):
        return true;
      case op(")"): {
        const std::uint32_t open = partners_[i - 1];
        if (open == unmatched || open == 0) return false;
        switch (code_[open - 1].meaning) {
          case word::if_:
          case word::for_:
          case word::while_:
          case word::switch_:
          case word::catch_:
          case word::constexpr_:
            return true;
          default:
            return false;
        }
      }
      default:
        return before.is(word::else_) || before.is(word::do_) || before.is(word::try_);
    }
  }

  static constexpr std::size_t longest_path = 256;  ///< bytes; nothing real nests deeper

  const source_file& file_;
  const std::vector<token>& code_;
  const std::vector<std::uint32_t>& partners_;
  declarations found_;
  std::vector<open_scope> open_;
  std::uint32_t head_ = 0;
  bool constructor_ = false;
  declaration_head head_found_;
  std::size_t next_event_ = 0;
  activity state_ = activity::compiled;
};

}  // namespace

declarations read_declarations(const source_file& file) {
  return declaration_reader(file).run();
}

}  // namespace lab::emulator::translate

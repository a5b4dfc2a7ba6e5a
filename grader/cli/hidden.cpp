#include "hidden.hpp"

#include <declarations.hpp>
#include <source_file.hpp>

namespace lab::cli {
namespace {

using namespace lab::emulator::translate;

/// Of a function "(...) {", of a variable "=" or "{"; what only declares ends without.
bool defines(const fragment& program, std::uint32_t name) {
  auto next = name + 1;
  if (program.has(next, op("("))) next = program.jump(next) + 1;
  if (next < program.size() && program.at(next).is(word::noexcept_)) ++next;
  return program.has(next, op("{")) || program.has(next, op("="));
}

/// Whether the word stands in the declaration before its name.
bool is_declared(word which, const fragment& program, std::uint32_t name) {
  for (auto at = name; at-- > 0;) {
    const auto& before = program.at(at);
    if (before.is(op(";")) || before.is(op("{")) || before.is(op("}"))) return false;
    if (before.is(which)) return true;
  }
  return false;
}

}  // namespace

hidden_definition find_hidden(const std::string& source, std::string_view symbol) {
  const auto full_name = symbol.substr(0, symbol.find('('));
  const auto colons = full_name.rfind("::");
  const auto name = colons == std::string_view::npos ? full_name : full_name.substr(colons + 2);
  const auto space = full_name.substr(0, full_name.size() - name.size());
  const source_file file({}, {}, source);
  const auto& program = file.program();
  const auto declared = read_declarations(program);
  hidden_definition found;
  for (std::uint32_t at = 0; at < program.size(); ++at) {
    const auto& scope = declared.scope_at(at);
    const bool in_namespace = scope.kind == scope_kind::namespace_;
    if (!in_namespace && scope.kind != scope_kind::file) continue;
    if (program.spelling(at) != name || !defines(program, at)) continue;
    found.line = file.place_of(program.at(at).begin).line;
    const bool variable = !program.has(at + 1, op("("));
    if (in_namespace && (scope.path.empty() || scope.path + "::" != space)) {
      found.how = "inside " + (scope.path.empty() ? "a namespace without a name" : "namespace " + scope.path);
      found.what_to_do = "Move it out of that namespace.";
    } else if (is_declared(word::static_, program, at)) {
      found.how = "as static, for this file alone";
      found.what_to_do = "Remove that word.";
    } else if (variable && is_declared(word::const_, program, at)) {
      found.how = "as a constant for this file alone, since no header has declared it before";
      found.what_to_do = "Include that header.";
    } else {
      return {};
    }
  }
  return found;
}

}  // namespace lab::cli

#include <algorithm>

#include "passes.hpp"
#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

/// Whether the name alone says which kernel is meant, at its declaration.
bool named_clearly(const function_declaration& kernel, const kernel_table& names) {
  if (!kernel.kernel || kernel.is_template || kernel.specialization || kernel.member) return false;
  const auto& alike = names.functions(kernel.name);
  return std::all_of(alike.begin(), alike.end(), [&](const function_declaration* other) {
    return other->path != kernel.path || (other->signature == kernel.signature && !other->is_template);
  });
}

}  // namespace

void list_kernels(const fragment& program, const surroundings& around) {
  for (const function_declaration& each : around.declared->functions) {
    const scope_kind kind = around.declared->scope_at(each.head).kind;
    if (kind != scope_kind::file && kind != scope_kind::namespace_) continue;
    if (!named_clearly(each, around.names) || !program.has(each.name_token + 1, op("("))) continue;
    const std::uint32_t body = program.jump(each.name_token + 1) + 1;
    if (!program.has(body, op("{")) || program.jump(body) == body) continue;
    const std::uint32_t end = program.at(program.jump(body)).end;
    around.changes.replace(end, end, " LAB_LAUNCHABLE(" + each.name + ")");
  }
}

}  // namespace lab::emulator::translate

#include <algorithm>
#include <array>

#include "passes.hpp"
#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

constexpr std::array<std::string_view, 4> coordinates = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
constexpr std::string_view barrier = "__syncthreads";

/// Functions of namespace std that a using-directive makes visible, named as kernels often are.
constexpr std::array<std::string_view, 20> standard_functions = {
    "copy", "copy_n", "exchange",  "fill",   "fill_n",  "for_each", "generate", "iota", "max",  "merge",
    "min",  "move",   "partition", "reduce", "replace", "reverse",  "rotate",   "sort", "swap", "transform"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class misuse_finder {
 public:
  misuse_finder(const fragment& in, const surroundings& around) : in_(in), around_(around) {}

  void run() {
    for (const function_declaration& f : around_.declared->functions) check_return(f);
    note_unusual_names();
    for (std::uint32_t i = 0; i + 1 < in_.size() && !around_.errors.full(); ++i) {
      if (!in_.at(i).name() || around_.declared->function_at(i) == nullptr) continue;
      check_built_in(i);
      check_direct_call(i);
    }
  }

 private:
  void reject(std::uint32_t token, const std::string& message) { around_.errors.add(in_, token, message); }

  void check_return(const function_declaration& f) {
    if (f.wrong_return.empty() || around_.names.is_macro(f.name)) return;
    reject(f.name_token,
           "the kernel '" + f.name + "' returns " + f.wrong_return +
               ", but a __global__ function must return void: let it write its result to memory.");
  }

  /// A program that declares names of its own like the device's is left alone.
  void note_unusual_names() {
    for (std::uint32_t i = 0; i + 1 < in_.size(); ++i) {
      if (!in_.at(i).name()) continue;
      const std::string_view name = in_.spelling(i);
      if (contains(coordinates, name) && !in_.at(i + 1).is(op("."))) own_coordinates_ = true;
      if (name == barrier && i > 0 && (in_.at(i - 1).identifier() || !in_.at(i + 1).is(op("("))))
        own_barrier_ = true;
    }
    for (std::uint32_t i = 0; i + 1 < in_.size(); ++i)
      if (in_.at(i).is(word::alias_) && in_.at(i + 1).is(word::namespace_)) using_namespace_ = true;
  }

  /// Whether only statements' braces lie between token i and its function: no lambda, no local class.
  bool directly_in_function(std::uint32_t i) const {
    std::uint32_t s = around_.declared->scope_of[i];
    while (around_.declared->scopes[s].kind == scope_kind::block) s = around_.declared->scopes[s].parent;
    return around_.declared->scopes[s].kind == scope_kind::function;
  }

  void check_built_in(std::uint32_t i) {
    const std::string_view name = in_.spelling(i);
    const bool coordinate = contains(coordinates, name) && !own_coordinates_;
    if (!coordinate && !(name == barrier && !own_barrier_)) return;
    const function_declaration& f = *around_.declared->function_at(i);
    if (!f.host_only || around_.names.is_macro(name) || !directly_in_function(i)) return;
    reject(i, std::string(name) + " exists in device code only, and '" + f.name +
                  "' is a host function: move this into a kernel, or mark the function __device__.");
  }

  /// `k(a, b);` as a statement, where k is a kernel and nothing else.
  void check_direct_call(std::uint32_t i) {
    const std::vector<const function_declaration*>& known = around_.names.functions(in_.spelling(i));
    if (known.empty() || in_.state_at(i) != activity::compiled) return;
    std::uint32_t open = i + 1;
    if (in_.at(open).is(op("<")) && in_.jump(open) != open) open = in_.jump(open) + 1;
    if (open >= in_.size() || !in_.at(open).is(op("("))) return;
    const std::uint32_t close = in_.jump(open);
    if (close == open || close + 1 >= in_.size() || !in_.at(close + 1).is(op(";"))) return;
    std::uint32_t first = i;
    while (first >= 2 && in_.at(first - 1).is(op("::")) && in_.at(first - 2).name()) first -= 2;
    if (!starts_statement(first)) return;
    callee_name callee = name_callee(in_, first, i + 1);
    const int arguments = static_cast<int>(in_.split_at_commas(open + 1, close).size());
    if (around_.names.is_macro(callee.name) ||
        (using_namespace_ && contains(standard_functions, callee.name)))
      return;
    for (const function_declaration* k : known)
      if (!is_clear_match(*k, callee, arguments, around_.declared->scope_at(i).path)) return;
    if (may_be_local(in_, *around_.declared, callee.name, i)) return;
    reject(i, "'" + callee.name + "' is a kernel and cannot be called like a function: launch it, as in " +
                  callee.name + "<<<grid, block>>>(...).");
  }

  static bool is_clear_match(const function_declaration& f, const callee_name& callee, int arguments,
                             const std::string& here) {
    return f.kernel && !f.member && !f.variadic && arguments <= f.parameters &&
           arguments >= f.parameters - f.defaulted && is_visible(f, callee, here);
  }

  bool starts_statement(std::uint32_t i) const {
    if (i == 0) return false;
    const token& before = in_.at(i - 1);
    return before.is(op(";")) || before.is(op("{")) || before.is(op("}")) || before.is(word::block_);
  }

  const fragment& in_;
  const surroundings& around_;
  bool own_coordinates_ = false;
  bool own_barrier_ = false;
  bool using_namespace_ = false;
};

}  // namespace

void report_misuse(const fragment& in, const surroundings& around) {
  misuse_finder(in, around).run();
}

}  // namespace lab::emulator::translate

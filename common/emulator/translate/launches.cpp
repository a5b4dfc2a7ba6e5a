#include <algorithm>
#include <cctype>

#include "passes.hpp"
#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

bool only_capitals(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

/// One launch, from the callee to the closing parenthesis of its arguments.
class launch_translator {
 public:
  launch_translator(const fragment& in, const surroundings& around, std::uint32_t open)
      : in_(in), around_(around), open_(open) {}

  void run() {
    if (!find_parts()) return;
    callee_ = name_callee(in_, first_, open_);
    callee_.arguments = argument_count_;
    if (!check_configuration() || !check_callee()) return;
    rewrite();
  }

 private:
  bool reject(std::uint32_t token, std::string message) {
    around_.errors.add(in_, token, std::move(message));
    return false;
  }

  bool find_parts() {
    first_ = start_of_callee(in_, open_);
    if (first_ == open_)
      return reject(
          open_,
          "there is no kernel before <<<: write its name there, as in kernel<<<grid, block>>>(arguments).");
    for (std::uint32_t i = first_; i < open_; ++i)
      if (in_.at(i).is(op("<<<")))
        return reject(
            open_,
            "a launch gives nothing that could be launched: end the first launch with ; before this one.");
    if (in_.has_directive(first_, open_ + 1))
      return reject(open_, "a line with # splits this launch: write the whole launch on each side of it.");
    close_ = in_.partner(open_);
    if (close_ == unmatched)
      return reject(open_,
                    "this launch has <<< but no >>>: close the configuration, as in kernel<<<grid, "
                    "block>>>(arguments).");
    configuration_ = in_.split_at_commas(open_ + 1, close_);
    return find_arguments(close_ + 3);
  }

  bool find_arguments(std::uint32_t open) {
    if (!in_.has(open, op("("))) {
      // a macro may leave them to its user, and any name may be a macro that holds them
      const bool elsewhere =
          open == in_.size()
              ? in_.macro
              : in_.at(open).identifier() && (in_.macro || around_.names.is_macro(in_.spelling(open)));
      return elsewhere ||
             reject(close_,
                    "this launch has no argument list: add it after >>>, even when it is empty, as "
                    "in kernel<<<grid, block>>>().");
    }
    const std::uint32_t close = in_.jump(open);
    if (close == open)
      return in_.macro ||
             reject(open, "the argument list of this launch is never closed: add the missing ).");
    arguments_ = in_.split_at_commas(open + 1, close);
    bool counted = true;  // unless a macro or a pack may stand for several
    for (std::uint32_t i = open + 1; i < close; ++i)
      counted = counted && !in_.at(i).is(op("...")) && !(in_.macro && in_.spelling(i) == "__VA_ARGS__");
    if (counted) argument_count_ = static_cast<int>(arguments_.size());
    return true;
  }

  bool check_configuration() {
    const std::vector<stretch>& parts = configuration_;
    if (std::any_of(parts.begin(), parts.end(), [](const stretch& s) { return s.empty(); }))
      return reject(open_,
                    "an entry of this launch's configuration is empty: write kernel<<<grid, block, shared "
                    "bytes, stream>>>, the last two if you need them.");
    if (parts.size() > 4)
      return reject(
          parts[4].first,
          "this launch has " + std::to_string(parts.size()) +
              " entries between <<< and >>>, which take at most four: grid, block, shared bytes, stream.");
    if (parts.size() < 2 && !(parts.size() == 1 && may_hold_a_comma(parts[0])))
      return reject(open_, parts.empty() ? "this launch has nothing between <<< and >>>: give it a grid and "
                                           "a block, as in kernel<<<grid, block>>>."
                                         : "this launch has only a grid between <<< and >>>: give it a block "
                                           "too, as in kernel<<<grid, block>>>.");
    return true;
  }

  /// Whether a macro may turn one entry into several.
  bool may_hold_a_comma(const stretch& part) const {
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      if (!in_.at(i).identifier()) continue;
      const std::string_view name = in_.spelling(i);
      if (in_.macro || around_.names.is_macro(name) || only_capitals(name)) return true;
    }
    return false;
  }

  /// Rejects what is plainly a function but no kernel; everything doubtful is left to the compiler.
  bool check_callee() {
    if (callee_.name.empty() || around_.declared == nullptr || around_.names.is_macro(callee_.name))
      return true;
    if (in_.state_at(first_) != activity::compiled) return true;
    const function_declaration* other = nullptr;
    for (const function_declaration* known : around_.names.functions(callee_.name)) {
      if (known->kernel || !known->plain_type || known->member ||
          !is_visible(*known, callee_, around_.declared->scope_at(first_).path))
        return true;
      other = known;
    }
    const function_declaration* here = around_.declared->function_at(first_);
    if (other == nullptr || here == nullptr || here->member ||
        may_be_local(in_, *around_.declared, callee_.name, first_))
      return true;
    const int line = other->file->place_of(other->file->program().at(other->name_token).begin).line;
    const std::string where =
        (other->file == in_.file ? "line " : other->file->name() + ":") + std::to_string(line);
    return reject(
        first_,
        "'" + callee_.name + "' is no kernel and cannot be launched: " +
            (other->device ? "it is a __device__ function; only __global__ functions are launched. See "
                           : "add __global__ to its declaration at ") +
            where + ".");
  }

  void rewrite() {
    const bool deduced = must_be_deduced();
    if (deduced && !prepare_deduced_arguments()) return;
    const std::string text = in_.one_line(first_, open_);
    const std::uint32_t begin = in_.at(first_).begin;
    const std::uint32_t end = in_.at(open_).end;
    around_.changes.replace(begin, end,
                            std::string("::lab::emulator::launch") + (deduced ? "_deduced" : "") +
                                "(::lab::emulator::configure(" + in_.line_ends(begin, end));
    // `<<<{2, 2}, 32>>>`: braces need the type they initialise
    for (std::size_t i = 0; i < configuration_.size() && i < 2; ++i)
      if (const token& start = in_.at(configuration_[i].first); start.is(op("{")))
        around_.changes.replace(start.begin, start.begin, "dim3");
    const std::string kernel = deduced ? in_.literal_of(first_, open_) + ", [](auto... lab_arguments) { " +
                                             text + "(lab_arguments...); }"
                                       : text;
    around_.changes.replace(in_.at(close_).begin, in_.at(close_ + 2).end, "), " + kernel + ")");
  }

  /// Whether the kernel is, or some use of the macro gives it, one that only the arguments can tell.
  bool must_be_deduced() const {
    const int parameter = callee_.name.empty() ? -1 : in_.parameter(callee_.token);
    if (parameter < 0) return around_.names.needs_deduction(callee_);
    const std::vector<callee_name> kernels = around_.names.passed(in_.macro_name, parameter);
    return std::any_of(kernels.begin(), kernels.end(), [&](callee_name kernel) {
      if (callee_.template_arguments >= 0) kernel.template_arguments = callee_.template_arguments;
      return around_.names.needs_deduction(kernel);
    });
  }

  /// Braces have no type that could be deduced, and a literal 0 would lose its power to be a null pointer.
  bool prepare_deduced_arguments() {
    const std::uint64_t pointers = around_.names.pointer_parameters(callee_);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const auto [first, last] = arguments_[i];
      if (first == last) continue;
      const token& start = in_.at(first);
      if (start.is(op("{")))
        return reject(first, "this launch of '" + callee_.name +
                                 "' needs the type before the {: write it as in float2{1, 2}.");
      const bool zero = last == first + 1 && (in_.spelling(first) == "0" || in_.spelling(first) == "NULL");
      if (zero && i < 64 && (pointers >> i & 1) != 0)
        around_.changes.replace(start.begin, start.end, "::lab::emulator::zero_literal{}");
    }
    return true;
  }

  const fragment& in_;
  const surroundings& around_;
  std::uint32_t open_;       ///< `<<<`
  std::uint32_t first_ = 0;  ///< of the callee
  std::uint32_t close_ = 0;  ///< the first of `>>>`
  std::vector<stretch> configuration_;
  std::vector<stretch> arguments_;
  int argument_count_ = -1;  ///< -1: not known
  callee_name callee_;
};

}  // namespace

void translate_launches(const fragment& in, const surroundings& around) {
  for (std::uint32_t i = 0; i < in.size() && !around.errors.full(); ++i) {
    if (!in.at(i).is(op("<<<"))) continue;
    if (i > 0 && in.at(i - 1).is(word::operator_)) continue;  // `operator<<<T>`
    launch_translator(in, around, i).run();
  }
}

}  // namespace lab::emulator::translate

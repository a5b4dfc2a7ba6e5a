#include "launches.hpp"

#include <algorithm>
#include <cctype>

#include "callee.hpp"

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
    callee_.arguments = count_arguments();
    if (!check_configuration() || !check_callee()) return;
    rewrite();
  }

 private:
  bool reject(std::uint32_t token, std::string message) {
    around_.errors.add(*in_.file, in_.at(token).begin, in_.state_at(token), std::move(message));
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
    arguments_ = close_ + 3;
    if (arguments_ >= in_.size() || !in_.at(arguments_).is(op("(")))
      return in_.macro ? close_ + 3 == in_.size() || reject(close_, missing_arguments)
                       : reject(close_, missing_arguments);
    if (in_.partner(arguments_) == unmatched)
      return in_.macro ||
             reject(arguments_, "the argument list of this launch is never closed: add the missing ).");
    return true;
  }

  bool has_arguments() const {
    return arguments_ < in_.size() && in_.at(arguments_).is(op("(")) && in_.partner(arguments_) != unmatched;
  }
  std::vector<stretch> arguments() const {
    return split_at_commas(in_, arguments_ + 1, in_.partner(arguments_));
  }

  /// -1 when a macro or a pack may stand for several.
  int count_arguments() const {
    if (!has_arguments()) return -1;
    for (std::uint32_t i = arguments_ + 1; i < in_.partner(arguments_); ++i)
      if (in_.at(i).is(op("...")) || (in_.macro && in_.spelling(i) == "__VA_ARGS__")) return -1;
    return static_cast<int>(arguments().size());
  }

  bool check_configuration() {
    const std::vector<stretch> parts = split_at_commas(in_, open_ + 1, close_);
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
    const source_file* other_file = nullptr;
    for (const known_function& known : around_.names.functions(callee_.name)) {
      if (known.declaration->kernel) return true;
      if (!known.declaration->plain_type || known.declaration->member ||
          !is_visible(*known.declaration, callee_, around_.declared->path_at(first_)))
        return true;
      other = known.declaration;
      other_file = known.file;
    }
    if (other == nullptr || in_member_function() ||
        may_be_local(in_, *around_.declared, callee_.name, first_))
      return true;
    const int line = other_file->place_of(other_file->code()[other->name_token].begin).line;
    const std::string where = other_file == in_.file ? "line " + std::to_string(line)
                                                     : other_file->name() + ":" + std::to_string(line);
    return reject(
        first_,
        "'" + callee_.name + "' is no kernel and cannot be launched: " +
            (other->device ? "it is a __device__ function; only __global__ functions are launched. See "
                           : "add __global__ to its declaration at ") +
            where + ".");
  }

  bool in_member_function() const {
    const scope& here = around_.declared->scope_at(first_);
    return here.function < 0 || around_.declared->functions[static_cast<std::size_t>(here.function)].member;
  }

  void rewrite() {
    const bool deduced = needs_deduction(around_.names, callee_) || passed_kernel_needs_deduction();
    const std::string text = one_line(*in_.file, *in_.tokens, first_, open_);
    const std::uint32_t begin = in_.at(first_).begin;
    const std::uint32_t end = in_.at(open_).end;
    around_.changes.replace(
        begin, end,
        std::string(deduced ? "::lab::emulator::launch_deduced" : "::lab::emulator::launch") +
            "(::lab::emulator::configure(" + line_ends(in_, begin, end));
    name_dimensions();
    const std::string call = deduced ? "[](auto... lab_arguments) { " + text + "(lab_arguments...); }" : text;
    around_.changes.replace(in_.at(close_).begin, in_.at(close_ + 2).end,
                            "), " + literal_of(in_, first_, open_) + ", " + call + ")");
    if (deduced) mark_zeros();
  }

  /// In a macro that launches its parameter: whether some use passes a kernel that must be deduced.
  bool passed_kernel_needs_deduction() const {
    if (!in_.macro || callee_.name.empty()) return false;
    const std::uint32_t name = in_.at(open_ - 1).is(op(">")) ? in_.partner(open_ - 1) - 1 : open_ - 1;
    const int parameter = in_.parameter(name);
    const auto uses = around_.passed.find(std::string(in_.macro_name));
    if (parameter < 0 || uses == around_.passed.end() ||
        uses->second.size() <= static_cast<std::size_t>(parameter))
      return false;
    const std::vector<callee_name>& kernels = uses->second[static_cast<std::size_t>(parameter)];
    return std::any_of(kernels.begin(), kernels.end(), [&](callee_name kernel) {
      if (callee_.template_arguments >= 0) kernel.template_arguments = callee_.template_arguments;
      return needs_deduction(around_.names, kernel);
    });
  }

  /// `<<<{2, 2}, 32>>>`: braces need the type they initialise.
  void name_dimensions() {
    const std::vector<stretch> parts = split_at_commas(in_, open_ + 1, close_);
    for (std::size_t i = 0; i < parts.size() && i < 2; ++i) {
      const token& start = in_.at(parts[i].first);
      if (start.is(op("{"))) around_.changes.replace(start.begin, start.begin, "dim3");
    }
  }

  /// A literal 0 would lose its power to be a null pointer on its way through the deduced parameters.
  void mark_zeros() {
    if (!has_arguments()) return;
    const std::uint64_t pointers = pointer_parameters(around_.names, callee_);
    const std::vector<stretch> all = arguments();
    for (std::size_t i = 0; i < all.size() && i < 64; ++i) {
      if ((pointers >> i & 1) == 0 || all[i].last != all[i].first + 1) continue;
      const token& only = in_.at(all[i].first);
      const std::string_view text = in_.spelling(all[i].first);
      if (text == "0" || text == "NULL")
        around_.changes.replace(only.begin, only.end, "::lab::emulator::zero_literal{}");
    }
  }

  static constexpr const char* missing_arguments =
      "this launch has no argument list: add it after >>>, even when it is empty, as in kernel<<<grid, "
      "block>>>().";

  const fragment& in_;
  const surroundings& around_;
  std::uint32_t open_;       ///< `<<<`
  std::uint32_t first_ = 0;  ///< of the callee
  std::uint32_t close_ = 0;  ///< the first of `>>>`
  std::uint32_t arguments_ = 0;
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

void collect_macro_arguments(const fragment& in, macro_arguments& passed) {
  constexpr std::size_t most = 64;  // different kernels given to one macro
  if (passed.empty()) return;
  for (std::uint32_t i = 0; i + 1 < in.size(); ++i) {
    if (!in.at(i).name() || !in.at(i + 1).is(op("(")) || in.partner(i + 1) == unmatched) continue;
    const auto macro = passed.find(std::string(in.spelling(i)));
    if (macro == passed.end()) continue;
    const std::vector<stretch> arguments = split_at_commas(in, i + 2, in.partner(i + 1));
    for (std::size_t k = 0; k < arguments.size() && k < macro->second.size(); ++k)
      if (!arguments[k].empty() && macro->second[k].size() < most)
        macro->second[k].push_back(name_callee(in, arguments[k].first, arguments[k].last));
  }
}

callee_name name_callee(const fragment& in, std::uint32_t first, std::uint32_t last) {
  callee_name callee;
  std::uint32_t name = last - 1;
  if (in.at(name).is(op(">")) && in.partner(name) != unmatched && in.partner(name) > first) {
    const std::uint32_t open = in.partner(name);
    callee.template_arguments = static_cast<int>(split_at_commas(in, open + 1, name).size());
    name = open - 1;
  }
  if (!in.at(name).name()) return {};
  for (std::uint32_t i = first; i < name; ++i) {
    if (!in.at(i).name() && !in.at(i).is(op("::"))) return {};
    if (i + 1 < name) callee.path += in.spelling(i);
  }
  if (callee.path.substr(0, 2) == "::") callee.path.erase(0, 2);
  callee.name = in.spelling(name);
  return callee;
}

bool may_be_local(const fragment& in, const declarations& declared, std::string_view name,
                  std::uint32_t use) {
  const scope& here = declared.scope_at(use);
  if (here.function < 0) return true;
  for (std::uint32_t i = declared.functions[static_cast<std::size_t>(here.function)].head; i < use; ++i) {
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

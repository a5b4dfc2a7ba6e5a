#include <fmt/format.h>

#include <algorithm>

#include "../hints.hpp"
#include "../progress.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

const check_hints* named(const std::vector<check_hints>& all, const std::string& name) {
  const check_hints* found = nullptr;
  for (const auto& hints : all) {
    if (hints.check == name) return &hints;
    if (hints.check.find(name) == std::string::npos) continue;
    if (found != nullptr) return nullptr;
    found = &hints;
  }
  return found;
}

/// The first check that does not pass and has hints left; when none is left, the last such one.
const check_hints* next(const std::vector<check_hints>& all, const lab_progress& reached) {
  const check_hints* last = nullptr;
  for (const auto& hints : all) {
    const auto passed = reached.checks.find(hints.check);
    if (passed != reached.checks.end() && passed->second) continue;
    last = &hints;
    const auto shown = reached.hints.find(hints.check);
    if (shown == reached.hints.end() || shown->second < static_cast<int>(hints.stages.size())) return last;
  }
  return last;
}

}  // namespace

int hint(const course& labs, const terminal& out, const std::string& lab_name,
         const std::string& check_name) {
  const auto& lab = labs.find(lab_name);
  progress reached(labs.state_folder());
  if (!reached.warning().empty()) fmt::print(stderr, "lab: {}\n", reached.warning());
  const auto all = read_hints(labs.hints(lab));
  const auto* hints = check_name.empty() ? next(all, reached.of(lab.name)) : named(all, check_name);
  if (hints == nullptr && !check_name.empty()) {
    std::string sentence =
        "No one check of lab " + lab.number + " with hints is called \"" + check_name + "\". They are:";
    for (const auto& each : all) sentence += "\n  " + each.check;
    throw told_error(sentence, exit_misuse);
  }
  if (hints == nullptr || hints->stages.empty()) {
    fmt::print("Lab {} passes: there is nothing to hint at.\n", lab.number);
    return exit_pass;
  }
  const auto& shown = reached.of(lab.name).hints;
  const int before = shown.count(hints->check) != 0 ? shown.at(hints->check) : 0;
  const int total = static_cast<int>(hints->stages.size());
  const int stage = std::min(before + 1, total);
  fmt::print("{}\n", out.paint(out.wrapped(hints->check, 0), colour::bold));
  fmt::print("hint {} of {}\n\n{}\n\n", stage, total,
             out.wrapped(hints->stages[static_cast<std::size_t>(stage - 1)], 2));
  if (before >= total) {
    fmt::print("That is all there is to say. The solution: ./lab solution {} --anyway\n", lab.number);
  } else if (stage < total) {
    fmt::print("One more: ./lab hint {}\n", lab.number);
  }
  reached.record_hint(lab.name, hints->check, stage);
  return exit_pass;
}

}  // namespace lab::cli

#include <fmt/format.h>

#include <algorithm>

#include "../hints.hpp"
#include "../progress.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

using hint_list = std::vector<const check_hints*>;

int shown_of(const check_hints& hints, const lab_progress& reached) {
  const auto shown = reached.hints.find(hints.check);
  return shown == reached.hints.end() ? 0 : shown->second;
}

/// The checks that do not pass; those that could not be run for them only where there are no others.
hint_list to_mend(const std::vector<check_hints>& all, const lab_progress& reached) {
  hint_list failed, not_run;
  for (const auto& hints : all) {
    const auto passed = reached.checks.find(hints.check);
    if (passed != reached.checks.end() && passed->second) continue;
    (reached.not_run.count(hints.check) != 0 ? not_run : failed).push_back(&hints);
  }
  return failed.empty() ? not_run : failed;
}

void show(const check_hints& hints, int stages, const terminal& out) {
  fmt::print("{}\n", out.paint(out.wrapped(hints.check, 0), colour::bold));
  for (int each = 0; each < stages; ++each) {
    fmt::print("hint {} of {}\n\n{}\n\n", each + 1, hints.stages.size(),
               out.wrapped(hints.stages[static_cast<std::size_t>(each)], 2));
  }
}

}  // namespace

int hint(const course& labs, const terminal& out, const std::string& lab_name,
         const std::string& check_name) {
  const auto& lab = labs.find(lab_name);
  progress reached(labs.state_folder());
  if (!reached.warning().empty()) fmt::print(stderr, "lab: {}\n", reached.warning());
  const auto all = read_hints(labs.hints(lab));
  const auto& state = reached.of(lab.name);
  const auto checks =
      check_name.empty() ? to_mend(all, state) : hint_list{&the_one_named(all, check_name, lab)};
  if (checks.empty()) {
    fmt::print("Lab {} passes: there is nothing to hint at.\n", lab.number);
    return exit_pass;
  }
  auto next = std::find_if(checks.begin(), checks.end(), [&](const auto* hints) {
    return shown_of(*hints, state) < static_cast<int>(hints->stages.size());
  });
  if (next == checks.end()) --next;  // all of them are seen
  const auto& hints = **next;
  const int before = shown_of(hints, state);
  const int total = static_cast<int>(hints.stages.size());
  const int stage = std::min(before + 1, total);
  // A line of its own, not wrapped: it may be copied.
  const auto command = [&](const std::string& check) {
    return fmt::format("./lab hint {} --check \"{}\"", lab.number, check);
  };
  if (next != checks.begin() && before == 0) {
    fmt::print(
        "You have seen all hints for the check before. Again: {}\nThe next check that does not pass:\n\n",
        command((*std::prev(next))->check));
  }
  show(hints, stage, out);
  if (before >= total) {
    fmt::print("That is all there is to say. The solution: ./lab solution {} --anyway\n", lab.number);
  } else if (stage < total) {
    fmt::print("One more: {}\n", check_name.empty() ? "./lab hint " + lab.number : command(check_name));
  } else {
    fmt::print("That was the last one for this check.\n");
  }
  std::fflush(stdout);
  try {
    reached.record_hint(lab.name, hints.check, stage);
  } catch (const told_error& error) {
    fmt::print(stderr, "lab: That you have seen this hint cannot be remembered: {}\n", error.what());
  }
  return exit_pass;
}

}  // namespace lab::cli

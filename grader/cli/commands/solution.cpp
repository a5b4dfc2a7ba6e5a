#include <fmt/format.h>

#include "../progress.hpp"
#include "commands.hpp"

namespace lab::cli {

bool is_too_early_for_solution(const course& labs, const terminal& out, const lab_entry& lab) {
  if (!progress(labs.state_folder()).of(lab.name).passed_content.empty()) return false;
  fmt::print(
      stderr, "{}\n",
      out.wrapped(
          fmt::format("lab: Lab {} has not passed yet, and the solution teaches more after your own try. "
                      "A hint: ./lab hint {}. To see it all the same, add --anyway.",
                      lab.number, lab.number),
          0));
  return true;
}

int show_solution(const course& labs, const terminal& out, const std::string& lab_name, bool anyway) {
  const auto& lab = labs.find(lab_name);
  if (!anyway && is_too_early_for_solution(labs, out, lab)) return exit_fail;
  fmt::print("{}", read_file(labs.solution(lab)));
  const auto notes = labs.solution(lab).parent_path() / "NOTES.md";
  std::fflush(stdout);
  fmt::print(stderr, "lab: this is {}; why it is so: {}\n", course::shown(labs.solution(lab)),
             course::shown(notes));
  return exit_pass;
}

}  // namespace lab::cli

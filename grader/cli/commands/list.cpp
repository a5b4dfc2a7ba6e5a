#include <fmt/format.h>

#include "../progress.hpp"
#include "../render.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

struct lab_state {
  std::string text;
  outcome mark = outcome::not_run;
  bool finished = false;
};

lab_state state_of(const course& labs, const lab_entry& lab, const lab_progress& reached) {
  const auto file = labs.student_file(lab);
  std::error_code error;
  if (reached.outcome.empty())
    return {fs::exists(file, error) ? "not checked yet" : "not started", outcome::not_run, false};
  const auto now = content_of(file);
  const bool in_error = reached.outcome == name_of(outcome::error);
  const auto points = fmt::format("{}/{} points", reached.points, reached.max_points);
  if (reached.passed_content.empty())
    return {points + (in_error ? ", last time: an error" : ""), in_error ? outcome::error : outcome::fail,
            false};
  // What was passed stays passed, with all its points, whatever became of the file.
  auto text = fmt::format("passed {0}/{0} points", reached.max_points);
  if (now == reached.content && now != reached.passed_content)
    text += in_error ? "; the file now: an error" : "; the file now: " + points;
  else if (now != reached.passed_content)
    text += "; the file has changed since";
  return {text, outcome::pass, true};
}

}  // namespace

int list_labs(const course& labs, const terminal& out) {
  const progress reached(labs.state_folder());
  if (!reached.warning().empty()) fmt::print(stderr, "lab: {}\n", reached.warning());
  fmt::print("{}\n\n", out.paint("CUDA Event Labs", colour::bold));
  const lab_entry* next = nullptr;
  for (const auto& lab : labs.labs()) {
    const auto state = state_of(labs, lab, reached.of(lab.name));
    if (next == nullptr && !state.finished) next = &lab;
    const auto line =
        out.wrapped(lab.title, 7, fmt::format("{} {:>2}   ", mark(state.mark, out), lab.number));
    fmt::print("{}\n       {}\n", line, out.paint(state.text, colour::grey));
  }
  if (labs.labs().empty()) fmt::print("This checkout has no labs.\n");
  if (next != nullptr) {
    labs.make_student_file(*next);
    fmt::print("\n{}\n", out.wrapped(fmt::format("Next: read {}, edit {}, then: ./lab check {}",
                                                 course::shown(labs.handout(*next)),
                                                 course::shown(labs.student_file(*next)), next->number),
                                     0));
  } else if (!labs.labs().empty()) {
    fmt::print("\nAll labs are done.\n");
  }
  return exit_pass;
}

}  // namespace lab::cli

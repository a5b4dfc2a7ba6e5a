#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../grade.hpp"
#include "../patch.hpp"
#include "../progress.hpp"
#include "../render.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

std::vector<const lab_entry*> chosen(const course& labs, const check_options& options,
                                     const progress& reached) {
  std::vector<const lab_entry*> found;
  for (const auto& name : options.labs) {
    const auto* lab = &labs.find(name);
    if (std::find(found.begin(), found.end(), lab) == found.end()) found.push_back(lab);
  }
  if (!found.empty()) return found;
  for (const auto& lab : labs.labs()) {
    const bool next = found.empty() && reached.of(lab.name).passed_content.empty();
    if (options.all || options.solutions || next) found.push_back(&lab);
  }
  if (found.empty() && !labs.labs().empty()) found.push_back(&labs.labs().back());
  if (found.empty()) throw told_error("This checkout has no labs.", exit_misuse);
  return found;
}

/// The file to judge; empty `name` is the student's own.
lab_verdict judged(const course& labs, const lab_entry& lab, const check_options& options, progress& reached,
                   progress_bar& bar) {
  grade_request request{&lab, {}, {}, options.seed};
  if (options.solutions) {
    request.file = labs.solution(lab);
    return grade(labs, request, &bar);
  }
  if (!options.patch.empty()) {
    const patched_solution patched(labs, lab, options.patch);
    request.file = patched.file();
    request.shown_as = labs.solution(lab);
    return grade(labs, request, &bar);
  }
  if (!options.file.empty()) {
    if (!fs::exists(options.file)) throw told_error("There is no file " + options.file + ".", exit_misuse);
    request.file = options.file;
    return grade(labs, request, &bar);
  }
  labs.make_student_file(lab);
  request.file = labs.student_file(lab);
  std::string content;
  try {
    content = hex(hash_of(read_file(request.file)));
  } catch (const told_error&) {  // a folder, say: the verdict will tell
  }
  auto verdict = grade(labs, request, &bar);
  reached.record(verdict, content);
  return verdict;
}

}  // namespace

int check(const course& labs, const terminal& out, const check_options& options) {
  require_emulator("", exit_not_run);
  progress reached(labs.state_folder());
  if (!reached.warning().empty()) fmt::print(stderr, "lab: {}\n", reached.warning());
  const auto wanted = chosen(labs, options, reached);
  const bool special = options.solutions || !options.file.empty() || !options.patch.empty();
  if ((!options.file.empty() || !options.patch.empty()) && wanted.size() != 1) {
    throw told_error("A file belongs to one lab: ./lab check LAB --file FILE", exit_misuse);
  }
  std::vector<lab_verdict> verdicts;
  auto worst = outcome::pass;
  for (const auto* lab : wanted) {
    {
      progress_bar bar(out, "lab " + lab->number);
      verdicts.push_back(judged(labs, *lab, options, reached, bar));
    }
    const auto& verdict = verdicts.back();
    worst = worst_of(worst, verdict.outcome);
    if (options.json) continue;
    const bool brief = wanted.size() > 1 && verdict.outcome == outcome::pass && !options.verbose;
    const auto text = brief ? render_line(verdict, *lab, out)
                            : render(verdict, *lab, out, {options.verbose, options.verbose, !special}) +
                                  (wanted.size() > 1 ? "\n" : "");
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  if (options.json)
    fmt::print("{}\n", to_json(verdicts).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return exit_code_of(worst);
}

}  // namespace lab::cli

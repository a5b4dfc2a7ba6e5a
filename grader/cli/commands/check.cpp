#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../grade.hpp"
#include "../junit.hpp"
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
  if (!options.all && !options.solutions) return {&next_lab(labs, reached)};
  for (const auto& lab : labs.labs()) found.push_back(&lab);
  if (found.empty()) throw told_error("This checkout has no labs.", exit_misuse);
  return found;
}

/// Options that exclude each other: none is ignored in silence; and files that are not there, whatever else
/// is not.
void refuse_misuse(const check_options& options) {
  const auto misuse = [](const char* sentence) { throw told_error(sentence, exit_misuse); };
  const bool file = !options.file.empty(), patch = !options.patch.empty();
  if (options.solutions + file + patch > 1)
    misuse("--solutions, --file and --patch each say what is judged: give one of them.");
  if (options.all && !options.labs.empty()) misuse("--all means every lab: leave it out, or the names.");
  if ((file || patch) && (options.all || options.labs.size() > 1))
    misuse("A file belongs to one lab: ./lab check LAB --file FILE");
  for (const auto& named : {options.file, options.patch}) {
    if (!named.empty() && !fs::exists(named))
      throw told_error("There is no file " + std::string(named) + ".", exit_misuse);
  }
}

/// The verdict on what the options say, else on the student's own file.
lab_verdict judged(const course& labs, const lab_entry& lab, const check_options& options, device where,
                   progress_bar& bar) {
  grade_request request{&lab, {}, {}, options.seed, where};
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
    request.file = options.file;
    return grade(labs, request, &bar);
  }
  request.file = labs.student_file(lab);
  return grade(labs, request, &bar);
}

/// Where the device that is asked for is not here, nothing is judged. A text says so and no more; whoever
/// reads a document gets one.
std::string device_that_is_missing(const course& labs, report_format format, device& where) {
  try {
    where = wanted_device(labs.tools(), "", exit_not_run);
    return "";
  } catch (const told_error& error) {
    if (error.exit_code != exit_not_run || format == report_format::text) throw;
    fmt::print(stderr, "lab: {}\n", error.what());
    return error.what();
  }
}

lab_verdict not_judged(const course& labs, const lab_entry& lab, const check_options& options,
                       const std::string& because) {
  lab_verdict verdict;
  verdict.lab = lab.name;
  verdict.file = options.solutions || !options.patch.empty() ? labs.solution(lab)
                 : options.file.empty()                      ? labs.student_file(lab)
                                                             : fs::absolute(options.file).lexically_normal();
  verdict.outcome = outcome::not_run;
  verdict.message = because;
  return verdict;
}

}  // namespace

int check(const course& labs, const terminal& out, const check_options& options) {
  refuse_misuse(options);
  device where = device::emulator;
  const auto missing = device_that_is_missing(labs, options.format, where);
  progress reached(labs.state_folder());
  if (!reached.warning().empty()) fmt::print(stderr, "lab: {}\n", reached.warning());
  const auto wanted = chosen(labs, options, reached);
  const bool special = options.solutions || !options.file.empty() || !options.patch.empty();
  std::vector<lab_verdict> verdicts;
  auto worst = outcome::pass;
  for (const auto* lab : wanted) {
    if (!missing.empty()) {
      verdicts.push_back(not_judged(labs, *lab, options, missing));
      worst = worst_of(worst, verdicts.back().outcome);
      continue;
    }
    if (!special) labs.make_student_file(*lab);
    const auto content = content_of(labs.student_file(*lab));
    {
      progress_bar bar(out, "lab " + lab->number);
      verdicts.push_back(judged(labs, *lab, options, where, bar));
    }
    const auto& verdict = verdicts.back();
    worst = worst_of(worst, verdict.outcome);
    if (options.format == report_format::text) {
      const bool brief = wanted.size() > 1 && verdict.outcome == outcome::pass && !options.verbose;
      const auto text = brief
                            ? render_line(verdict, *lab, out)
                            : render(verdict, *lab, out,
                                     {options.verbose, options.verbose, !special, options.seed.has_value()}) +
                                  (wanted.size() > 1 ? "\n" : "");
      fmt::print("{}", text);
      std::fflush(stdout);
    }
    if (!special) keep(reached, verdict, content);
  }
  const bool hint = options.format == report_format::text && worst == outcome::pass && !special;
  if (hint && where == device::emulator && has_gpu(labs.tools()))
    fmt::print("\nOn this machine's own GPU: LAB_DEVICE=cuda ./lab check {}\n", wanted.front()->number);
  if (options.format == report_format::json)
    fmt::print("{}\n", to_json(verdicts).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  if (options.format == report_format::junit) fmt::print("{}", to_junit(verdicts));
  return exit_code_of(worst);
}

}  // namespace lab::cli

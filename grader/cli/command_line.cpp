#include "command_line.hpp"

#include <cstdio>

namespace lab::cli {

namespace {

/// "-1" would be taken for 2^64 - 1.
bool is_number(const std::string& text, std::size_t most_digits) {
  return !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::string is_count(const std::string& text) {
  return is_number(text, 6) ? "" : "\"" + text + "\" is no count: give a number from 0 to 999999";
}

std::string is_seed(const std::string& text) {
  return is_number(text, 19) ? "" : text + " is no seed: a whole number, as an earlier run printed it";
}

}  // namespace

void add_commands(CLI::App& app, request& wanted) {
  auto* check = app.add_subcommand("check", "Judge labs: one, several, or the next unfinished one");
  check->add_option("LAB", wanted.check.labs, "Number, name or beginning of a name");
  check->add_flag("--all", wanted.check.all, "Every lab");
  check->add_flag("--solutions", wanted.check.solutions,
                  "Judge the reference solutions instead of your files");
  const auto named = [](const std::string& file) { return file.empty() ? "a file's name is missing" : ""; };
  check->add_option("--file", wanted.check.file, "Judge this file instead of your student.cu")
      ->type_name("FILE.cu")
      ->check(named);
  check->add_option("--patch", wanted.check.patch, "Judge the solution with this patch applied")
      ->type_name("FILE.patch")
      ->check(named);
  check->add_option("--format", "text, json (docs/check-json.md) or junit (docs/check-junit.md)")
      ->check(CLI::IsMember({"text", "json", "junit"}))
      ->each([&wanted](const std::string& format) {
        wanted.check.format = format == "json"    ? report_format::json
                              : format == "junit" ? report_format::junit
                                                  : report_format::text;
      });
  check
      ->add_option("--seed", wanted.check.seed, "Repeat the inputs of an earlier run, which printed its seed")
      ->check(is_seed);
  check->add_flag("--verbose", wanted.check.verbose, "Every timeline, and what the time was spent on");

  auto* watch = app.add_subcommand("watch", "Judge a lab again whenever its file changes");
  watch->add_option("LAB", wanted.lab, "Number, name or beginning of a name; else the next unfinished one");

  auto* hint = app.add_subcommand("hint", "Reveal the next hint of a lab");
  hint->add_option("LAB", wanted.lab)->required();
  hint->add_option("--check", wanted.check_name, "For this check (its name or a part of it)")
      ->type_name("CHECK");

  auto* solution = app.add_subcommand("solution", "Show a lab's solution, once you have passed");
  solution->add_option("LAB", wanted.lab)->required();
  solution->add_flag("--anyway", wanted.anyway, "Also before");

  auto* reset = app.add_subcommand("reset", "Start a lab over; your file is kept as student.cu.bak-N");
  reset->add_option("LAB", wanted.lab)->required();

  auto* run = app.add_subcommand("run", "Run any single-file CUDA program: lab run FILE.cu -- ARGUMENTS");
  run->add_option("FILE.cu", wanted.run.file)->required()->check(named);
  run->add_option("--device", wanted.run.device, "emulator (so is auto), or cuda: this machine's own GPU")
      ->check(CLI::IsMember({"auto", "emulator", "cuda"}));
  run->add_flag("--quiet", wanted.run.quiet, "No words of our own on stderr");
  run->add_flag("--verbose", wanted.run.verbose, "What building took");
  run->add_flag("--check", wanted.run.check,
                "Then say what is wrong in it: uses of memory that nothing orders, leaks");

  run->add_option(
         "--timeline", wanted.run.timeline,
         "Then draw what it did: a page (.html), a picture (.svg), or a trace for ui.perfetto.dev (.json)")
      ->type_name("FILE.html");

  auto* timeline =
      app.add_subcommand("timeline", "Draw the run that shows what a lab is about, of your file");
  timeline->add_option("LAB", wanted.timeline.lab, "Number, name or beginning of a name")->required();
  timeline->add_option("--file", wanted.timeline.file, "Draw this file instead of your student.cu")
      ->type_name("FILE.cu")
      ->check(named);
  timeline->add_option("--patch", wanted.timeline.patch, "Draw the solution with this patch applied")
      ->type_name("FILE.patch")
      ->check(named);
  timeline->add_flag("--solution", wanted.timeline.solution, "Draw the reference solution instead");
  timeline
      ->add_option("--compare", wanted.timeline.compare,
                   "Beneath it, the solution; the same program in the schedule that its missing wait allows "
                   "too; or on the emulated GPU")
      ->check(CLI::IsMember({"solution", "schedule", "emulator"}));
  timeline->add_option("--picture", wanted.timeline.picture, "Another of the lab's pictures")
      ->type_name("PICTURE");
  timeline
      ->add_option("--check", wanted.timeline.check,
                   "The run that this check (its name or a part of it) found wrong, or the first that did")
      ->type_name("CHECK")
      ->expected(0, 1);
  timeline->add_flag("--anyway", wanted.timeline.anyway,
                     "Also before you have predicted what it shows, or passed where it shows the solution");
  timeline->add_option("--seed", wanted.timeline.seed, "Repeat the inputs of an earlier check")
      ->check(is_seed);
  timeline
      ->add_option("-o,--output", wanted.timeline.output,
                   "The file: a page (.html), a picture (.svg), or a trace for ui.perfetto.dev (.json)")
      ->type_name("FILE.html")
      ->check(named);

  auto* compare = app.add_subcommand("compare", "Time one matrix product in three ways and note the result");
  compare->add_option("--note", wanted.note, "A remark for the row in the record table");

  auto* doctor =
      app.add_subcommand("doctor", "What is here, what is missing, and the fix (done by the ./lab launcher)");
  doctor->add_option("--format", "text or json")->check(CLI::IsMember({"text", "json"}));
  auto* completion =
      app.add_subcommand("completion", "A script for your shell's completion (done by the ./lab launcher)");
  completion->add_option("SHELL")->check(CLI::IsMember({"bash", "zsh", "fish"}))->required();
  app.add_subcommand("setup", "Install what is missing and build (done by the ./lab launcher)");
  app.add_subcommand("docs", "Build the documentation and open it (done by the ./lab launcher)");
  app.add_subcommand("test", "Run the project's own tests (done by the ./lab launcher)");

  auto* course =
      app.add_subcommand("course", "For authors: does each lab reject what it must, and accept the rest?");
  course->add_option("LAB", wanted.course.labs);
  course->add_option("--pairs", wanted.course.pairs, "How many pairs of mistakes to try, 40 unless told")
      ->check(is_count);
  course
      ->add_option("--jobs", wanted.course.jobs,
                   "How many to judge at the same time, one for each core unless told, on a real GPU 4")
      ->check(is_count);
  course->add_flag("--mutations", wanted.course.mutations,
                   "Also delete each wait, record and edge, and insert waits, as mutations.txt says");
  course->add_option("--only", wanted.course.only, "The cases with this in their names, such as right/");
  course
      ->add_option("--part", wanted.course.part,
                   "K/N: of N parts the cases of the part K, say for N machines")
      ->check([](const std::string& text) {
        unsigned part = 0, parts = 0;
        char rest = 0;
        const bool good = std::sscanf(text.c_str(), "%4u/%4u%c", &part, &parts, &rest) == 2;
        return good && part >= 1 && part <= parts
                   ? std::string()
                   : "\"" + text + "\" is no part: give K/N, such as 2/3 for the second of three";
      });
  course->add_flag("--verbose", wanted.course.verbose, "A line for each case, when it is judged");
}

}  // namespace lab::cli

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "commands/commands.hpp"
#include "process.hpp"

namespace lab::cli {
namespace {

/// A command line in words: what was asked for.
struct request {
  check_options check;
  run_options run;
  course_options course;
  std::string lab;
  std::string check_name;
  std::string note;
  bool anyway = false;
};

void add_commands(CLI::App& app, request& wanted) {
  auto* check = app.add_subcommand("check", "Judge labs: one, several, or the next unfinished one");
  check->add_option("LAB", wanted.check.labs, "Number, name or beginning of a name");
  check->add_flag("--all", wanted.check.all, "Every lab");
  check->add_flag("--solutions", wanted.check.solutions,
                  "Judge the reference solutions instead of your files");
  const auto named = [](const std::string& file) { return file.empty() ? "a file's name is missing" : ""; };
  check->add_option("--file", wanted.check.file, "Judge this file instead of your student.cu")->check(named);
  check->add_option("--patch", wanted.check.patch, "Judge the solution with this patch applied")
      ->check(named);
  check->add_option("--format", "text, json (docs/check-json.md) or junit (docs/check-junit.md)")
      ->check(CLI::IsMember({"text", "json", "junit"}))
      ->each([&wanted](const std::string& format) {
        wanted.check.format = format == "json"    ? report_format::json
                              : format == "junit" ? report_format::junit
                                                  : report_format::text;
      });
  check
      ->add_option("--seed", wanted.check.seed,
                   "Repeat the inputs of an earlier run, which printed its seed")
      ->check([](const std::string& seed) {  // "-1" would be taken for 2^64 - 1
        const bool number =
            !seed.empty() && seed.size() < 20 && seed.find_first_not_of("0123456789") == std::string::npos;
        return number ? "" : seed + " is no seed: a whole number, as an earlier run printed it";
      });
  check->add_flag("--verbose", wanted.check.verbose, "Every timeline, and what the time was spent on");

  auto* hint = app.add_subcommand("hint", "Reveal the next hint of a lab");
  hint->add_option("LAB", wanted.lab)->required();
  hint->add_option("--check", wanted.check_name, "For this check (its name or a part of it)");

  auto* solution = app.add_subcommand("solution", "Show a lab's solution, once you have passed");
  solution->add_option("LAB", wanted.lab)->required();
  solution->add_flag("--anyway", wanted.anyway, "Also before");

  auto* reset = app.add_subcommand("reset", "Start a lab over; your file is kept as student.cu.bak-N");
  reset->add_option("LAB", wanted.lab)->required();

  auto* run = app.add_subcommand("run", "Run any single-file CUDA program: lab run FILE.cu -- ARGUMENTS");
  run->add_option("FILE", wanted.run.file)->required();
  run->add_option("--device", wanted.run.device, "emulator, or auto: the best there is")
      ->check(CLI::IsMember({"auto", "emulator", "cuda"}));
  run->add_flag("--quiet", wanted.run.quiet, "No words of our own on stderr");
  run->add_flag("--verbose", wanted.run.verbose, "What building took");

  auto* compare = app.add_subcommand("compare", "Time one matrix product in three ways and note the result");
  compare->add_option("--note", wanted.note, "A remark for the row in the record table");

  app.add_subcommand("setup", "Install what is missing and build (done by the ./lab launcher)");
  app.add_subcommand("test", "Run the project's own tests (done by the ./lab launcher)");

  auto* course =
      app.add_subcommand("course", "For authors: does each lab reject what it must, and accept the rest?");
  course->add_option("LAB", wanted.course.labs);
  course->add_option("--pairs", wanted.course.pairs, "How many pairs of mistakes to try, 40 unless told");
  course->add_flag("--verbose", wanted.course.verbose, "One line for each case");
}

int carry_out(const CLI::App& app, request& wanted) {
  const auto out = terminal::of_stdout();
  const course labs(read_toolchain());
  const auto is = [&](const char* name) { return app.got_subcommand(name); };
  if (is("check")) return check(labs, out, wanted.check);
  if (is("hint")) return hint(labs, out, wanted.lab, wanted.check_name);
  if (is("solution")) return show_solution(labs, out, wanted.lab, wanted.anyway);
  if (is("reset")) return reset(labs, wanted.lab);
  if (is("run")) return run_program(labs, wanted.run);
  if (is("compare")) return compare(labs, out, wanted.note);
  if (is("course")) return test_course(labs, out, wanted.course);
  if (is("setup") || is("test"))
    throw told_error("Run the launcher in the checkout: ./lab setup, ./lab test", exit_misuse);
  return list_labs(labs, out);
}

/// The command line up to "--"; what follows belongs to the program that `run` starts.
std::vector<std::string> own_arguments(int argc, char** argv, std::vector<std::string>& rest) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  const auto separator = std::find(all.begin(), all.end(), "--");
  if (separator != all.end()) rest.assign(separator + 1, all.end());
  return {all.begin(), separator};
}

void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().empty() || arguments.front().front() == '-') return;
  std::string known;
  for (const auto* command : app.get_subcommands({})) {
    if (command->get_name() == arguments.front()) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw told_error("There is no command \"" + arguments.front() + "\". The commands are: " + known +
                       ". Help: ./lab --help",
                   exit_misuse);
}

int try_main(int argc, char** argv) {
  CLI::App app(
      "CUDA Event Labs: measure and order GPU work, on a machine with or without a GPU.\n"
      "Without a command: the labs, your progress, and what to do next.");
  app.name("lab");
  app.set_version_flag("--version", LAB_VERSION);
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes of check: 0 pass, 1 fail, 2 error, 3 not run; 64 for a command that makes no sense.\n"
      "run ends as the program does, or with 125 when it could not be started.");
  request wanted;
  add_commands(app, wanted);
  auto arguments = own_arguments(argc, argv, wanted.run.arguments);
  refuse_unknown_command(app, arguments);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw told_error(std::string(error.what()) + ". Help: ./lab --help", exit_misuse);
  }
  return carry_out(app, wanted);
}

}  // namespace
}  // namespace lab::cli

int main(int argc, char** argv) {
  using namespace lab::cli;
  prepare_for_children();
  try {
    const int code = try_main(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    throw told_error("The output could not be written; is the disk full?", exit_error);
  } catch (const told_error& error) {
    fmt::print(stderr, "lab: {}\n", error.what());
    return error.exit_code;
  } catch (const interrupted& stop) {
    // Everything is cleaned up; now end as whoever sent the signal expects.
    forget_signal_handlers();
    ::raise(stop.signal);
    return 128 + stop.signal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lab: {}\n", error.what());
    return exit_error;
  }
}

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <timeline/text.hpp>

#include "command_line.hpp"
#include "completion.hpp"
#include "process.hpp"

namespace lab::cli {
namespace {

int carry_out(const CLI::App& app, request& wanted) {
  const auto out = terminal::of_stdout();
  const course labs(read_toolchain());
  const auto is = [&](const char* name) { return app.got_subcommand(name); };
  if (is("check")) return check(labs, out, wanted.check);
  if (is("watch")) return watch(labs, wanted.lab);
  if (is("hint")) return hint(labs, out, wanted.lab, wanted.check_name);
  if (is("solution")) return show_solution(labs, out, wanted.lab, wanted.anyway);
  if (is("reset")) return reset(labs, wanted.lab);
  if (is("run")) return run_program(labs, wanted.run);
  if (is("timeline")) return draw_lab(labs, out, wanted.timeline);
  if (is("compare")) return compare(labs, out, wanted.note);
  if (is("course")) return test_course(labs, out, wanted.course);
  for (const auto* launchers : {"setup", "test", "docs", "doctor", "completion"}) {
    if (is(launchers))
      throw told_error(fmt::format("Run the launcher in the checkout: ./lab {}", launchers), exit_misuse);
  }
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
      "run ends as the program does, or with 125 when it could not be started or its timeline not be "
      "written.");
  request wanted;
  add_commands(app, wanted);
  if (argc > 1 && argv[1] == std::string_view("__complete")) {
    const course labs(read_toolchain());
    fmt::print("{}", completions(app, labs, {argv + 2, argv + argc}));
    return exit_pass;
  }
  auto arguments = own_arguments(argc, argv, wanted.run.arguments);
  refuse_unknown_command(app, arguments);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const bool for_program =
        app.got_subcommand("run") && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    if (for_program)
      throw told_error(
          std::string(error.what()) +
              ". What the program is to be given stands behind --: ./lab run FILE.cu -- ARGUMENTS",
          exit_misuse);
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
    fmt::print(stderr, "lab: {}\n", lab::timeline::printable(error.what()));
    return error.exit_code;
  } catch (const interrupted& stop) {
    // Everything is cleaned up; now end as whoever sent the signal expects.
    forget_signal_handlers();
    ::raise(stop.signal);
    return 128 + stop.signal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lab: {}\n", lab::timeline::printable(error.what()));
    return exit_error;
  }
}

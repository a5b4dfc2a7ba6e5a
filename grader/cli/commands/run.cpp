#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "../build.hpp"
#include "../files.hpp"
#include "../process.hpp"
#include "commands.hpp"
#include "findings.hpp"
#include "reruns.hpp"
#include "timeline_file.hpp"
#include "trace_file.hpp"

namespace lab::cli {

namespace {

built_program build_it(const course& labs, const run_options& options, device where) {
  const auto out = terminal::of_stdout();
  progress_bar bar(out, "building " + fs::path(options.file).filename().string());
  return build(labs, {options.file, {}, nullptr, where}, [&] {
    if (!options.quiet) bar.tick();
  });
}

/// Becomes the program.
[[noreturn]] void start(const built_program& program, const run_options& options) {
  std::vector<std::string> arguments{options.file};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (options.quiet) ::setenv("LAB_QUIET", "1", 1);
  // Names source lines in what the emulator says about the program while it runs.
  ::setenv("LAB_WHERE", (fs::read_symlink("/proc/self/exe").parent_path() / "lab-where").c_str(), 1);
  forget_signal_handlers();
  ::execv(program.executable.c_str(), pointers.data());
  throw told_error(fmt::format("Cannot start {}: {}.", program.executable.string(), std::strerror(errno)),
                   exit_own_failure);
}

/// Starts the program in a child that writes its record to the file; blocks until it has ended. Signals that
/// we get are the child's too. Returns its wait status.
int run_beside(const trace_file& record, const built_program& program, const run_options& options) {
  const pid_t child = ::fork();
  if (child < 0) {
    throw told_error(fmt::format("Cannot start another process: {}.", std::strerror(errno)),
                     exit_own_failure);
  }
  if (child == 0) {
    ::setenv("LAB_TRACE_FD", std::to_string(record.descriptor()).c_str(), 1);
    start(program, options);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    try {
      stop_if_interrupted();
    } catch (const interrupted& stop) {
      ::kill(child, stop.signal);
    }
  }
  return status;
}

/// Ends as the program did: by its signal, or with its exit code; with 1 where that was 0 and something was
/// found.
int end_as(int status, int found) {
  if (WIFSIGNALED(status)) {
    forget_signal_handlers();
    ::raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  const int code = WEXITSTATUS(status);
  return code == 0 && found > 0 ? exit_fail : code;
}

/// A record that cannot be read is a picture too, of why there is none.
void write_timeline(const timeline_file& to, const trace_file& record, const built_program& program,
                    const run_options& options, const fs::path& sources) {
  const std::string title = fs::path(options.file).filename().string();
  std::vector<timeline::model> runs;
  try {
    runs.push_back(timeline::make_timeline(record.read(program.executable, sources), title));
  } catch (const told_error& error) {
    runs.push_back(timeline::without_record(title, error.what()));
  }
  to.write(runs);
  if (!options.quiet) fmt::print(stderr, "lab: timeline: {}\n", course::shown(to.path()));
}

/// Whether there is a timeline now; else says why not. What else was asked for is told all the same.
bool timeline_is_written(const timeline_file& to, const trace_file& record, const built_program& program,
                         const run_options& options, const fs::path& sources) {
  try {
    write_timeline(to, record, program, options, sources);
    return true;
  } catch (const told_error& error) {
    fmt::print(stderr, "lab: there is no timeline of this run. {}\n", error.what());
    return false;
  }
}

int build_and_run(const course& labs, const run_options& options) {
  // Before anything else that is missing: a name with a slip of the keyboard is what is seen most often.
  read_file(options.file);
  std::optional<timeline_file> timeline;
  if (options.timeline) timeline.emplace(*options.timeline, exit_misuse, std::vector<fs::path>{options.file});
  const cli::device where = wanted_device(labs.tools(), options.device, exit_own_failure);
  const built_program program = build_it(labs, options, where);
  if (options.verbose && !options.quiet) {
    fmt::print(stderr, "lab: translate {:.0f} ms, compile {:.0f} ms, link {:.0f} ms\n",
               program.times.translate_ms, program.times.compile_ms, program.times.link_ms);
  }
  if (!options.quiet) {
    for (const auto& warning : program.warnings) fmt::print(stderr, "lab: {}\n", warning);
  }
  if (!options.check && !timeline) start(program, options);
  const trace_file record;
  const int status = run_beside(record, program, options);
  const fs::path& sources = labs.tools().source_folder;
  const bool drawn = !timeline || timeline_is_written(*timeline, record, program, options, sources);
  if (!options.check) return drawn ? end_as(status, 0) : exit_own_failure;
  const auto scratch = labs.tools().build_folder / "runs";
  std::optional<temporary_folder> elsewhere;
  if (where == device::cuda) {
    make_folder(scratch);
    remove_abandoned(scratch);
    elsewhere.emplace(scratch);
  }
  reruns again(program.executable, options.arguments, sources, elsewhere ? elsewhere->path() : fs::path());
  const auto seen = record.read(program.executable, sources);
  const bool never_began =
      WIFEXITED(status) && WEXITSTATUS(status) == exit_own_failure && seen.run().calls.empty();
  if (never_began) return exit_own_failure;  // it has said why
  const int found = tell_findings(seen, options.file, sources, &again);
  return drawn ? end_as(status, found) : exit_own_failure;
}

}  // namespace

int run_program(const course& labs, const run_options& options) {
  try {
    return build_and_run(labs, options);
  } catch (const told_error& error) {
    if (error.exit_code == exit_misuse) throw;
    throw told_error(error.what(), exit_own_failure);
  } catch (const std::exception& error) {
    throw told_error(error.what(), exit_own_failure);
  }
}

}  // namespace lab::cli

#include "findings.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/hazards.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "../process.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

const char* name_of(analysis::hazard_level level) {
  switch (level) {
    case analysis::hazard_level::race:
      return "race";
    case analysis::hazard_level::relies_on_luck:
      return "relies on luck";
    case analysis::hazard_level::lifetime:
      return "lifetime";
  }
  return "";
}

}  // namespace

int run_beside(const trace_file& record, const std::function<void()>& become) {
  const pid_t child = ::fork();
  if (child < 0) {
    throw told_error(fmt::format("Cannot start another process: {}.", std::strerror(errno)),
                     exit_own_failure);
  }
  if (child == 0) {
    ::setenv("LAB_TRACE_FD", std::to_string(record.descriptor()).c_str(), 1);
    become();
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

int tell_findings(const analysis::recording& seen, const std::string& file, reruns& again) {
  constexpr std::size_t most_proofs = 4;  // each is a run of the program
  const auto hazards = analysis::find_hazards(seen);
  for (std::size_t i = 0; i < hazards.size(); ++i) {
    fmt::print(stderr, "lab: {}: {}\n", name_of(hazards[i].level), analysis::hazard_text(seen, hazards[i]));
    const std::string proof = i < most_proofs ? again.proof(seen, hazards[i]) : "";
    if (!proof.empty()) fmt::print(stderr, "lab: proof: {}\n", proof);
  }
  const auto leaks = seen.leaks();
  for (const auto& leak : leaks) {
    fmt::print(stderr, "lab: leak: {} created{} and never given back\n", leak.what,
               leak.where.empty() ? "" : " at " + leak.where);
  }
  if (hazards.empty() && leaks.empty()) {
    fmt::print(
        stderr,
        "lab: {}: {} CUDA calls and {} pieces of work; all uses of memory are ordered, nothing leaks\n", file,
        seen.run().calls.size(), seen.run().operations.size());
  }
  return static_cast<int>(hazards.size() + leaks.size());
}

int end_as(int status, int found) {
  if (WIFSIGNALED(status)) {
    forget_signal_handlers();
    ::raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  const int code = WEXITSTATUS(status);
  return code == 0 && found > 0 ? exit_fail : code;
}

}  // namespace lab::cli

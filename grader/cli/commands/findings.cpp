#include "findings.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/hazards.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <trace/reader.hpp>

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

/// Leaks of one kind and place together, in the order of the first of each.
std::vector<std::pair<analysis::leak, int>> counted(const std::vector<analysis::leak>& leaks) {
  std::vector<std::pair<analysis::leak, int>> places;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const auto& leak : leaks) {
    const auto [entry, fresh] = known.try_emplace({leak.what, leak.where}, places.size());
    if (fresh) places.emplace_back(leak, 0);
    ++places[entry->second].second;
  }
  return places;
}

}  // namespace

trace_file::trace_file() : descriptor_(::memfd_create("record", 0)) {
  if (descriptor_ < 0) {
    throw told_error(fmt::format("There is no memory for the program's record: {}.", std::strerror(errno)),
                     exit_own_failure);
  }
}

trace_file::~trace_file() {
  ::close(descriptor_);
}

analysis::recording trace_file::read(const fs::path& program, const fs::path& sources) const {
  std::string bytes(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
  std::size_t done = 0;
  for (ssize_t got = 1; got > 0 && done < bytes.size(); done += static_cast<std::size_t>(got)) {
    got = ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
  }
  try {
    trace::symbols names(program, sources);
    return analysis::recording(trace::read(bytes, names));
  } catch (const trace::malformed&) {
    throw told_error("The program left no record of what it did, so it was not checked.", exit_own_failure);
  }
}

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

int tell_findings(const analysis::recording& seen, const std::string& file) {
  const auto hazards = analysis::find_hazards(seen);
  const std::size_t said = seen.run().findings.size();  // by the program itself, while it ran
  for (const auto& hazard : hazards) {
    fmt::print(stderr, "lab: {}: {}\n", name_of(hazard.level), analysis::hazard_text(seen, hazard));
  }
  if (!seen.run().complete) {
    // What it had not given back when it was stopped is no leak.
    fmt::print(stderr, "lab: {} did not come to its end: only the {} CUDA calls up to there were checked\n",
               file, seen.run().calls.size());
    return static_cast<int>(hazards.size() + said);
  }
  const auto leaks = counted(seen.leaks());
  for (const auto& [leak, count] : leaks) {
    fmt::print(stderr, "lab: leak: {} created{} and never given back{}\n", leak.what,
               leak.where.empty() ? "" : " at " + leak.where,
               count == 1 ? "" : fmt::format(" ({} of them)", count));
  }
  if (hazards.empty() && leaks.empty() && said == 0) {
    fmt::print(
        stderr,
        "lab: {}: {} CUDA calls and {} pieces of work; all uses of memory are ordered, nothing leaks\n", file,
        seen.run().calls.size(), seen.run().operations.size());
  }
  return static_cast<int>(hazards.size() + leaks.size() + said);
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

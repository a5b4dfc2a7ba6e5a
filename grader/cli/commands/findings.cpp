#include "findings.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/hazards.hpp>
#include <analysis/narration.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

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

/// A line of the program that a finding is about.
struct concerned {
  trace::sequence when;  ///< it was carried out
  std::string label, where;
};

/// Every place that the hazard names, in the order in which the program came there.
std::vector<concerned> places_of(const analysis::recording& seen, const analysis::hazard& found) {
  std::vector<concerned> places;
  const auto add_call = [&](trace::id id, const std::string& label) {
    if (id == 0) return;
    const auto call = seen.call_with_id(id);
    places.push_back({call.raw().begun, label.empty() ? call.name() : label, call.where()});
  };
  const trace::allocation& memory = seen.run().allocations[found.allocation - 1];
  add_call(memory.allocated_by, "the memory");
  const auto add_stream = [&](std::optional<trace::id> stream) {
    if (!stream || *stream == trace::legacy_stream) return;
    add_call(seen.run().streams[*stream - 1].created_by, analysis::stream_text(seen, *stream));
  };
  for (const auto* side : {&found.first, &found.second}) {
    places.push_back({side->when, side->name, side->where});
    add_stream(side->stream);
  }
  for (const trace::id call : {found.edge.record, found.edge.call}) {
    add_call(call, "");
    if (call != 0) add_stream(seen.call_with_id(call).raw().stream);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.when < b.when; });
  return places;
}

/// The program's files, by the names that places go by.
class source_files {
 public:
  source_files(const analysis::recording& seen, const fs::path& sources) {
    for (const auto& call : seen.run().calls) {
      for (const auto& frame : call.stack) {
        const fs::path file = frame.file;
        const auto [known, fresh] = files_.try_emplace(file.filename().string());
        if (fresh) known->second = fs::exists(file) ? file : sources / file;
      }
    }
  }

  /// The line at "student.cu:41", without its indentation.
  std::string line(const std::string& where) const {
    const auto colon = where.rfind(':');
    const auto file = files_.find(where.substr(0, colon));
    if (file == files_.end()) return "";
    std::ifstream in(file->second);
    std::string line;
    for (int left = std::atoi(where.c_str() + colon + 1); left > 0 && std::getline(in, line);) --left;
    const auto begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin);
  }

 private:
  std::map<std::string, fs::path> files_;
};

/// The lines themselves, each once.
void show_places(const std::vector<concerned>& places, const source_files& files) {
  std::size_t label_width = 0, place_width = 0;
  for (const auto& each : places) {
    label_width = std::max(label_width, each.label.size());
    place_width = std::max(place_width, each.where.size());
  }
  std::set<std::string> shown;
  for (const auto& [when, label, where] : places) {
    if (where.empty() || !shown.insert(where).second) continue;
    fmt::print(stderr, "     {:<{}}  {:<{}}  {}\n", label, label_width, where, place_width,
               files.line(where));
  }
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

int tell_findings(const analysis::recording& seen, const std::string& file, const fs::path& sources,
                  reruns& again) {
  constexpr std::size_t most_proofs = 4;  // each is a run of the program
  const auto hazards = analysis::find_hazards(seen);
  const trace::run& run = seen.run();
  const source_files files(seen, sources);
  const auto tell = [&](const analysis::hazard& hazard, const std::string& proof) {
    fmt::print(stderr, "lab: {}: {}\n", name_of(hazard.level), analysis::hazard_text(seen, hazard));
    show_places(places_of(seen, hazard), files);
    if (!proof.empty()) fmt::print(stderr, "lab: proof: {}\n", proof);
  };
  std::size_t told = 0, proofs = 0;
  for (const auto& hazard : hazards) {
    const bool provable = run.complete && proofs < most_proofs;
    tell(hazard, provable ? again.proof(seen, hazard, hazards) : "");
    ++told;
    ++proofs;
  }
  if (run.complete) {
    for (const auto& hazard : analysis::find_answered(seen)) {
      if (proofs++ >= most_proofs) break;
      const std::string proof = again.proof(seen, hazard, hazards);
      if (proof.empty()) continue;  // it looks at the answer
      tell(hazard, proof);
      ++told;
    }
  }
  const std::size_t found = told + run.findings.size();  // the latter were told while it ran
  if (!run.complete) {
    // What it had not given back when it was stopped is no leak.
    fmt::print(stderr, "lab: {} did not come to its end: only the {} CUDA calls up to there were checked\n",
               file, run.calls.size());
    return static_cast<int>(found);
  }
  const auto leaks = seen.leaks();
  std::map<std::string, int> alike;
  for (const auto& leak : leaks) ++alike[leak.what + (leak.where.empty() ? "" : " from " + leak.where)];
  for (const auto& [leak, count] : alike) {
    fmt::print(stderr, "lab: leak: {} is never given back{}\n", leak,
               count == 1 ? "" : fmt::format(", {} times", count));
  }
  if (found + leaks.size() == 0) {
    const std::size_t calls = run.calls.size(), pieces = run.operations.size();
    fmt::print(stderr,
               "lab: {}: {} CUDA call{} and {} piece{} of work; between them all uses of memory are ordered, "
               "nothing leaks\n",
               file, calls, calls == 1 ? "" : "s", pieces, pieces == 1 ? "" : "s");
  }
  return static_cast<int>(found + leaks.size());
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

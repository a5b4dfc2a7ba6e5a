#include "findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/hazards.hpp>
#include <array>
#include <map>

#include "commands.hpp"
#include "quoted_lines.hpp"

namespace lab::cli {
namespace {

using analysis::hazard;

constexpr std::size_t most_proofs = 4;  // each is a run of the program

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

/// Whether a wait in front of what comes first would serve for both, or one behind the copy that does not
/// wait.
bool have_one_cause(const hazard& a, const hazard& b) {
  const auto what = [](const hazard& each) {
    const auto& [fault, call, record] = each.edge;
    return std::tuple(each.level, each.is_certain(), each.first.name, each.first.where, fault, call, record);
  };
  const auto who_waits = [](const hazard& each) {
    const bool is_host = each.second.operation == 0;
    return std::tuple(is_host, is_host ? each.second.thread : 0, each.second.stream);
  };
  const bool of_copy = a.edge.fault == analysis::edge_fault::implicit_wait && a.edge.call == a.first.call;
  return what(a) == what(b) && (of_copy || who_waits(a) == who_waits(b));
}

/// By cause, in the order in which they were found; of one cause, what comes first stands first.
std::vector<std::vector<hazard>> by_cause(const std::vector<hazard>& found) {
  std::vector<std::vector<hazard>> causes;
  for (const auto& each : found) {
    const auto known = std::find_if(causes.begin(), causes.end(),
                                    [&](const auto& cause) { return have_one_cause(cause.front(), each); });
    known == causes.end() ? causes.push_back({each}) : known->push_back(each);
  }
  for (auto& cause : causes) {
    std::stable_sort(cause.begin(), cause.end(),
                     [](const auto& a, const auto& b) { return a.second.when < b.second.when; });
  }
  return causes;
}

/// Says what has one cause.
class teller {
 public:
  teller(const analysis::recording& seen, const fs::path& sources) : seen_(seen), lines_(seen, sources) {}

  void tell(const std::vector<hazard>& cause, const std::string& proof) const {
    const hazard& first = cause.front();
    fmt::print(stderr, "lab: {}{}: {}\n", first.is_certain() ? "" : "perhaps: ", name_of(first.level),
               analysis::hazard_text(seen_, first));
    std::string others;
    for (auto each = cause.begin() + 1; each != cause.end(); ++each)
      others += (others.empty() ? "" : ", ") + analysis::participant_text(seen_, *each, each->second);
    if (!others.empty()) fmt::print(stderr, "lab: the same goes for {}\n", others);
    fmt::print(stderr, "{}", lines_.of(cause));
    if (!proof.empty()) fmt::print(stderr, "lab: proof: {}\n", proof);
  }

 private:
  const analysis::recording& seen_;
  quoted_lines lines_;
};

/// What the device found was told while the program ran, with the line of the kernel that did it. Where that
/// was launched several times, it remains to be told which of them it was. Returns how many.
std::size_t tell_launches(const analysis::recording& seen) {
  for (const auto& found : seen.run().findings) {
    if (found.operation == 0) continue;
    const analysis::work work = seen.work_with_id(found.operation);
    if (seen.kernels(work.name()).size() < 2 || work.where().empty()) continue;
    const std::string code = analysis::place(found.stack);
    fmt::print(stderr, "lab: the {} that did this{} was launched at {}\n", work.name(),
               code.empty() ? "" : fmt::format(" ({})", code), work.where());
  }
  return seen.run().findings.size();
}

/// What a real GPU has to say of a kernel's fault. Returns how many.
std::size_t tell_fault(const analysis::recording& seen) {
  // cudaErrorIllegalAddress and the others that end the context
  constexpr std::array faults{700, 702, 710, 714, 715, 716, 717, 718, 719, 721};
  for (const auto& call : seen.run().calls) {
    const bool is_fault = std::find(faults.begin(), faults.end(), call.status) != faults.end();
    if (seen.run().device.emulated || !is_fault) continue;
    const std::string where = analysis::place(call.stack);
    fmt::print(stderr,
               "lab: fault: a kernel or copy failed, and every call from {}{} on returns {}: what comes "
               "after it does "
               "nothing\n",
               call.name, where.empty() ? "" : fmt::format(" ({})", where), call.error);
    return 1;
  }
  return 0;
}

struct told_hazards {
  std::size_t certain = 0;
  std::size_t possible = 0;  ///< they rest on what a kernel's parameters let it use
};

told_hazards tell_hazards(const analysis::recording& seen, const fs::path& sources, reruns* again) {
  const auto hazards = analysis::find_hazards(seen);
  const teller to_student(seen, sources);
  told_hazards told;
  std::size_t proofs = 0;
  const auto proof_of = [&](const std::vector<hazard>& cause) {
    std::string proof;
    for (auto each = cause.begin(); seen.run().complete && each != cause.end() && proof.empty(); ++each) {
      if (again != nullptr && proofs++ < most_proofs) proof = again->proof(seen, *each, hazards);
    }
    return proof;
  };
  for (const auto& cause : by_cause(hazards)) {
    to_student.tell(cause, proof_of(cause));
    ++(cause.front().is_certain() ? told.certain : told.possible);
  }
  for (const auto& hazard : analysis::find_answered(seen)) {
    const std::string proof = proof_of({hazard});
    if (proof.empty()) continue;  // it looks at the answer
    to_student.tell({hazard}, proof);
    ++told.certain;
  }
  return told;
}

/// Returns how many.
std::size_t tell_leaks(const analysis::recording& seen) {
  const auto leaks = seen.leaks();
  std::map<std::string, int> alike;
  for (const auto& leak : leaks) ++alike[leak.what + (leak.where.empty() ? "" : " from " + leak.where)];
  for (const auto& [leak, count] : alike) {
    fmt::print(stderr, "lab: leak: {} is never given back{}\n", leak,
               count == 1 ? "" : fmt::format(", {} times", count));
  }
  return leaks.size();
}

void must_be_whole(const trace::run& run) {
  for (const auto& found : run.findings) {
    if (found.kind != trace::finding_kind::incomplete_record &&
        found.kind != trace::finding_kind::not_recorded)
      continue;
    throw told_error("The program was not checked: " + analysis::finding_text(found) + ".", exit_own_failure);
  }
}

/// What a check on a real GPU leaves open.
void tell_limits(const trace::run& run, const std::string& file) {
  if (!analysis::knows_threads(run)) {
    fmt::print(stderr,
               "lab: a real GPU's record does not tell how host threads wait for each other: their CUDA "
               "calls count as "
               "ordered as they came, and what host code reads and writes was not checked\n");
  }
  fmt::print(stderr,
             "lab: checked on {}. Where the emulated GPU can run the program, it sees every access, and can "
             "prove more: ./lab run {} --check\n",
             run.device.name, file);
}

}  // namespace

int tell_findings(const analysis::recording& seen, const std::string& file, const fs::path& sources,
                  reruns* again) {
  const trace::run& run = seen.run();
  must_be_whole(run);
  std::size_t found = tell_launches(seen) + tell_fault(seen);
  const told_hazards hazards = tell_hazards(seen, sources, again);
  found += hazards.certain;
  if (!run.device.emulated) tell_limits(run, file);
  if (!run.complete) {
    // What it had not given back when it was stopped is no leak.
    fmt::print(stderr, "lab: {} did not come to its end: only the {} CUDA calls up to there were checked\n",
               file, run.calls.size());
    return static_cast<int>(found);
  }
  found += tell_leaks(seen);
  if (found == 0 && hazards.possible == 0) {
    const std::size_t calls = run.calls.size(), pieces = run.operations.size();
    fmt::print(stderr,
               "lab: {}: {} CUDA call{} and {} piece{} of work; between them all uses of memory are ordered, "
               "nothing leaks\n",
               file, calls, calls == 1 ? "" : "s", pieces, pieces == 1 ? "" : "s");
  }
  return static_cast<int>(found);
}

}  // namespace lab::cli

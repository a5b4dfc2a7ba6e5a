#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trace/reader.hpp"

/// Prints what a trace says of who read and wrote which bytes: show_accesses PROGRAM <TRACE
///
/// Operations by submission; host code between two of its steps, its accesses merged, for how many one loop
/// is depends on the compiler. Of ordinary memory only the length of a range is shown.

using namespace lab;

namespace {

using interval = std::pair<std::uint64_t, std::uint64_t>;
using key = std::tuple<int, trace::id, bool, bool>;  // thread, allocation, write, atomic

const char* verb(bool write, bool atomic) {
  if (atomic) return write ? "updates" : "loads";
  return write ? "writes" : "reads";
}

std::string merged(std::vector<interval> parts, bool named) {
  std::sort(parts.begin(), parts.end());
  std::vector<interval> whole;
  for (const interval& part : parts) {
    if (!whole.empty() && part.first <= whole.back().second) {
      whole.back().second = std::max(whole.back().second, part.second);
    } else {
      whole.push_back(part);
    }
  }
  std::string text;
  constexpr std::size_t shown = 4;
  for (std::size_t i = 0; i < whole.size() && i < shown; ++i) {
    const auto [begin, end] = whole[i];
    text += named ? " [" + std::to_string(begin) + ", " + std::to_string(end) + ")"
                  : " " + std::to_string(end - begin) + " bytes";
  }
  if (whole.size() > shown) text += " and " + std::to_string(whole.size() - shown) + " more";
  return text;
}

class report {
 public:
  explicit report(const trace::run& run) : run_(run) {}

  void operations() const {
    for (const auto& work : run_.operations) {
      if (work.accesses.empty()) continue;
      std::printf("%s\n", work.name.c_str());
      std::map<key, std::vector<interval>> by;
      for (const auto& range : work.accesses) {
        by[{0, range.allocation, range.write, range.atomic}].push_back({range.begin, range.end});
      }
      show(by, "  ");
    }
  }

  /// Thread by thread: which of two that nothing orders comes first depends on what the compiler made of
  /// them. Kernels that talk with the host have negative numbers.
  void host() const {
    std::set<int> threads{0};
    for (const auto& sync : run_.host_syncs) threads.insert(sync.thread);
    for (const auto& access : run_.host_accesses) threads.insert(access.thread);
    for (const int thread : threads) host(thread);
  }

 private:
  void host(int thread) const {
    std::map<key, std::vector<interval>> by;
    auto access = run_.host_accesses.begin();
    const auto up_to = [&](trace::sequence when) {
      for (; access != run_.host_accesses.end() && access->when < when; ++access) {
        if (access->thread != thread) continue;
        const auto& bytes = access->bytes;
        by[{thread, bytes.allocation, bytes.write, bytes.atomic}].push_back({bytes.begin, bytes.end});
      }
      show(by, "");
      by.clear();
    };
    std::multimap<trace::sequence, std::string> steps;  // several where one fence goes before several stores
    for (const auto& call : run_.calls) {
      if (call.thread == thread) steps.emplace(call.begun, call.name);
    }
    for (const auto& sync : run_.host_syncs) {
      const bool release = sync.kind == trace::host_sync_kind::release;
      if (sync.thread == thread)
        steps.emplace(sync.when, (release ? "releases " : "acquires ") + std::to_string(sync.object));
    }
    for (const auto& [when, step] : steps) {
      up_to(when);
      std::printf("thread %d: %s\n", thread, step.c_str());
    }
    up_to(~trace::sequence{0});
  }

  void show(const std::map<key, std::vector<interval>>& by, const char* indent) const {
    for (const auto& [what, parts] : by) {
      const auto& [thread, allocation, write, atomic] = what;
      const bool named = run_.allocations[allocation - 1].kind != trace::memory_kind::pageable;
      const std::string who = *indent != '\0' ? "" : "thread " + std::to_string(thread) + " ";
      std::printf("%s%s%s %s%s\n", indent, who.c_str(), verb(write, atomic),
                  named ? ("memory " + std::to_string(allocation)).c_str() : "ordinary memory",
                  merged(parts, named).c_str());
    }
  }

  const trace::run& run_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    trace::symbols names(argv[1]);
    const auto run = trace::read(bytes, names);
    report(run).operations();
    std::puts("host:");
    report(run).host();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no trace: %s\n", error.what());
    return 1;
  }
}

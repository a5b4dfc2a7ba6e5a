// What the analysis of large traces costs: time, and memory beyond that of the trace. Not run with the tests.
//   grader_analysis_benchmark
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/hazards.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "support/program.hpp"

namespace {

using id = program::id;

std::vector<id> some_streams(program& p, int count, bool non_blocking = true) {
  std::vector<id> made;
  for (int i = 0; i < count; ++i) made.push_back(p.stream(non_blocking));
  return made;
}

bool full(const program& p, std::size_t operations) {
  return p.run.operations.size() >= operations;
}

// Chunks of one buffer wander from stream to stream, by events that are recorded again and again.
void pipeline(program& p, std::size_t operations, bool host_waits) {
  constexpr std::size_t count = 32;
  const auto streams = some_streams(p, count);
  std::vector<id> ready;
  for (std::size_t i = 0; i < count; ++i) ready.push_back(p.event());
  const id in = p.pinned(count * 4096), d = p.device(count * 4096);
  for (std::size_t round = 0; !full(p, operations); ++round) {
    const std::size_t i = round % count, next = (i + 1) % count;
    const auto chunk = [&](id memory, bool write) {
      return lab::trace::access_range{memory, i * 4096, (i + 1) * 4096, write, false};
    };
    if (host_waits && round >= count) p.event_sync(ready[next], 30);
    if (host_waits) p.host(chunk(in, true), 31);
    p.wait(streams[i], ready[next], 32);
    p.copy(lab::trace::copy_direction::host_to_device, streams[i], {chunk(in, false), chunk(d, true)}, 33);
    p.record(ready[i], streams[i], 34);
    p.wait(streams[next], ready[i], 35);
    p.kernel("scale", streams[next], 36, {chunk(d, false), chunk(d, true)});
    p.record(ready[next], streams[next], 37);
  }
}

void no_host_waits(program& p, std::size_t operations) {
  pipeline(p, operations, false);
}
void host_waits(program& p, std::size_t operations) {
  pipeline(p, operations, true);
}

void one_buffer_races(program& p, std::size_t operations) {
  const auto streams = some_streams(p, 32);
  const id d = p.device();
  for (std::size_t i = 0; !full(p, operations); ++i)
    p.kernel("race", streams[i % 32], 30, {p.reads(d), p.writes(d)});
}

void legacy_between(program& p, std::size_t operations) {
  const auto streams = some_streams(p, 31, false);
  const id d = p.device();
  for (std::size_t i = 0; !full(p, operations); ++i) {
    p.kernel("blocking", streams[i % 31], 30, {p.writes(d)});
    p.kernel("legacy", 0, 31, {p.reads(d)});
  }
}

void five_thousand_streams(program& p, std::size_t operations) {
  const auto streams = some_streams(p, 5000);
  const id shared = p.device(), own = p.device(std::uint64_t{5000} * 64);
  while (!full(p, operations)) {
    for (std::size_t i = 0; i < streams.size() && !full(p, operations); ++i) {
      p.kernel("step", streams[i], 30, {p.reads(shared), p.writes(own, i * 64, (i + 1) * 64)});
    }
    p.device_sync(31);
  }
}

// Each stream waits for all that the one before it knows.
void chain_of_streams(program& p, std::size_t operations) {
  const auto streams = some_streams(p, 5000);
  const id d = p.device(), e = p.event();
  for (std::size_t i = 0; !full(p, operations); ++i) {
    p.wait(streams[i % 5000], e, 30);
    p.kernel("step", streams[i % 5000], 31, {p.reads(d), p.writes(d)});
    p.record(e, streams[i % 5000], 32);
  }
}

long resident_kib(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == what && status >> kib) return kib;
  }
  return 0;
}

void measure(const char* name, const std::function<void(program&, std::size_t)>& make) {
  for (const std::size_t operations : {1'000u, 10'000u, 100'000u}) {
    if (const pid_t child = fork(); child != 0) {  // each begins with no memory of the one before
      waitpid(child, nullptr, 0);
      continue;
    }
    program made;
    make(made, operations);
    const lab::analysis::recording seen(std::move(made.run));
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak counts from here
    const long before = resident_kib("VmRSS:");
    const auto begin = std::chrono::steady_clock::now();
    const auto found = find_hazards(seen);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::printf("%-24s%10zu operations%10.1f ms%8.1f MiB%6zu hazards\n", name, operations, took.count(),
                static_cast<double>(resident_kib("VmHWM:") - before) / 1024, found.size());
    std::fflush(stdout);
    _exit(0);
  }
}

}  // namespace

int main() {
  measure("no host waits", no_host_waits);
  measure("host waits", host_waits);
  measure("races everywhere", one_buffer_races);
  measure("legacy in between", legacy_between);
  measure("5,000 streams", five_thousand_streams);
  measure("chain of 5,000 streams", chain_of_streams);
}

#include "host_memory.hpp"

#include <algorithm>
#include <map>
#include <trace/host_access_runs.hpp>
#include <unordered_map>
#include <vector>

#include "device.hpp"
#include "device_variables.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "memory.hpp"
#include "program_image.hpp"
#include "recorder.hpp"
#include "report.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator {

namespace host_memory {

namespace {

/// A stretch of addresses and the name that the trace has for it.
struct named_memory {
  trace::id name = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Where host code's access lies: others within [low, high) may be one run with it.
struct place {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  named_memory in;
  trace::wire::stack stack = 0;
  trace::sequence when = 0;  // the run began: which of two ends first depends on others
};

/// Ordinary memory of a copy that the host does not know to be done.
struct watched_range {
  std::uintptr_t begin;
  std::uintptr_t end;
  trace::id work;
  const stream_state* stream;
};

struct everything {
  trace::host_access_runs<place> runs;
  address_window of_cuda;  // pinned and registered
  std::vector<watched_range> of_copies;
  trace::id heap = 0, stacks = 0, globals = 0;
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

named_memory ordinary(trace::id& name, std::uintptr_t begin, std::uintptr_t end) {
  if (name == 0) {
    name = recorder::add_allocation(
        {end - begin, static_cast<std::uint32_t>(trace::memory_kind::pageable), 0, 0, 0, {}, {}});
  }
  return {name, begin, end};
}

/// Where `address` lies; a name of 0 where the trace has none for it.
named_memory memory_around(std::uintptr_t address) {
  if (auto* memory = memory::containing(address)) return {memory->id, memory->begin, memory->end()};
  if (auto* variable = device_variables::used_around(address))
    return {variable->id, variable->begin, variable->end()};
  if (address >= heap_window_begin && address < heap_window_end)
    return ordinary(all().heap, heap_window_begin, heap_window_end);
  if (address >= stack_window_begin && address < stack_window_end)
    return ordinary(all().stacks, stack_window_begin, stack_window_end);
  if (in_program_image(address, 1)) return ordinary(all().globals, image_begin(), image_end());
  return {};
}

/// Where around the access host accesses matter, and so may be one run with it: in memory that CUDA knows,
/// always; in ordinary memory, while a copy may use it. Empty where this one does not matter.
std::pair<std::uintptr_t, std::uintptr_t> mattering(std::uintptr_t begin, std::uintptr_t end) {
  if (const auto* memory = memory::containing(begin)) return {memory->begin, memory->end()};
  for (const watched_range& range : all().of_copies) {
    if (begin < range.end && end > range.begin) {
      return {std::min(begin, range.begin), std::max(end, range.end)};
    }
  }
  return {};
}

void add(const place& where, const trace::host_touch& touch, std::uintptr_t begin, std::uintptr_t end) {
  recorder::add(trace::wire::host_access{where.when, begin - where.in.begin, end - where.in.begin,
                                         where.in.name, current_thread()->number, where.stack, touch.write,
                                         touch.atomic, 0});
}

void update_window() {
  watched_host_memory = all().of_cuda;
  for (const watched_range& range : all().of_copies) watched_host_memory.widen(range.begin, range.end);
}

}  // namespace

void watch(std::uintptr_t address, std::size_t bytes) {
  if (!recorder::enabled()) return;
  all().of_cuda.widen(address, address + bytes);
  update_window();
}

void watch_for(const operation& work, std::uintptr_t address, std::size_t bytes) {
  if (!recorder::enabled()) return;
  watched_range added{address, address + bytes, work.id, work.stream};
  auto& ranges = all().of_copies;
  if (several_threads()) {  // then none is ever taken away: what meets becomes one
    const auto meets = [&](const watched_range& other) {
      const bool met = added.begin <= other.end && other.begin <= added.end;
      if (met)
        added = {std::min(added.begin, other.begin), std::max(added.end, other.end), work.id, work.stream};
      return met;
    };
    ranges.erase(std::remove_if(ranges.begin(), ranges.end(), meets), ranges.end());
  }
  ranges.push_back(added);
  update_window();
}

void waited_for(const operation& work) {
  auto& ranges = all().of_copies;
  if (ranges.empty() || several_threads()) return;  // the others may not know
  ranges.erase(std::remove_if(ranges.begin(), ranges.end(),
                              [&](const watched_range& range) {
                                return range.stream == work.stream && range.work <= work.id;
                              }),
               ranges.end());
  update_window();
}

void access_by(const operation& work, std::uintptr_t address, std::size_t bytes, bool write) {
  if (!recorder::enabled()) return;
  const named_memory in = memory_around(address);
  if (in.name == 0) return;
  const std::size_t begin = address - in.begin;
  recorder::add(trace::wire::access{begin, begin + bytes, work.id, in.name, write, false, false, {}});
}

void end_stretch() {
  all().runs.end_stretch(add);
}

}  // namespace host_memory

void host_frees(const void* address, std::size_t bytes, const char* function, const void* caller) {
  runtime_section emulator;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (const auto* memory : memory::living()) {
    if (memory->kind != trace::memory_kind::registered) continue;
    if (memory->begin >= begin + bytes || memory->end() <= begin) continue;
    const std::string sentence = std::string(function) +
                                 " got memory that is registered with CUDA; call cudaHostUnregister first, "
                                 "or the device goes on using it";
    recorder::add_finding(trace::finding_kind::freed_while_registered, sentence, 0, recorder::here(caller));
    say(sentence, recorder::frames(caller));
    return;
  }
}

void record_host_access(const void* pointer, std::size_t bytes, bool write, bool atomic, const void* caller) {
  using namespace host_memory;
  runtime_section emulator;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto code = reinterpret_cast<std::uintptr_t>(caller);
  const auto meet = [&]() -> place {
    const auto [low, high] = mattering(address, address + bytes);
    if (low == high) return {};
    // The stack now: the function may have returned when the run is closed.
    return {low, high, memory_around(address), recorder::here(caller), recorder::next_in_sequence()};
  };
  all().runs.add({code, shadow->innermost(), address, bytes, write, atomic}, meet, host_memory::add);
}

namespace {

/// What a thread has seen of an object, and what there is to see.
struct edges {
  std::unordered_map<const void*, trace::id> numbers;
  std::vector<std::uint64_t> releases;                      // of each object
  std::map<std::pair<int, trace::id>, std::uint64_t> seen;  // by a thread
  // Of fences: when a thread's last one released, and what a thread has loaded since its last one acquired.
  std::map<int, trace::sequence> release_fences;
  std::map<std::pair<int, const void*>, std::uint64_t> loaded;

  trace::id number_of(const void* object) {
    const auto [found, fresh] = numbers.try_emplace(object, static_cast<trace::id>(numbers.size() + 1));
    if (fresh) releases.push_back(0);
    return found->second;
  }
};

edges& known_edges() {
  static edges& instance = *new edges;
  return instance;
}

/// What the thread does next comes later than what it has done.
trace::sequence next_stretch() {
  host_memory::end_stretch();
  return recorder::next_in_sequence();
}

void add(trace::sequence when, int thread, trace::host_sync_kind kind, trace::id object) {
  recorder::add(trace::wire::host_sync{when, thread, static_cast<std::uint32_t>(kind), object, 0});
}

void release(trace::sequence when, int thread, const void* object) {
  const trace::id number = known_edges().number_of(object);
  known_edges().seen[{thread, number}] = ++known_edges().releases[number - 1];
  add(when, thread, trace::host_sync_kind::release, number);
}

void acquire(int thread, const void* object, std::uint64_t released) {
  const trace::id number = known_edges().number_of(object);
  auto& seen = known_edges().seen[{thread, number}];
  if (seen >= released) return;  // a loop that asks again and again learns nothing new
  seen = released;
  add(next_stretch(), thread, trace::host_sync_kind::acquire, number);
}

std::uint64_t times_released(const void* object) {
  return known_edges().releases[known_edges().number_of(object) - 1];
}

/// Whether there is somebody whom the edge could lead to, or from.
bool matters(const void* object) {
  if (!recorder::enabled() || executing == execution::kernel) return false;
  return several_threads() || memory::containing(reinterpret_cast<std::uintptr_t>(object)) != nullptr;
}

}  // namespace

void host_releases(const void* object) {
  if (!matters(object)) return;
  runtime_section emulator;
  release(next_stretch(), thread_number(), object);
}

void host_acquires(const void* object) {
  if (!matters(object)) return;
  runtime_section emulator;
  acquire(thread_number(), object, times_released(object));
}

void host_fences(bool acquires, bool releases) {
  if (!recorder::enabled() || executing != execution::host) return;
  runtime_section emulator;
  edges& known = known_edges();
  const int self = thread_number();
  if (acquires) {
    const auto first = known.loaded.lower_bound({self, nullptr});
    auto last = first;
    for (; last != known.loaded.end() && last->first.first == self; ++last) {
      acquire(self, last->first.second, last->second);
    }
    known.loaded.erase(first, last);
  }
  if (releases) known.release_fences[self] = next_stretch();
}

void host_stores_relaxed(const void* object) {
  if (!matters(object)) return;
  runtime_section emulator;
  const auto fence = known_edges().release_fences.find(thread_number());
  if (fence != known_edges().release_fences.end()) release(fence->second, thread_number(), object);
}

void host_loads_relaxed(const void* object) {
  if (!matters(object) || known_edges().numbers.count(object) == 0) return;
  runtime_section emulator;
  known_edges().loaded[{thread_number(), object}] = times_released(object);
}

namespace host_memory {

void kernel_releases(int thread, std::uintptr_t flag) {
  release(next_stretch(), thread, reinterpret_cast<const void*>(flag));
}

void kernel_acquires(int thread, std::uintptr_t flag, std::uint64_t times) {
  acquire(thread, reinterpret_cast<const void*>(flag), times);
}

std::uint64_t times_released(std::uintptr_t flag) {
  return emulator::times_released(reinterpret_cast<const void*>(flag));
}

}  // namespace host_memory

}  // namespace lab::emulator

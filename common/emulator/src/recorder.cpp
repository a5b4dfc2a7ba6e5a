#include "recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <trace/writer.hpp>
#include <utility>
#include <vector>

#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "profile.hpp"
#include "program_image.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator::recorder {

namespace {

namespace wire = trace::wire;

constexpr std::size_t most_frames = 24;

// The record may begin before the program does: where a library's own constructors call what is interposed.
std::string name_of_device() {
  choose_gpu();
  return std::string("emulated ") + gpu().short_name + ", virtual time";
}

struct everything {
  trace::writer out{name_of_device()};
  int descriptor = -1;

  // Where nothing is kept, every id leads here.
  wire::call some_call{};
  wire::operation some_operation{};
  trace::id calls_counted = 0, operations_counted = 0;
  std::int64_t happened = 0;
  trace::sequence in_sequence = 0;
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

}  // namespace

wire::text text_of(std::string_view text) {
  return all().out.text_of(text);
}

void start() {
  if (const char* descriptor = std::getenv("LAB_TRACE_FD")) {
    // Out of the way of programs that close or write to low descriptors.
    constexpr int high = 800;
    const int given = std::atoi(descriptor);
    const int moved = fcntl(given, F_DUPFD_CLOEXEC, high);
    all().descriptor = moved < 0 ? given : moved;
    if (moved >= 0) close(given);
    unsetenv("LAB_TRACE_FD");
  }
}

bool enabled() {
  return all().descriptor >= 0;
}

std::vector<std::uint64_t> frames(const void* return_address) {
  std::vector<std::uint64_t> frames;
  // Code of shared libraries has no source to show, and lies elsewhere in every run.
  const auto keep = [&](std::uintptr_t code) {
    if (in_program_image(code, 1)) frames.push_back(code);
  };
  keep(reinterpret_cast<std::uintptr_t>(return_address));
  const std::size_t kept = std::min(shadow->depth, shadow->capacity);
  for (std::size_t i = kept; i > 0 && frames.size() < most_frames; --i) keep(shadow->frames[i - 1]);
  return frames;
}

wire::stack here(const void* return_address) {
  if (!enabled()) return 0;
  return all().out.stack_of(frames(return_address));
}

trace::id add_call(const char* name, time_ns begin, wire::stack stack) {
  wire::call record{};
  record.begin = begin;
  record.begun = next_in_sequence();
  record.end = trace::unfinished;
  record.milliseconds = std::nan("");
  record.stack = stack;
  record.thread = thread_number();
  record.stream = wire::no_stream;
  ++all().happened;
  if (!enabled()) {
    all().some_call = record;
    return ++all().calls_counted;
  }
  record.name = text_of(name);
  return all().out.calls.add(record);
}

wire::call& call(trace::id id) {
  return enabled() ? all().out.calls.at(id) : all().some_call;
}

trace::id add_operation(trace::operation_kind kind, std::string_view name) {
  wire::operation record{};
  record.kind = static_cast<std::uint8_t>(kind);
  record.begin = record.end = trace::unfinished;
  if (!enabled()) return ++all().operations_counted;
  record.name = text_of(name);
  return all().out.operations.add(record);
}

wire::operation& operation(trace::id id) {
  return enabled() ? all().out.operations.at(id) : all().some_operation;
}

trace::id add_stream(const wire::stream& stream) {
  return all().out.streams.add(stream);
}
wire::stream& stream(trace::id id) {
  return all().out.streams.at(id);
}
trace::id add_event(const wire::event& event) {
  return all().out.events.add(event);
}
wire::event& event(trace::id id) {
  return all().out.events.at(id);
}
trace::id add_allocation(const wire::allocation& allocation) {
  return all().out.allocations.add(allocation);
}
wire::allocation& allocation(trace::id id) {
  return all().out.allocations.at(id);
}

void add(const wire::clock_read& read) {
  ++all().happened;
  if (enabled()) all().out.clock_reads.add(read);
}
void add(const wire::pause& pause) {
  if (enabled()) all().out.pauses.add(pause);
}
void add(const wire::access& access) {
  if (enabled()) all().out.accesses.add(access);
}

void add(const wire::host_access& access) {
  if (enabled()) all().out.host_accesses.add(access);
}
void add(const wire::host_sync& sync) {
  if (enabled()) all().out.host_syncs.add(sync);
}

trace::sequence next_in_sequence() {
  return ++all().in_sequence;
}

void add_finding(trace::finding_kind kind, std::string_view message, trace::id operation, wire::stack stack) {
  all().out.findings.add(
      {static_cast<std::uint32_t>(kind), text_of(message), current_call(), operation, stack});
}

std::int64_t events_so_far() {
  return all().happened;
}

std::size_t bytes() {
  return enabled() ? all().out.bytes() : 0;
}

trace::id current_call() {
  return current_thread()->current_call;
}

void write(bool complete) {
  if (!enabled()) return;
  const int descriptor = std::exchange(all().descriptor, -1);
  all().out.write(descriptor, complete);
}

}  // namespace lab::emulator::recorder

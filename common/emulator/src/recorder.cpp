#include "recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
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

std::size_t bytes_of_logs = 0;

/// Records in blocks that never move: ids stay places, and a signal handler can write what is there.
template <class Record>
class log {
 public:
  explicit log(wire::tag tag) : tag_(tag) {}

  trace::id add(const Record& record) {
    if (count_ % block_records == 0) {
      blocks_.push_back(static_cast<Record*>(std::malloc(block_records * sizeof record)));
      bytes_of_logs += block_records * sizeof record;
    }
    blocks_[count_ / block_records][count_ % block_records] = record;
    return static_cast<trace::id>(++count_);
  }
  Record& at(trace::id id) { return blocks_[(id - 1) / block_records][(id - 1) % block_records]; }
  std::size_t size() const { return count_; }

  template <class Out>
  void write(Out out) const {
    const wire::section head{tag_, sizeof(Record), count_};
    out(&head, sizeof head);
    for (std::size_t done = 0; done < count_; done += block_records) {
      out(blocks_[done / block_records], std::min(block_records, count_ - done) * sizeof(Record));
    }
  }

 private:
  static constexpr std::size_t block_records = 4096;
  wire::tag tag_;
  std::vector<Record*> blocks_;
  std::size_t count_ = 0;
};

struct everything {
  log<char> texts{wire::tag::texts};
  log<std::uint64_t> stacks{wire::tag::stacks};
  log<wire::call> calls{wire::tag::calls};
  log<wire::operation> operations{wire::tag::operations};
  log<wire::stream> streams{wire::tag::streams};
  log<wire::event> events{wire::tag::events};
  log<wire::allocation> allocations{wire::tag::allocations};
  log<wire::clock_read> clock_reads{wire::tag::clock_reads};
  log<wire::pause> pauses{wire::tag::pauses};
  log<wire::finding> findings{wire::tag::findings};
  log<wire::access> accesses{wire::tag::accesses};
  log<wire::host_access> host_accesses{wire::tag::host_accesses};
  log<wire::host_sync> host_syncs{wire::tag::host_syncs};

  std::map<std::string, wire::text, std::less<>> known_texts;
  std::map<std::vector<std::uint64_t>, wire::stack> known_stacks;
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
  auto& known = all().known_texts;
  auto found = known.find(text);
  if (found != known.end()) return found->second;
  for (const char c : text) all().texts.add(c == '\0' ? '?' : c);
  all().texts.add('\0');
  const auto number = static_cast<wire::text>(known.size());
  known.emplace(text, number);
  return number;
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
  text_of(std::string("emulated ") + t4.short_name + ", virtual time");
  const std::vector<std::uint64_t> nowhere;
  all().known_stacks.emplace(nowhere, 0);
  all().stacks.add(0);
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
  const auto frames = recorder::frames(return_address);
  auto& known = all().known_stacks;
  const auto [entry, fresh] = known.try_emplace(frames, static_cast<wire::stack>(known.size()));
  if (fresh) {
    all().stacks.add(frames.size());
    for (const auto frame : frames) all().stacks.add(frame);
  }
  return entry->second;
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
  return all().calls.add(record);
}

wire::call& call(trace::id id) {
  return enabled() ? all().calls.at(id) : all().some_call;
}

trace::id add_operation(trace::operation_kind kind, std::string_view name) {
  wire::operation record{};
  record.kind = static_cast<std::uint8_t>(kind);
  record.begin = record.end = trace::unfinished;
  if (!enabled()) return ++all().operations_counted;
  record.name = text_of(name);
  return all().operations.add(record);
}

wire::operation& operation(trace::id id) {
  return enabled() ? all().operations.at(id) : all().some_operation;
}

trace::id add_stream(const wire::stream& stream) {
  return all().streams.add(stream);
}
wire::stream& stream(trace::id id) {
  return all().streams.at(id);
}
trace::id add_event(const wire::event& event) {
  return all().events.add(event);
}
wire::event& event(trace::id id) {
  return all().events.at(id);
}
trace::id add_allocation(const wire::allocation& allocation) {
  return all().allocations.add(allocation);
}
wire::allocation& allocation(trace::id id) {
  return all().allocations.at(id);
}

void add(const wire::clock_read& read) {
  ++all().happened;
  if (enabled()) all().clock_reads.add(read);
}
void add(const wire::pause& pause) {
  if (enabled()) all().pauses.add(pause);
}
void add(const wire::access& access) {
  if (enabled()) all().accesses.add(access);
}

void add(const wire::host_access& access) {
  if (enabled()) all().host_accesses.add(access);
}
void add(const wire::host_sync& sync) {
  if (enabled()) all().host_syncs.add(sync);
}

trace::sequence next_in_sequence() {
  return ++all().in_sequence;
}

void add_finding(trace::finding_kind kind, std::string_view message, trace::id operation, wire::stack stack) {
  all().findings.add({static_cast<std::uint32_t>(kind), text_of(message), current_call(), operation, stack});
}

std::int64_t events_so_far() {
  return all().happened;
}

std::size_t bytes() {
  return enabled() ? bytes_of_logs : 0;
}

trace::id current_call() {
  return current_thread()->current_call;
}

void write(bool complete) {
  const int descriptor = all().descriptor;
  if (descriptor < 0) return;
  all().descriptor = -1;
  bool failed = false;
  auto out = [&](const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0 && !failed) {
      const ssize_t count = ::write(descriptor, at, bytes);
      if (count <= 0) {
        failed = true;  // the reader has gone: nobody is left to tell
        return;
      }
      at += count;
      bytes -= static_cast<std::size_t>(count);
    }
  };
  auto& record = all();
  out(wire::magic, sizeof wire::magic);
  record.texts.write(out);
  record.stacks.write(out);
  record.calls.write(out);
  record.operations.write(out);
  record.streams.write(out);
  record.events.write(out);
  record.allocations.write(out);
  record.clock_reads.write(out);
  record.pauses.write(out);
  record.findings.write(out);
  record.accesses.write(out);
  record.host_accesses.write(out);
  record.host_syncs.write(out);
  const wire::section end{wire::tag::end, 1, complete ? std::uint64_t{1} : 0};
  out(&end, sizeof end);
  ::close(descriptor);
}

}  // namespace lab::emulator::recorder

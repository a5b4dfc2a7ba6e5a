#include "device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <queue>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "host_functions.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "liveness.hpp"
#include "load.hpp"
#include "profile.hpp"
#include "program_image.hpp"
#include "recorder.hpp"
#include "report.hpp"
#include "schedule.hpp"

namespace lab::emulator::device {

namespace {

using trace::copy_direction;
using trace::operation_kind;

struct occurrence {
  time_ns at;
  std::uint64_t sequence;
  operation_ref what;

  friend bool operator>(const occurrence& a, const occurrence& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

/// A copy engine carries out one copy at a time, in the order in which they became ready.
struct copy_engine {
  bool busy = false;
  std::deque<operation_ref> queue;
};

constexpr std::uint64_t never_held = UINT64_MAX;

struct everything {
  std::priority_queue<occurrence, std::vector<occurrence>, std::greater<>> agenda;
  std::uint64_t sequence = 0;
  copy_engine upload, download;
  std::vector<operation_ref> kernels;  ///< running ones
  std::map<trace::id, operation_ref> unfinished;
  struct {
    operation_ref work;                ///< ready, and held back by the schedule
    std::uint64_t limit = never_held;  ///< the occurrence that lets it go
    bool reason_is_done = false;
  } hold;
  bool only_for_record = false;  ///< the program has ended
  stream_state legacy;
  std::list<stream_state> streams;
  std::string printed;
};

everything& all() {
  static everything& instance = *new everything;
  return instance;
}

void schedule_at(time_ns at, const operation_ref& work) {
  all().agenda.push({at, all().sequence++, work});
}

void finish(const operation_ref& work, time_ns at, time_ns known);

void drop_stream(stream_state& gone) {
  all().streams.remove_if([&](const stream_state& stream) { return &stream == &gone; });
}

copy_engine* engine_of(const operation& work) {
  if (work.copy == nullptr) return nullptr;
  if (work.copy->direction == copy_direction::host_to_device) return &all().upload;
  if (work.copy->direction == copy_direction::device_to_host) return &all().download;
  return nullptr;
}

// --- copies and sets
// -------------------------------------------------------------------------------------------------

constexpr std::size_t pieces_per_copy = 16;  // what overlaps a copy sees it done in so many steps
constexpr std::size_t smallest_piece = 4096;

time_ns copy_time(const copy_work& copy) {
  return gpu().copy_minimum_ns + static_cast<time_ns>(copy.bytes()) * 1000 / copy.bytes_per_us;
}

void mark_written(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  auto* memory = memory::containing(begin);
  if (memory == nullptr || memory->kind != trace::memory_kind::device) return;
  memory->written.insert(begin - memory->begin, begin - memory->begin + bytes);
}

/// Whether memory can be used that work names: ordinary memory may be gone with the program.
bool is_there(const void* pointer) {
  if (!all().only_for_record) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto* memory = memory::containing(address);
  return memory == nullptr ? in_program_image(address, 1) : memory->kind != trace::memory_kind::registered;
}

/// Moves the next bytes of the copy, row by row.
void copy_piece(copy_work& copy, std::size_t bytes) {
  if (!is_there(copy.to) || (copy.staged.empty() && !is_there(copy.from))) return;
  memory::open_device();
  while (bytes > 0 && copy.rows_done < copy.rows) {
    const std::size_t piece = std::min(bytes, copy.row_bytes - copy.bytes_done);
    char* to = copy.to + copy.rows_done * copy.to_pitch + copy.bytes_done;
    const char* from = copy.staged.empty()
                           ? copy.from + copy.rows_done * copy.from_pitch + copy.bytes_done
                           : copy.staged.data() + copy.rows_done * copy.row_bytes + copy.bytes_done;
    __builtin_memmove(to, from, piece);
    mark_written(to, piece);
    copy.bytes_done += piece;
    bytes -= piece;
    if (copy.bytes_done == copy.row_bytes) {
      copy.bytes_done = 0;
      ++copy.rows_done;
    }
  }
}

void set_all(const memset_work& set) {
  if (!is_there(set.to)) return;
  memory::open_device();
  for (std::size_t row = 0; row < set.rows; ++row) {
    __builtin_memset(set.to + row * set.pitch, set.value, set.row_bytes);
    mark_written(set.to + row * set.pitch, set.row_bytes);
  }
}

void begin_copy(const operation_ref& work, time_ns at) {
  work->running = true;
  work->begin = at;
  work->end = at + copy_time(*work->copy);
  recorder::operation(work->id).begin = at;
  schedule_at(at + (work->end - at) / static_cast<time_ns>(pieces_per_copy), work);
}

void go_on_copying(const operation_ref& work, time_ns at) {
  auto& copy = *work->copy;
  const std::size_t bytes = copy.bytes();
  if (at >= work->end) {
    copy_piece(copy, bytes);
    if (auto* engine = engine_of(*work)) {
      engine->busy = false;
      if (!engine->queue.empty()) {
        auto next = engine->queue.front();
        engine->queue.pop_front();
        engine->busy = true;
        begin_copy(next, at);
      }
    }
    finish(work, at, at);
    return;
  }
  const std::size_t piece = std::max(bytes / pieces_per_copy, smallest_piece);
  copy_piece(copy, piece);
  const time_ns step = (work->end - work->begin) / static_cast<time_ns>(pieces_per_copy);
  schedule_at(bytes <= piece ? work->end : std::min(work->end, at + std::max<time_ns>(step, 1)), work);
}

// --- kernels
// ---------------------------------------------------------------------------------------------------------

/// How much slower a kernel runs because others fill the device too.
double contention() {
  double demand = 0;
  for (const auto& kernel : all().kernels) demand += kernel->grid->demand();
  return std::max(1.0, demand);
}

void begin_kernel(const operation_ref& work, time_ns at) {
  work->running = true;
  work->begin = work->end = at + gpu().kernel_dispatch_ns + load::delay();
  recorder::operation(work->id).begin = work->begin;
  work->grid->accesses().flags().work = work->id;
  all().kernels.push_back(work);
  schedule_at(work->begin, work);
}

/// The accesses of the finished kernel become part of the memory's history, and of the trace.
void settle_accesses(operation& work) {
  const bool told = end_of_talking_kernel(work.grid->accesses());
  for (auto& touched : work.grid->accesses().all()) {
    auto& memory = *touched.memory;
    const auto ranges = [&](const byte_set& bytes, bool write, bool atomic) {
      bytes.each_interval([&](std::size_t begin, std::size_t end) {
        recorder::add(trace::wire::access{begin, end, work.id, memory.id, write, atomic, false, {}});
        return true;
      });
    };
    if (recorder::enabled() && !told) {
      ranges(touched.read, false, false);
      ranges(touched.written, true, false);
      ranges(touched.atomic, true, true);
      ranges(touched.polled, false, true);
    }
    if (memory.kind != trace::memory_kind::device) continue;
    memory.written.insert(touched.written);
    memory.written.insert(touched.atomic);
    if (!touched.read_uninitialised || all().only_for_record) continue;
    const auto code = reinterpret_cast<const void*>(touched.uninitialised_code);
    const std::string sentence = fmt::format(
        "kernel '{}' read device memory that nothing had written, at offset {} of an allocation of {} bytes",
        work.name, touched.uninitialised_offset, memory.bytes);
    recorder::add_finding(trace::finding_kind::uninitialised_read, sentence, work.id, recorder::here(code));
    say(sentence, recorder::frames(code));
  }
}

void end_kernel(const operation_ref& work, time_ns at) {
  auto& kernels = all().kernels;
  kernels.erase(std::find(kernels.begin(), kernels.end(), work));
  const auto* fault = work->grid->fault();
  if (fault != nullptr && !all().only_for_record) {
    const std::string sentence = fault->sentence;
    const int error = fault->error;
    const auto code = reinterpret_cast<const void*>(fault->address_of_code);
    recorder::operation(work->id).failed = 1;
    recorder::operation(work->id).end = at;
    fail_context(error, sentence, work->id, code, at);
    return;
  }
  settle_accesses(*work);
  if (fault != nullptr) return;  // and what is behind it never comes to its turn
  work->grid.reset();
  finish(work, at, at + gpu().kernel_completion_ns);
}

void go_on_computing(const operation_ref& work, time_ns at, bool host_can_run) {
  auto& grid = *work->grid;
  if (grid.fault() != nullptr || grid.finished()) {
    end_kernel(work, at);
    return;
  }
  if (!all().only_for_record) check_kernel_budget(at - work->begin, work->name.c_str(), host_can_run);
  const auto slice = grid.run(at);
  work->end = at + static_cast<time_ns>(static_cast<double>(slice.cost) * contention());
  if (slice.finished) work->end = std::max(work->end, work->begin + gpu().kernel_minimum_ns);
  schedule_at(work->end, work);
}

/// Memory may be freed in a stream under a copy or set in another, which nothing orders before that.
bool lost_memory(const operation& work, time_ns at) {
  const auto lost = [&](const void* pointer, const char* verb) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address < device_window_begin || address >= device_window_end) return false;
    if (memory::containing(address) != nullptr) return false;
    if (all().only_for_record) return true;
    fail_context(cudaErrorIllegalAddress,
                 fmt::format("the {} {} memory that had been freed", work.name, verb), work, at);
    return true;
  };
  if (work.copy != nullptr) return lost(work.copy->from, "read") || lost(work.copy->to, "wrote");
  return work.set != nullptr && lost(work.set->to, "wrote");
}

// --- the life of an operation
// ----------------------------------------------------------------------------------------

/// Whether the schedule holds the work back now: once, until the limit at the latest, which comes at once
/// where the host waits for the work and nothing else is left to do.
bool hold_back(const operation_ref& work, time_ns at) {
  auto& hold = all().hold;
  if (work->id != schedule::held().operation || hold.reason_is_done) return false;
  const bool first = hold.limit == never_held;
  hold.work = first ? work : nullptr;
  if (!first) return false;
  hold.limit = all().sequence;
  schedule_at(at + schedule::held().longest, work);
  return true;
}

/// Something is done, at `known`: perhaps what other work was held back for.
void let_go(const operation& done, time_ns known) {
  auto& hold = all().hold;
  if (done.id != schedule::held().until) return;
  hold.reason_is_done = true;
  if (hold.work != nullptr) schedule_at(known, std::exchange(hold.work, nullptr));
}

void begin(const operation_ref& work, time_ns at) {
  if (hold_back(work, at)) return;
  auto& record = recorder::operation(work->id);
  if (work->grid != nullptr) {
    begin_kernel(work, at);
    return;
  }
  if (work->copy != nullptr) {
    if (auto* engine = engine_of(*work)) {
      if (engine->busy) {
        engine->queue.push_back(work);
        return;
      }
      engine->busy = true;
    }
    begin_copy(work, at);
    return;
  }
  work->running = true;
  work->begin = at;
  record.begin = at;
  if (work->host_function != nullptr) {
    if (all().only_for_record) {
      finish(work, at, at);
      return;
    }
    run_host_function(work->host_function->function, work->host_function->argument, work->id,
                      at + gpu().host_function_latency_ns, [work](time_ns end) { finish(work, end, end); });
    return;
  }
  time_ns duration = 0;
  if (work->set != nullptr) {
    duration = gpu().kernel_minimum_ns + static_cast<time_ns>(work->set->row_bytes * work->set->rows) * 1000 /
                                             gpu().memset_bytes_per_us;
  } else if (work->modelled != nullptr) {
    duration = work->modelled->duration;
  } else if (work->kind == operation_kind::event_record) {
    duration = load::delay();
    if (duration == 0) {
      work->end = at;  // the stamp; the stream goes on a moment later
      finish(work, at, at + gpu().event_record_device_ns);
      return;
    }
  }
  work->end = at + duration;
  schedule_at(work->end, work);
}

/// Done at `at`; whoever waits, host or device, learns of it at `known`.
void finish(const operation_ref& work, time_ns at, time_ns known) {
  if (work->done) return;
  if (work->set != nullptr) set_all(*work->set);
  if (work->modelled != nullptr && work->modelled->effect) {
    memory::open_device();
    work->modelled->effect();
  }
  work->done = true;
  work->running = false;
  work->end = at;
  recorder::operation(work->id).end = at;
  if (work->when_done) work->when_done();
  let_go(*work, known);
  notify_all(work->waiters, known);
  for (auto& successor : work->successors) {
    successor->ready = std::max(successor->ready, known);
    if (--successor->unmet == 0 && successor->submitted) schedule_at(successor->ready, successor);
  }
  work->successors.clear();
  auto& stream = *work->stream;
  --stream.pending;
  notify_one(stream.room, known);
  if (!stream.alive && stream.pending == 0) drop_stream(stream);
  all().unfinished.erase(work->id);
}

void depend(const operation_ref& later, const operation_ref& earlier) {
  if (earlier == nullptr || earlier->done || earlier == later) return;
  earlier->successors.push_back(later);
  ++later->unmet;
  later->behind_hold |= earlier->behind_hold;
}

}  // namespace

time_ns next_event() {
  return all().agenda.empty() ? never : all().agenda.top().at;
}

void step(bool host_can_run) {
  runtime_section emulator;
  const occurrence next = all().agenda.top();
  all().agenda.pop();
  const auto& work = next.what;
  const bool let_go_before = next.sequence == all().hold.limit && all().hold.work == nullptr;
  if (work->done || let_go_before || lost_memory(*work, next.at)) return;
  if (!work->running) {
    begin(work, next.at);
  } else if (work->grid != nullptr) {
    go_on_computing(work, next.at, host_can_run);
  } else if (work->copy != nullptr) {
    go_on_copying(work, next.at);
  } else {
    finish(work, next.at, next.at);
  }
}

operation_ref make(operation_kind kind, std::string_view name) {
  auto work = std::make_shared<operation>();
  work->kind = kind;
  work->name = name;
  work->id = recorder::add_operation(kind, name);
  work->behind_hold = work->id == schedule::held().operation;
  return work;
}

void submit(stream_state& stream, const operation_ref& work, const std::vector<operation_ref>& also) {
  constexpr int queue_depth = 1024;  // the launch queue is finite: past it the host waits for room
  const bool finite = schedule::held().operation == 0;  // nothing promises a wait for room either
  while (finite && stream.pending >= queue_depth) wait(stream.room, "room in the stream's queue");
  const time_ns at = now();
  work->stream = &stream;
  work->submitted_from = current_thread()->call_site;
  work->ready = at;
  auto& record = recorder::operation(work->id);
  record.stream = stream.id;
  record.submitted = at;
  record.submitted_by = recorder::current_call();
  depend(work, stream.last);
  for (const auto& each : also) depend(work, each);
  if (&stream == &all().legacy) {
    for (const auto& other : all().streams) {
      if (!other.non_blocking) depend(work, other.last);
    }
  } else if (!stream.non_blocking) {
    depend(work, all().legacy.last);
  }
  stream.last = work;
  ++stream.pending;
  all().unfinished.emplace(work->id, work);
  work->submitted = true;
  if (work->unmet == 0) schedule_at(work->ready, work);
}

stream_state& legacy_stream() {
  return all().legacy;
}

stream_state& per_thread_stream() {
  auto*& mine = current_thread()->default_stream;
  if (mine == nullptr) {
    mine = &make_stream(false);
    mine->id = recorder::add_stream({false, 0, 0, thread_number()});
  }
  return *mine;
}

stream_state& make_stream(bool non_blocking) {
  auto& fresh = all().streams.emplace_back();
  fresh.non_blocking = non_blocking;
  return fresh;
}

void forget_stream(stream_state& stream) {
  stream.alive = false;
  if (stream.pending == 0) drop_stream(stream);
}

std::vector<operation_ref> covered_by(stream_state& stream) {
  std::vector<operation_ref> last{stream.last};
  if (&stream == &all().legacy) {
    for (const auto& other : all().streams) {
      if (!other.non_blocking) last.push_back(other.last);
    }
  }
  last.erase(
      std::remove_if(last.begin(), last.end(), [](const auto& op) { return op == nullptr || op->done; }),
      last.end());
  return last;
}

std::vector<operation_ref> everything_pending() {
  std::vector<operation_ref> last;
  if (all().legacy.last != nullptr && !all().legacy.last->done) last.push_back(all().legacy.last);
  for (const auto& stream : all().streams) {
    if (stream.last != nullptr && !stream.last->done) last.push_back(stream.last);
  }
  return last;
}

bool holds() {
  return schedule::held().operation != 0 && !all().hold.reason_is_done;
}

void abandon_all(time_ns at) {
  auto& state = all();
  state.agenda = {};
  state.kernels.clear();
  state.upload = state.download = {};
  const auto drop = [at](stream_state& stream) {
    stream.pending = 0;
    notify_all(stream.room, at);
  };
  drop(state.legacy);
  for (auto& stream : state.streams) drop(stream);
  state.streams.remove_if([](const stream_state& stream) { return !stream.alive; });
  for (const auto& [id, work] : std::exchange(state.unfinished, {})) {
    work->done = true;
    recorder::operation(id).failed = 1;
    notify_all(work->waiters, at);
    work->successors.clear();
  }
}

void carry_out_for_record() {
  auto& state = all();
  if (state.only_for_record || !recorder::enabled() || running_grid != nullptr) return;
  runtime_section emulator;
  state.only_for_record = true;
  const auto pending = state.unfinished;
  std::vector<trace::wire::operation> seen;
  for (const auto& [id, work] : pending) seen.push_back(recorder::operation(id));
  for (const auto& [id, work] : pending) {
    if (work->host_function != nullptr && work->running) finish(work, work->begin, work->begin);
  }
  constexpr time_ns most_time = time_ns{10} * 1'000'000'000;
  const time_ns limit = now() + most_time;
  while (next_event() <= limit && !record_is_full()) step(false);
  for (const auto& kernel : state.kernels) settle_accesses(*kernel);
  auto before = seen.begin();
  for (const auto& [id, work] : pending) {
    auto& record = recorder::operation(id);
    record.begin = before->begin;
    record.end = before->end;
    ++before;
  }
}

bool only_for_record() {
  return all().only_for_record;
}

bool kernel_is_running() {
  return !all().kernels.empty();
}

void note_use_of_freed(const memory::freed_memory& freed, std::size_t offset, std::size_t bytes, bool write) {
  for (const auto& kernel : all().kernels) {
    if (kernel->grid.get() != running_grid) continue;
    recorder::add(trace::wire::access{offset, offset + bytes, kernel->id, freed.id, write, false, false, {}});
  }
}

std::string pending_in_words() {
  std::string words;
  for (const auto& [id, work] : all().unfinished) {
    if (!words.empty()) words += ", ";
    const auto& record = recorder::operation(id);
    words += fmt::format("{} in {}",
                         work->kind == operation_kind::kernel ? "kernel '" + work->name + "'" : work->name,
                         record.stream == trace::legacy_stream ? "the legacy stream"
                                                               : fmt::format("stream {}", work->stream->id));
    if (words.size() > 200) return words + ", ...";
  }
  return words;
}

std::string& printed() {
  return all().printed;
}

}  // namespace lab::emulator::device

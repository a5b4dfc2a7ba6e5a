#include "assemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <trace/names.hpp>
#include <unordered_set>
#include <utility>

namespace lab::cupti {
namespace {

namespace wire = trace::wire;
using trace::operation_kind;
using trace::time_ns;

class assembly {
 public:
  assembly(const everything_seen& seen, trace::writer& to) : seen_(seen), to_(to) {
    for (const auto& frames : seen.stacks) stacks_.push_back(to.stack_of(frames));
  }

  void all() {
    add_variables();
    for (const auto& call : seen_.calls) calls_.push_back(&call);
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const auto* a, const auto* b) { return a->begun < b->begun; });
    std::vector<const seen_host_access*> accesses;
    for (const auto& access : seen_.host_accesses) accesses.push_back(&access);
    std::stable_sort(accesses.begin(), accesses.end(),
                     [](const auto* a, const auto* b) { return a->when < b->when; });
    auto access = accesses.begin();
    const auto add_accesses_before = [&](trace::sequence when) {
      for (; access != accesses.end() && (*access)->when < when; ++access) add(**access);
    };
    for (const auto* call : calls_) {
      add_accesses_before(call->begun);
      add(*call);
    }
    add_accesses_before(std::numeric_limits<trace::sequence>::max());
    for (const auto& read : seen_.clock_reads) {
      to_.clock_reads.add(
          {read.at, read.value, read.thread, static_cast<std::uint32_t>(read.clock), stacks_[read.stack], 0});
    }
    for (const auto& pause : seen_.pauses) {
      to_.pauses.add({pause.begin, pause.end, pause.thread, static_cast<std::uint32_t>(pause.kind),
                      stacks_[pause.stack], 0});
    }
    tell_what_is_missing();
    if (!seen_.ended_because.empty()) {
      to_.findings.add({static_cast<std::uint32_t>(trace::finding_kind::budget),
                        to_.text_of(seen_.ended_because), 0, 0, stacks_[seen_.ended_at]});
    }
  }

 private:
  struct known_event {
    trace::id id = 0;
    trace::id record = 0;
  };
  struct known_memory {
    trace::id id;
    std::uint64_t bytes;
  };
  struct bytes_of_allocation {
    trace::id allocation = 0;
    std::uint64_t begin = 0, end = 0;
  };

  void add(const seen_call& call) {
    wire::call record{};
    record.begin = call.begin;
    record.end = call.end;
    record.begun = call.begun;
    record.returned = call.returned;
    record.milliseconds = call.milliseconds.value_or(std::nan(""));
    record.name = to_.text_of(call.name);
    record.stack = stacks_[call.stack];
    record.thread = call.thread;
    record.status = call.status;
    if (call.status != 0) record.error = to_.text_of(call.error);
    record.stream = call.takes_stream ? stream_of(call) : wire::no_stream;
    current_ = to_.calls.add(record);
    tell_of_bad_handles(call);
    if (call.is_captured) return note_captured(call);
    const bool worked = call.status == 0 && call.end != trace::unfinished;
    if (worked) note_what_is_not_placed(call);
    if (worked || asks(call.what) || (gives_back(call.what) && is_sticky(call.status))) act(call);
  }

  struct given_handle {
    const char* what;
    bool is_known;  ///< a call in the record has created it
    trace::id destroyed_by;
  };
  std::vector<given_handle> handles_of(const seen_call& call) const {
    std::vector<given_handle> found;
    if (call.takes_stream && call.stream > per_thread_stream_handle && call.what != action::create_stream) {
      const auto known = streams_.find(call.stream);
      const bool is_known = known != streams_.end();
      found.push_back({"a stream", is_known, is_known ? to_.streams.at(known->second).destroyed_by : 0});
    }
    for (const address event : {call.event, call.stop_event}) {
      if (event == 0 || call.what == action::create_event) continue;
      const auto known = events_.find(event);
      const bool is_known = known != events_.end() && known->second.id != 0;
      found.push_back({"an event", is_known, is_known ? to_.events.at(known->second.id).destroyed_by : 0});
    }
    return found;
  }

  /// A handle that is none any more, or never was one, whatever CUDA makes of it: it may follow it anywhere.
  /// That it never was one is certain only where CUDA says so; something unseen may have made it.
  void tell_of_bad_handles(const seen_call& call) {
    for (const auto& handle : handles_of(call)) {
      if (handle.is_known ? handle.destroyed_by == 0 : call.status != invalid_resource_handle) continue;
      const std::string became = handle.is_known
                                     ? std::string(calls_[handle.destroyed_by - 1]->name) + " had destroyed"
                                     : "was never created";
      const std::string sentence = std::string(call.name) + " was given " + handle.what + " that " + became;
      to_.findings.add({static_cast<std::uint32_t>(trace::finding_kind::destroyed_handle),
                        to_.text_of(sentence), current_, 0, to_.calls.at(current_).stack});
      return;
    }
  }
  static constexpr int invalid_resource_handle = 400;

  /// An event that is recorded in a capture means nothing outside of it until it is recorded again.
  void note_captured(const seen_call& call) {
    if (call.event == 0) return;
    auto& event = events_[call.event];
    to_.calls.at(current_).event = event.id;
    if (call.what == action::record_event) event.record = 0;
  }

  /// Calls whose failure is an answer: the object they name is the record's business all the same.
  static bool asks(action what) {
    return what == action::query_event || what == action::query_stream || what == action::elapsed_time ||
           what == action::synchronize_event || what == action::synchronize_stream ||
           what == action::synchronize_device;
  }

  /// Once a fault has ended the context, what gives something back does so and returns the fault.
  static bool gives_back(action what) {
    return what == action::destroy_event || what == action::destroy_stream || what == action::free_memory ||
           what == action::free_pinned || what == action::unregister_memory || what == action::reset_device;
  }
  static bool is_sticky(int status) { return status >= 700 && status < 800; }

  void act(const seen_call& call) {
    wire::call& record = to_.calls.at(current_);
    switch (call.what) {
      case action::other:
      case action::begin_capture:
      case action::end_capture:
        return;
      case action::launch:
        return submit(call, operation_kind::kernel, call.kernel);
      case action::copy:
        submit(call, operation_kind::copy, trace::copy_name(call.direction));
        if (last_end_ <= call.end) blocked_until(last_end_);  // else it returned before
        return;
      case action::memset:
        return submit(call, operation_kind::memset, "memset");
      case action::record_event:
        record.event = events_[call.event].id;
        submit(call, operation_kind::event_record, "event record");
        events_[call.event].record = record.operation;
        return;
      case action::wait_event:
        record.event = events_[call.event].id;
        return submit(call, operation_kind::event_wait, "event wait");
      case action::launch_host_function:
        return submit(call, operation_kind::host_function, "host function");
      case action::make_graph:
        graphs_.erase(call.graph);
        return;
      case action::launch_graph:
        submit(call, operation_kind::graph, "graph");
        graphs_[call.graph] = record.operation;
        return;
      case action::query_event:
      case action::synchronize_event:
        record.event = events_[call.event].id;
        record.operation = events_[call.event].record;
        if (call.what == action::synchronize_event && record.operation != 0) {
          blocked_until(to_.operations.at(record.operation).end);
        }
        return;
      case action::elapsed_time:
        record.event = events_[call.event].id;
        record.stop_event = events_[call.stop_event].id;
        record.start_record = events_[call.event].record;
        record.stop_record = events_[call.stop_event].record;
        return;
      case action::create_event:
        events_[call.event] = {};
        events_[call.event].id = to_.events.add({(call.flags & 2) == 0, (call.flags & 1) != 0, current_, 0});
        record.event = events_[call.event].id;
        return;
      case action::destroy_event:
        record.event = events_[call.event].id;
        if (record.event != 0) to_.events.at(record.event).destroyed_by = current_;
        return;
      case action::create_stream:
        streams_[call.stream] = to_.streams.add({call.flags & 1, current_, 0, 0});
        record.stream = streams_[call.stream];
        return;
      case action::destroy_stream:
        if (const auto known = streams_.find(call.stream); known != streams_.end()) {
          to_.streams.at(known->second).destroyed_by = current_;
        }
        return;
      case action::query_stream:
        return;
      case action::synchronize_stream:
        if (record.stream == wire::no_stream) return;  // it was given one that nothing recorded has created
        return blocked_until(end_of_stream(record.stream));
      case action::synchronize_device:
        return blocked_until(end_of_everything());
      case action::reset_device:
        blocked_until(end_of_everything());
        return destroy_everything();
      case action::allocate:
        return allocated(call, trace::memory_kind::device);
      case action::allocate_pinned:
        return allocated(call, trace::memory_kind::pinned);
      case action::allocate_managed:
        return allocated(call, trace::memory_kind::managed);
      case action::register_memory:
        return allocated(call, trace::memory_kind::registered);
      case action::allocate_in_stream:
        allocated(call, trace::memory_kind::device);
        if (record.allocation == 0) return;
        to_.allocations.at(record.allocation).in_stream_order = 1;
        return submit(call, operation_kind::allocate, "cudaMallocAsync");
      case action::free_memory:
        freed(call);
        if (end_of_everything() <= call.end) blocked_until(end_of_everything());
        return;
      case action::free_pinned:
      case action::unregister_memory:
        return freed(call);
      case action::free_in_stream:
        freed(call);
        return submit(call, operation_kind::free, "cudaFreeAsync");
    }
  }

  // --- work

  void submit(const seen_call& call, operation_kind kind, std::string_view name) {
    wire::call& record = to_.calls.at(current_);
    if (record.stream == wire::no_stream) record.stream = trace::legacy_stream;
    wire::operation work{};
    work.kind = static_cast<std::uint8_t>(kind);
    work.name = to_.text_of(name);
    work.stream = record.stream;
    work.submitted_by = current_;
    work.submitted = call.end == trace::unfinished ? call.begin : call.end;
    work.direction = static_cast<std::uint8_t>(call.direction);
    work.bytes = call.bytes;
    work.event = record.event;
    if (kind == operation_kind::event_wait) work.waits_for = events_[call.event].record;
    if (kind == operation_kind::graph) work.waits_for = graphs_[call.graph];
    device_time when = told_time(call);
    if (kind == operation_kind::host_function) run_of(call, work, when);
    if (when.end == trace::unfinished) when = earliest(call, work);
    work.begin = when.begin;
    work.end = when.end;
    work.failed = needs_time(call, kind) && when.end == trace::unfinished;
    record.operation = to_.operations.add(work);
    auto& ended = ends_[work.stream];
    ended = std::max(ended, work.end);
    last_end_ = work.end;
    add_accesses(call, kind, record);
  }

  static bool needs_time(const seen_call& call, operation_kind kind) {
    return kind == operation_kind::kernel || kind == operation_kind::copy || kind == operation_kind::memset ||
           (kind == operation_kind::graph && call.is_timed);
  }

  device_time told_time(const seen_call& call) const {
    device_time whole;
    for (const auto correlation : call.correlations) {
      const auto told = seen_.device_times.find(correlation);
      if (told == seen_.device_times.end()) continue;
      whole.begin =
          whole.begin == trace::unfinished ? told->second.begin : std::min(whole.begin, told->second.begin);
      whole.end = std::max(whole.end, told->second.end);
    }
    return whole;
  }

  void run_of(const seen_call& call, wire::operation& work, device_time& when) const {
    const auto run = seen_.host_functions.find(call.host_function);
    if (run == seen_.host_functions.end()) return;
    work.thread = run->second.thread;
    work.begun = run->second.begun;
    work.returned = run->second.returned;
    when = run->second.when;
  }

  /// What the GPU tells no time of happens, at the earliest, once it is submitted and what it has to wait for
  /// is done.
  device_time earliest(const seen_call& call, const wire::operation& work) {
    if (needs_time(call, static_cast<operation_kind>(work.kind))) {
      ++without_time_;
      return {};
    }
    time_ns when = std::max(call.begin, end_of_stream(work.stream));
    if (work.waits_for != 0) when = std::max(when, to_.operations.at(work.waits_for).end);
    return {when, when};
  }

  // --- when the host waited

  void blocked_until(time_ns end) {
    wire::call& record = to_.calls.at(current_);
    if (end > record.begin && record.end != trace::unfinished) record.blocked = record.end - record.begin;
  }

  /// The last of the work submitted so far that a wait for this stream covers.
  time_ns end_of_stream(std::uint32_t stream) {
    time_ns last = ends_[stream];
    for (const auto& [other, end] : ends_) {
      const bool covered = stream == trace::legacy_stream && !is_non_blocking(other);
      if (covered || (other == trace::legacy_stream && !is_non_blocking(stream))) last = std::max(last, end);
    }
    return last;
  }
  time_ns end_of_everything() const {
    time_ns last = trace::unfinished;
    for (const auto& [stream, end] : ends_) last = std::max(last, end);
    return last;
  }
  bool is_non_blocking(std::uint32_t stream) {
    return stream != trace::legacy_stream && to_.streams.at(stream).non_blocking != 0;
  }

  // --- objects

  std::uint32_t stream_of(const seen_call& call) {
    if (call.what == action::create_stream) return wire::no_stream;
    if (is_to_own_stream(call)) {
      auto& mine = per_thread_[call.thread];
      if (mine == 0) mine = to_.streams.add({0, 0, 0, call.thread});
      return mine;
    }
    if (is_to_legacy_stream(call)) return trace::legacy_stream;
    const auto known = streams_.find(call.stream);
    return known == streams_.end() ? wire::no_stream : known->second;
  }

  void allocated(const seen_call& call, trace::memory_kind kind) {
    if (call.memory == 0) return;
    const auto id =
        to_.allocations.add({call.bytes, static_cast<std::uint32_t>(kind), current_, 0, 0, {}, {}});
    memory_[call.memory] = {id, call.bytes};
    to_.calls.at(current_).allocation = id;
  }

  void destroy_everything() {
    for (auto& [handle, event] : events_) {
      if (event.id != 0 && to_.events.at(event.id).destroyed_by == 0) {
        to_.events.at(event.id).destroyed_by = current_;
      }
    }
    for (auto& [handle, stream] : streams_) {
      if (to_.streams.at(stream).destroyed_by == 0) to_.streams.at(stream).destroyed_by = current_;
    }
    for (auto memory = memory_.begin(); memory != memory_.end();) {
      auto& allocation = to_.allocations.at(memory->second.id);
      const bool is_variable = allocation.allocated_by == 0;
      if (!is_variable) allocation.freed_by = current_;
      memory = is_variable ? std::next(memory) : memory_.erase(memory);
    }
  }

  void add_variables() {
    for (const auto& variable : seen_.variables) {
      const auto id = to_.allocations.add({variable.bytes,
                                           static_cast<std::uint32_t>(trace::memory_kind::device),
                                           0,
                                           0,
                                           0,
                                           to_.text_of(variable.name),
                                           {}});
      memory_[variable.begin] = {id, variable.bytes};
    }
  }

  void freed(const seen_call& call) {
    const auto known = memory_.find(call.memory);
    if (known == memory_.end()) return;
    to_.calls.at(current_).allocation = known->second.id;
    to_.allocations.at(known->second.id).freed_by = current_;
    memory_.erase(known);
  }

  void add(const seen_host_access& access) {
    const auto bytes = ordinary_too(access.begin, access.end - access.begin);
    to_.host_accesses.add({access.when, bytes.begin, bytes.end, bytes.allocation, access.thread,
                           stacks_[access.stack], access.write, access.atomic, 0});
  }

  /// Of the memory that CUDA knows now; of none where it lies elsewhere.
  /// @param bytes 0: up to the end of the allocation
  bytes_of_allocation known_bytes(address begin, std::uint64_t bytes) const {
    const auto after = memory_.upper_bound(begin);
    if (after == memory_.begin()) return {};
    const auto& [start, memory] = *std::prev(after);
    const auto offset = begin - start;
    if (offset >= memory.bytes) return {};
    const auto rest = memory.bytes - offset;
    return {memory.id, offset, offset + (bytes == 0 ? rest : std::min(bytes, rest))};
  }

  /// What CUDA does not know is the program's ordinary memory: one allocation, from the lowest byte that is
  /// used.
  bytes_of_allocation ordinary_too(address begin, std::uint64_t bytes) {
    const auto known = known_bytes(begin, bytes);
    if (known.allocation != 0 || bytes == 0) return known;
    if (ordinary_ == 0) {
      lowest_ = begin;
      for (const auto& call : seen_.calls) {
        for (const auto& range : call.touches) {
          if (is_on_host(range, call)) lowest_ = std::min(lowest_, range.begin);
        }
      }
      for (const auto& access : seen_.host_accesses) lowest_ = std::min(lowest_, access.begin);
      ordinary_ =
          to_.allocations.add({0, static_cast<std::uint32_t>(trace::memory_kind::pageable), 0, 0, 0, {}, {}});
    }
    const bytes_of_allocation found{ordinary_, begin - lowest_, begin - lowest_ + bytes};
    auto& whole = to_.allocations.at(ordinary_).bytes;
    whole = std::max(whole, found.end);
    return found;
  }

  void add_accesses(const seen_call& call, operation_kind kind, const wire::call& record) {
    for (const auto& range : call.touches) {
      const bool on_host = is_on_host(range, call);
      const auto bytes =
          on_host ? ordinary_too(range.begin, range.bytes) : known_bytes(range.begin, range.bytes);
      if (bytes.allocation != 0) add_access(record.operation, bytes, range);
    }
    const bool runs_kernels = kind == operation_kind::kernel || kind == operation_kind::graph;
    if (!runs_kernels || call.is_annotated) return;
    for (const auto& variable : seen_.variables) {
      const auto bytes = known_bytes(variable.begin, variable.bytes);
      if (bytes.allocation == 0) continue;
      add_access(record.operation, bytes, {0, 0, false, true});
      if (!variable.constant) add_access(record.operation, bytes, {0, 0, true, true});
    }
  }

  void add_access(trace::id operation, const bytes_of_allocation& bytes, const byte_range& how) {
    to_.accesses.add(
        {bytes.begin, bytes.end, operation, bytes.allocation, how.write, how.atomic, how.assumed, {}});
  }

  // --- what is missing

  void note_what_is_not_placed(const seen_call& call) {
    std::string what(call.not_placed);
    if (what.empty() && call.what == action::other && told_time(call).end != trace::unfinished)
      what = "had the GPU do work that is not recorded";
    for (const auto& handle : handles_of(call)) {
      if (what.empty() && !handle.is_known)
        what = std::string("was given ") + handle.what + " that no call in the record has created";
    }
    if (!what.empty() && not_placed_++ == 0)
      first_not_placed_ = {current_, std::string(call.name) + " " + what};
  }

  /// Work of the GPU since the program's first call that none of its calls has brought.
  std::size_t pieces_without_call() const {
    std::unordered_set<std::uint32_t> of_calls;
    time_ns first = std::numeric_limits<time_ns>::max();
    for (const auto& call : seen_.calls) {
      of_calls.insert(call.correlations.begin(), call.correlations.end());
      first = std::min(first, call.begin);
    }
    return static_cast<std::size_t>(std::count_if(
        seen_.device_times.begin(), seen_.device_times.end(),
        [&](const auto& each) { return each.second.begin >= first && of_calls.count(each.first) == 0; }));
  }

  void tell_what_is_missing() {
    // What was under way when a fault came has no end.
    const bool faulted = std::any_of(seen_.calls.begin(), seen_.calls.end(),
                                     [](const seen_call& call) { return is_sticky(call.status); });
    const auto tell = [&](trace::finding_kind kind, const std::string& sentence, trace::id call = 0) {
      const auto stack = call == 0 ? wire::stack{} : to_.calls.at(call).stack;
      to_.findings.add({static_cast<std::uint32_t>(kind), to_.text_of(sentence), call, 0, stack});
    };
    if (!seen_.order_not_kept.empty()) tell(trace::finding_kind::order_not_kept, seen_.order_not_kept);
    const auto incomplete = trace::finding_kind::incomplete_record;
    if (!seen_.trouble.empty()) return tell(trace::finding_kind::not_recorded, seen_.trouble);
    if (seen_.lost_records > 0) {
      return tell(incomplete,
                  "CUPTI lost " + std::to_string(seen_.lost_records) + " records of what the GPU did");
    }
    if (not_placed_ > 0) {
      const auto& [call, sentence] = first_not_placed_;
      const std::string more =
          not_placed_ == 1 ? "" : ", the first of " + std::to_string(not_placed_) + " such calls";
      return tell(incomplete, sentence + more, call);
    }
    if (!seen_.managed_variable.empty() && !seen_.calls.empty()) {
      return tell(incomplete,
                  "the variable " + seen_.managed_variable +
                      " is __managed__, and what the host does with it is not recorded; with memory of "
                      "cudaMallocManaged it is");
    }
    if (seen_.gpus.size() > 1) {
      return tell(incomplete, "the program uses " + std::to_string(seen_.gpus.size()) +
                                  " GPUs, and a record tells of one");
    }
    if (faulted) return;
    if (const auto pieces = pieces_without_call(); pieces > 0) {
      return tell(incomplete, "the GPU did " + std::to_string(pieces) + (pieces == 1 ? " piece" : " pieces") +
                                  " of work that no call of the runtime API (cuda...) asked for: what is "
                                  "asked for by the driver API (cu...) is not recorded");
    }
    if (without_time_ > 0) {
      tell(incomplete, "CUPTI told no times of " + std::to_string(without_time_) +
                           " of the kernels, copies, sets and graphs");
    }
  }

  const everything_seen& seen_;
  trace::writer& to_;
  std::vector<wire::stack> stacks_;
  trace::id current_ = 0;
  std::vector<const seen_call*> calls_;  // as they began: the first is number 1 in the record
  std::map<address, known_event> events_;
  std::map<address, trace::id> streams_;
  std::map<int, trace::id> per_thread_;
  std::map<address, trace::id> graphs_;  ///< the last launch of each
  std::map<address, known_memory> memory_;
  trace::id ordinary_ = 0;
  address lowest_ = 0;                     ///< of what the program uses
  std::map<std::uint32_t, time_ns> ends_;  ///< of the last work in each stream
  time_ns last_end_ = trace::unfinished;
  int without_time_ = 0;
  int not_placed_ = 0;  ///< calls
  std::pair<trace::id, std::string> first_not_placed_;
};

}  // namespace

void assemble(const everything_seen& seen, trace::writer& to) {
  assembly(seen, to).all();
}

}  // namespace lab::cupti

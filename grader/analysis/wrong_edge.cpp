#include <algorithm>
#include <unordered_map>

#include "hazards.hpp"

namespace lab::analysis {
namespace {

using trace::operation_kind;

/// Looks for the edge that the program means to have between two uses of the same bytes.
class edge_search {
 public:
  edge_search(const recording& of, const order& promised, const hazard& found)
      : run_(of.run()),
        of_(of),
        promised_(promised),
        hazard_(found),
        first_(found.first),
        second_(found.second) {
    if (first_.operation == 0) return;
    for (const auto& each : run_.operations) {
      if (each.kind != operation_kind::event_record || !covers(each)) continue;
      right_record_.try_emplace(each.event, &each);
      if (nearest_ == nullptr && each.stream == first_.stream) nearest_ = &each;
      const bool between = each.stream == first_.stream && each.id < second_.operation;
      if (between && record_between_ == nullptr) record_between_ = &each;
    }
  }

  wrong_edge result() {
    const bool only_frees = second_.kind == order::step_kind::release && waits_between() == nullptr;
    if (hazard_.level == hazard_level::relies_on_luck && !only_frees) return implicit_wait();
    if (comes_after_free()) return {edge_fault::freed_before, 0, 0};
    if (flag_between()) return {edge_fault::flag_says_nothing, 0, 0};
    if (first_.operation == 0 && is_kernel(second_) && second_.when < first_.when) {
      return {edge_fault::runs_meanwhile, 0, 0};
    }
    if (first_.operation == 0 || uses_one_stream_of_two_threads()) return threads();
    return second_is_work() ? before_work() : before_host();
  }

 private:
  /// Whether the second has its place in a stream; what a host function does has its function's.
  bool second_is_work() const { return second_.operation != 0; }

  bool comes_after_free() const {
    if (first_.kind != order::step_kind::work || operation(first_.operation).kind != operation_kind::free)
      return false;
    return first_.thread == second_.thread ||
           (second_is_work() && promised_.before(first_.operation, second_.operation));
  }

  const trace::operation& operation(trace::id id) const { return run_.operations[id - 1]; }
  const trace::host_call& call(trace::id id) const { return of_.call_with_id(id).raw(); }

  /// Whether whoever waits for the record waits for the first too.
  bool covers(const trace::operation& record) const {
    return record.id == first_.operation || promised_.before(first_.operation, record.id);
  }

  /// Whether one is a kernel, the other the host, and both read or set the same flag.
  bool flag_between() const {
    const bool first_is_kernel = is_kernel(first_);
    const participant& host = first_is_kernel ? second_ : first_;
    if (host.operation != 0 || host.kind != order::step_kind::host_access) return false;
    if (!first_is_kernel && !is_kernel(second_)) return false;
    const trace::operation& kernel = operation(first_is_kernel ? first_.operation : second_.operation);
    std::vector<trace::access_range> flags;
    const auto note = [&](const trace::access_range& range) {
      if (range.atomic) flags.push_back(range);
    };
    for (const auto& range : kernel.accesses) note(range);
    for (const auto& each : run_.host_accesses) {
      if (kernel.begun != 0 && each.thread == kernel.thread) note(each.bytes);
    }
    return std::any_of(run_.host_accesses.begin(), run_.host_accesses.end(), [&](const auto& each) {
      const bool later =
          each.thread == host.thread && each.bytes.atomic && each.when > call(kernel.submitted_by).begun;
      return later && std::any_of(flags.begin(), flags.end(),
                                  [&](const auto& flag) { return overlap(flag, each.bytes); });
    });
  }

  bool is_kernel(const participant& side) const {
    return side.operation != 0 && operation(side.operation).kind == operation_kind::kernel;
  }

  static bool overlap(const trace::access_range& a, const trace::access_range& b) {
    return a.allocation == b.allocation && a.begin < b.end && b.begin < a.end;
  }

  wrong_edge threads() const { return {edge_fault::threads_unordered, 0, 0}; }

  bool uses_one_stream_of_two_threads() const {
    return second_is_work() && first_.thread != second_.thread && first_.stream == second_.stream;
  }

  // --- the second is work, and waits for events

  wrong_edge before_work() {
    const auto host = host_between(looking_for::any);
    if (host && host->fault == edge_fault::not_ready) return *host;
    if (const auto found = wrong_wait_before(looking_for::nearest_since_first)) return *found;
    const auto early = wrong_wait_before(looking_for::nearest);
    const auto misplaced = wrong_place_of_wait(looking_for::nearest);
    if (early && (!misplaced || work_between_second(*early) <= work_between_second(*misplaced)))
      return *early;
    if (misplaced) return *misplaced;
    if (const auto found = wrong_wait_before(looking_for::any)) return *found;
    if (nearest_ == nullptr) {
      if (const auto found = wrong_place_of_wait(looking_for::any)) return *found;
    }
    const bool for_others = host && (host->fault == edge_fault::other_work_waited_for ||
                                     host->fault == edge_fault::recorded_in_other_stream);
    if (host && !for_others) return *host;
    if (non_blocking_beside_legacy()) return {edge_fault::non_blocking_stream, 0, 0};
    const auto idle = idle_wait_before();
    if (record_between_ != nullptr) {
      if (!idle) return {edge_fault::not_waited_for, 0, record_between_->submitted_by};
      return {edge_fault::waited_for_another_event, idle->call, record_between_->submitted_by};
    }
    if (idle) return *idle;
    return host.value_or(wrong_edge{});
  }

  /// Events are used again and again. The one recorded right behind the first is probably meant; others tell
  /// of the first too, once their streams have waited for it.
  enum class looking_for { nearest_since_first, nearest, any };

  /// How much work is in the second's stream between the wait and the second; the wait that is next to it is
  /// meant for it. Most where the wait is in another stream.
  std::ptrdiff_t work_between_second(const wrong_edge& edge) const {
    const auto in_stream = [&](const trace::operation& each) { return each.stream == second_.stream; };
    for (const trace::operation& wait : run_.operations) {
      if (wait.submitted_by != edge.call || !in_stream(wait)) continue;
      const auto [from, to] = std::minmax(wait.id, second_.operation);
      return std::count_if(run_.operations.begin() + from, run_.operations.begin() + to, in_stream);
    }
    return static_cast<std::ptrdiff_t>(run_.operations.size());
  }

  /// A wait in the right place, for something else.
  std::optional<wrong_edge> wrong_wait_before(looking_for what) const {
    return last_wait_before([&](const trace::operation& wait) {
      return fault_of_binding(what, wait.event, wait.waits_for, wait.submitted_by);
    });
  }

  /// A wait right in front of the second for what that has no need of: it may be meant for the first.
  std::optional<wrong_edge> idle_wait_before() {
    return last_wait_before([&](const trace::operation& wait) -> std::optional<wrong_edge> {
      if (wait.id < first_.operation || work_in(*second_.stream, wait.id, second_.operation)) return {};
      if (wait.waits_for == 0) {
        return wrong_edge{edge_fault::waited_too_early, wait.submitted_by,
                          first_record_of(wait.event)->submitted_by};
      }
      const trace::operation& record = operation(wait.waits_for);
      const bool older = record.id < first_.operation && record.stream != second_.stream;
      if (older || covers(record) || is_needed(record)) return {};
      return wrong_edge{edge_fault::recorded_in_other_stream, wait.submitted_by, record.submitted_by};
    });
  }

  /// Whether the stream has work, records and waits aside, between the two operations.
  bool work_in(trace::id stream, trace::id after, trace::id before) const {
    return std::any_of(run_.operations.begin() + after, run_.operations.begin() + before - 1,
                       [&](const trace::operation& each) {
                         return each.stream == stream && each.kind != operation_kind::event_record &&
                                each.kind != operation_kind::event_wait;
                       });
  }

  /// The first answer to the waits of the second's stream, from the second back.
  template <class Ask>
  std::optional<wrong_edge> last_wait_before(Ask ask) const {
    for (trace::id id = second_.operation - 1; id > 0; --id) {
      const trace::operation& wait = operation(id);
      if (wait.kind != operation_kind::event_wait || wait.stream != second_.stream) continue;
      if (const auto found = ask(wait)) return found;
    }
    return {};
  }

  /// Whether work before the record, in its stream, and the second use the same bytes.
  bool is_needed(const trace::operation& record) {
    if (record.stream == second_.stream) return false;
    if (first_use_in_stream_.empty()) {
      first_use_in_stream_.emplace(*second_.stream, second_.operation);
      for (trace::id id = 1; id < second_.operation; ++id) {
        if (conflict(operation(id), operation(second_.operation))) {
          first_use_in_stream_.try_emplace(operation(id).stream, id);
        }
      }
    }
    const auto use = first_use_in_stream_.find(record.stream);
    return use != first_use_in_stream_.end() && use->second < record.id;
  }

  static bool conflict(const trace::operation& a, const trace::operation& b) {
    for (const auto& one : a.accesses) {
      for (const auto& other : b.accesses) {
        if (overlap(one, other) && (one.write || other.write)) return true;
      }
    }
    return false;
  }

  /// Why a call that waited for `record` of `event` did not wait for the first. Nothing where it has nothing
  /// to do with it.
  std::optional<wrong_edge> fault_of_binding(looking_for what, trace::id event, trace::id record,
                                             trace::id waiting) const {
    const auto made_before = [&](trace::id one, trace::id other) {
      return call(one).begun < call(other).begun;
    };
    const bool nearest = nearest_ != nullptr && nearest_->event == event;
    const auto covering = right_record_.find(event);
    const bool in_time = covering != right_record_.end() &&
                         (nearest || call(covering->second->submitted_by).begun < second_.when);
    const trace::operation* right = in_time ? covering->second : nullptr;
    if (what == looking_for::nearest && !nearest) return {};
    if (what == looking_for::nearest_since_first) {
      if (made_before(waiting, first_.call)) return {};
      // Another event, which is not recorded again in time: its record is probably in the wrong place.
      if (!nearest && (record == 0 || right != nullptr)) return {};
    }
    if (record == 0) {
      if (right != nullptr) return wrong_edge{edge_fault::waited_too_early, waiting, right->submitted_by};
      if (first_record_of(event) == nullptr) return wrong_edge{edge_fault::never_recorded, waiting, 0};
      return {};
    }
    const trace::operation& bound = operation(record);
    if (covers(bound)) {
      const bool two_threads = call(waiting).thread != call(bound.submitted_by).thread;
      if (two_threads) return threads();
      return {};
    }
    if (right != nullptr && right->id < record) {
      return wrong_edge{edge_fault::recorded_again, waiting, bound.submitted_by};
    }
    const bool in_front = bound.stream == first_.stream && record < first_.operation;
    const bool next_is_behind_both = right != nullptr && call(right->submitted_by).begun > second_.when;
    if (in_front && next_is_behind_both && made_before(first_.call, waiting)) {
      return wrong_edge{edge_fault::recorded_too_early, waiting, bound.submitted_by};
    }
    const bool meant_for_first = bound.stream == first_.stream || record < first_.operation;
    if (right != nullptr && meant_for_first && made_before(waiting, right->submitted_by)) {
      return wrong_edge{edge_fault::bound_to_older_round, waiting, right->submitted_by};
    }
    if (in_front) return wrong_edge{edge_fault::recorded_too_early, waiting, bound.submitted_by};
    return {};
  }

  const trace::operation* first_record_of(trace::id event) const {
    const auto found = std::find_if(run_.operations.begin(), run_.operations.end(), [&](const auto& each) {
      return each.kind == operation_kind::event_record && each.event == event;
    });
    return found == run_.operations.end() ? nullptr : &*found;
  }

  /// A wait for the right record, in the wrong place.
  std::optional<wrong_edge> wrong_place_of_wait(looking_for what) const {
    std::optional<wrong_edge> elsewhere;
    for (const auto& wait : run_.operations) {
      if (wait.kind != operation_kind::event_wait || !is_covering(wait.waits_for)) continue;
      if (what == looking_for::nearest && (nearest_ == nullptr || wait.waits_for != nearest_->id)) continue;
      if (wait.stream == second_.stream && wait.id > second_.operation) {
        return wrong_edge{edge_fault::waited_too_late, wait.submitted_by, 0};
      }
      const bool own = wait.stream == first_.stream && operation(wait.waits_for).stream != first_.stream;
      if (wait.stream != second_.stream && !own && wait.id < second_.operation && !elsewhere) {
        elsewhere = wrong_edge{edge_fault::wait_in_other_stream, wait.submitted_by, 0};
      }
    }
    return elsewhere;
  }

  bool is_covering(trace::id record) const { return record != 0 && covers(operation(record)); }

  bool non_blocking(trace::id stream) const {
    return stream != trace::legacy_stream && stream <= run_.streams.size() &&
           run_.streams[stream - 1].non_blocking;
  }

  bool non_blocking_beside_legacy() const {
    const trace::id a = *first_.stream, b = *second_.stream;
    return (a == trace::legacy_stream && non_blocking(b)) || (b == trace::legacy_stream && non_blocking(a));
  }

  // --- the host waits, or should

  wrong_edge before_host() const {
    if (const auto found = host_between(looking_for::nearest_since_first)) return *found;
    for (const auto& each : run_.calls) {
      const bool nearest = nearest_ != nullptr && each.event != 0 && each.operation == nearest_->id;
      const bool late = each.thread == second_.thread && each.begun > second_.when && each.status == 0;
      if (nearest && late && tells_of_first(each)) return {edge_fault::waited_too_late, each.id, 0};
    }
    if (const auto found = host_between(looking_for::any)) return *found;
    if (const auto found = taken_for_a_wait()) return *found;
    const trace::host_call& submitted = call(first_.call);
    const bool other_host = first_.thread != second_.thread;
    for (const auto& each : run_.calls) {
      const bool told = each.status == 0 && each.begun > submitted.begun && tells_of_first(each);
      if (!told) continue;
      if (each.thread == second_.thread) {
        // A wait in between would do, had the first been sure to be submitted by then.
        if (each.begun < second_.when) return threads();
        return {edge_fault::waited_too_late, each.id, 0};
      }
      if (each.begun < second_.when) return {edge_fault::other_thread_waited, each.id, 0};
    }
    if (other_host && second_.when < submitted.begun) return threads();
    const bool looks_blocking =
        submitted.name.compare(0, 10, "cudaMemcpy") == 0 || submitted.name.compare(0, 10, "cudaMemset") == 0;
    if (looks_blocking && submitted.name.find("Async") == std::string::npos) {
      return {edge_fault::returns_early, submitted.id, 0};
    }
    return {edge_fault::no_host_wait, 0, 0};
  }

  /// What lies between the two and holds back a stream that has no need of it, or nothing at all.
  std::optional<wrong_edge> taken_for_a_wait() const {
    const auto between = [&](trace::id id) {
      return id != 0 && call(id).thread == second_.thread && call(id).begun < second_.when;
    };
    const auto submitted =
        std::count_if(run_.operations.begin(), run_.operations.end(),
                      [&](const auto& each) { return call(each.submitted_by).begun < second_.when; });
    for (const auto& each : run_.operations) {
      const bool waits = each.kind == operation_kind::event_wait && is_covering(each.waits_for);
      if (!waits || !between(each.submitted_by)) continue;
      const bool needed = each.stream != first_.stream &&
                          work_in(each.stream, each.id, static_cast<trace::id>(submitted) + 1);
      if (!needed) return wrong_edge{edge_fault::only_streams_wait, each.submitted_by, 0};
    }
    if (*first_.stream == trace::legacy_stream) return {};
    const trace::id destroyed = run_.streams[*first_.stream - 1].destroyed_by;
    if (between(destroyed)) return wrong_edge{edge_fault::stream_destroyed, destroyed, 0};
    return {};
  }

  /// What the second's thread asked or waited for between the two, the last such call first.
  std::optional<wrong_edge> host_between(looking_for what) const {
    std::optional<wrong_edge> other_work;
    for (std::size_t i = run_.calls.size(); i-- > 0;) {
      const trace::host_call& each = run_.calls[i];
      if (each.thread != second_.thread || each.begun < call(first_.call).begun || each.begun >= second_.when)
        continue;
      const bool of_event = each.name == "cudaEventSynchronize" || each.name == "cudaEventQuery";
      const bool of_stream = each.name == "cudaStreamSynchronize" || each.name == "cudaStreamQuery";
      if (!of_event && !of_stream) continue;
      const bool asks = each.name == "cudaEventQuery" || each.name == "cudaStreamQuery";
      if (asks && each.status != 0) {
        if (tells_of_first(each)) return wrong_edge{edge_fault::not_ready, each.id, 0};
        continue;
      }
      if (each.status != 0) continue;
      if (of_event) {
        const auto found = fault_of_binding(what, each.event, each.operation, each.id);
        if (found) return found;
      }
      const bool something = of_stream || each.operation != 0;
      if (what != looking_for::any || !something || tells_of_first(each) || other_work) continue;
      other_work = of_stream ? wrong_edge{edge_fault::other_work_waited_for, each.id, 0}
                             : wrong_edge{edge_fault::recorded_in_other_stream, each.id,
                                          operation(each.operation).submitted_by};
    }
    return other_work;
  }

  /// Whether success of the call means that the first is done.
  bool tells_of_first(const trace::host_call& asked) const {
    if (asked.name == "cudaDeviceSynchronize") return true;
    if (asked.name == "cudaEventSynchronize" || asked.name == "cudaEventQuery") {
      return asked.operation != 0 && covers(operation(asked.operation));
    }
    if (asked.name == "cudaEventElapsedTime") {
      return asked.stop_record != 0 && covers(operation(asked.stop_record));
    }
    if (asked.name != "cudaStreamSynchronize" && asked.name != "cudaStreamQuery") return false;
    if (!asked.stream) return false;
    return asked.stream == first_.stream ||
           (asked.stream == trace::legacy_stream && !non_blocking(*first_.stream));
  }

  // --- luck

  wrong_edge implicit_wait() const {
    // The copy itself, of ordinary memory, else the last call in between that happens to wait.
    for (const participant* side : {&first_, &second_}) {
      if (side->kind == order::step_kind::work && operation(side->operation).kind == operation_kind::copy) {
        const trace::operation& copy = operation(side->operation);
        const bool write = copy.direction == trace::copy_direction::device_to_host;
        const bool host_side = copy.direction != trace::copy_direction::device_to_device;
        if (host_side && is_pageable(run_, copy, write) && !waits_between()) {
          return {edge_fault::implicit_wait, side->call, 0};
        }
      }
    }
    return {edge_fault::implicit_wait, waits_between() ? waits_between()->id : 0, 0};
  }

  const trace::host_call* waits_between() const {
    const trace::host_call* last = nullptr;
    for (const auto& each : run_.calls) {
      const bool between = each.begun > first_.when && each.begun < second_.when;
      if (between && may_wait_for_device(run_, each)) last = &each;
    }
    return last;
  }

  const trace::run& run_;
  const recording& of_;
  const order& promised_;
  const hazard& hazard_;
  const participant& first_;
  const participant& second_;
  std::unordered_map<trace::id, const trace::operation*> right_record_;  // by event, the first that would do
  const trace::operation* nearest_ = nullptr;         // the first behind the first, in its own stream
  const trace::operation* record_between_ = nullptr;  // one in the first's stream, before the second
  std::unordered_map<trace::id, trace::id> first_use_in_stream_;  // of bytes that the second uses
};

}  // namespace

wrong_edge nearest_wrong_edge(const recording& of, const order& promised, const hazard& found) {
  return edge_search(of, promised, found).result();
}

}  // namespace lab::analysis

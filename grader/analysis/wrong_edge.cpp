#include <algorithm>

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
      covering_.push_back(&each);
      if (nearest_ == nullptr && each.stream == first_.stream) nearest_ = &each;
    }
  }

  wrong_edge result() const {
    if (hazard_.level == hazard_level::relies_on_luck) return implicit_wait();
    if (first_.operation == 0 || uses_one_stream_of_two_threads()) return threads();
    return second_is_work() ? before_work() : before_host();
  }

 private:
  bool second_is_work() const { return second_.kind == order::step_kind::work; }

  const trace::operation& operation(trace::id id) const { return run_.operations[id - 1]; }
  const trace::host_call& call(trace::id id) const { return of_.call_with_id(id).raw(); }
  const trace::operation& first() const { return operation(first_.operation); }

  /// Whether whoever waits for the record waits for the first too.
  bool covers(const trace::operation& record) const {
    return record.id == first_.operation || promised_.before(first_.operation, record.id);
  }

  wrong_edge threads() const { return {edge_fault::threads_unordered, 0, 0}; }

  bool uses_one_stream_of_two_threads() const {
    return second_is_work() && first_.thread != second_.thread && first_.stream == second_.stream;
  }

  // --- the second is work, and waits for events

  wrong_edge before_work() const {
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
    if (host && host->fault != edge_fault::other_work_waited_for) return *host;
    if (non_blocking_beside_legacy()) return {edge_fault::non_blocking_stream, 0, 0};
    if (nearest_ != nullptr) return {edge_fault::not_waited_for, 0, nearest_->submitted_by};
    if (host && call(host->call).event == 0) return *host;  // a wait for another event has its own reason
    return {};
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
    for (trace::id id = second_.operation - 1; id > 0; --id) {
      const trace::operation& wait = operation(id);
      if (wait.kind != operation_kind::event_wait || wait.stream != second_.stream) continue;
      if (const auto found = fault_of_binding(what, wait.event, wait.waits_for, wait.submitted_by))
        return found;
    }
    return {};
  }

  /// Why a call that waited for `record` of `event` did not wait for the first. Nothing where it has nothing
  /// to do with it.
  std::optional<wrong_edge> fault_of_binding(looking_for what, trace::id event, trace::id record,
                                             trace::id waiting) const {
    const auto made_before = [&](trace::id one, trace::id other) {
      return call(one).begun < call(other).begun;
    };
    const bool nearest = nearest_ != nullptr && nearest_->event == event;
    const trace::operation* right = nullptr;  // the record of this event that would do
    for (const trace::operation* each : covering_) {
      const bool in_time = nearest || call(each->submitted_by).begun < second_.when;
      if (each->event == event && right == nullptr && in_time) right = each;
    }
    if (what == looking_for::nearest && !nearest) return {};
    if (what == looking_for::nearest_since_first) {
      if (made_before(waiting, first_.call)) return {};
      // Another event, which is not recorded again in time: its record is probably in the wrong place.
      if (!nearest && (record == 0 || right != nullptr)) return {};
    }
    if (record == 0) {
      if (right != nullptr) return wrong_edge{edge_fault::waited_too_early, waiting, right->submitted_by};
      if (!ever_recorded(event)) return wrong_edge{edge_fault::never_recorded, waiting, 0};
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
    if (right != nullptr && made_before(waiting, right->submitted_by)) {
      return wrong_edge{edge_fault::bound_to_older_round, waiting, right->submitted_by};
    }
    if (in_front) return wrong_edge{edge_fault::recorded_too_early, waiting, bound.submitted_by};
    return {};
  }

  bool ever_recorded(trace::id event) const {
    return std::any_of(run_.operations.begin(), run_.operations.end(), [&](const auto& each) {
      return each.kind == operation_kind::event_record && each.event == event;
    });
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
      if (wait.stream != second_.stream && wait.stream != first_.stream && !elsewhere) {
        elsewhere = wrong_edge{edge_fault::wait_in_other_stream, wait.submitted_by, 0};
      }
    }
    return elsewhere;
  }

  bool is_covering(trace::id record) const {
    return std::any_of(covering_.begin(), covering_.end(),
                       [&](const trace::operation* each) { return each->id == record; });
  }

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
    const trace::host_call& submitted = call(first_.call);
    for (const auto& each : run_.calls) {
      const bool nearest = nearest_ != nullptr && each.event != 0 && each.operation == nearest_->id;
      const bool late = each.thread == second_.thread && each.begun > second_.when && each.status == 0;
      if (nearest && late && tells_of_first(each)) return {edge_fault::waited_too_late, each.id, 0};
    }
    if (const auto found = host_between(looking_for::any)) return *found;
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
    for (const auto& each : run_.operations) {
      if (each.kind == operation_kind::event_wait && is_covering(each.waits_for)) {
        return {edge_fault::only_streams_wait, each.submitted_by, 0};
      }
    }
    const bool looks_blocking =
        submitted.name.compare(0, 10, "cudaMemcpy") == 0 || submitted.name.compare(0, 10, "cudaMemset") == 0;
    if (looks_blocking && submitted.name.find("Async") == std::string::npos) {
      return {edge_fault::returns_early, submitted.id, 0};
    }
    return {edge_fault::no_host_wait, 0, 0};
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
      if (what == looking_for::any && something && !tells_of_first(each) && !other_work) {
        other_work = wrong_edge{edge_fault::other_work_waited_for, each.id, 0};
      }
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
      if (between && may_wait_for_device(each.name)) last = &each;
    }
    return last;
  }

  const trace::run& run_;
  const recording& of_;
  const order& promised_;
  const hazard& hazard_;
  const participant& first_;
  const participant& second_;
  std::vector<const trace::operation*> covering_;  // records that are behind the first, the earliest first
  const trace::operation* nearest_ = nullptr;      // the first of them in the first's own stream
};

}  // namespace

wrong_edge nearest_wrong_edge(const recording& of, const order& promised, const hazard& found) {
  return edge_search(of, promised, found).result();
}

}  // namespace lab::analysis

#include <algorithm>
#include <unordered_map>

#include "hazards.hpp"

namespace lab::analysis {
namespace {

using trace::operation_kind;

/// How near something comes to the edge that is missing, the nearest first. Of what is as near, that counts
/// which stands next to the second.
enum class nearness {
  for_the_first,  ///< the second's own stream or thread waits for the first, or asks, and still is not held
                  ///< back
  in_place,       ///< it waits between the two, for what is probably meant to be the first
  nearest_event,  ///< it waits earlier or later, for the event that is recorded right behind the first
  nearest_event_elsewhere,  ///< another stream waits for that
  older_event,              ///< it waits for an event that was recorded behind the first as well
  wrong_place,              ///< something waits for the first, or looks as if it did
  for_nothing,              ///< it waits between the two for what there is no need to wait for
  host_instead,             ///< the host does, where the stream should
  streams,                  ///< the kind of the streams is in question
  record,                   ///< there is an event that nothing waits for
  host_for_others,          ///< the host waits, where the stream should, for something else
  another_thread,           ///< another host thread has waited
  later,                    ///< the host waits behind the second
  nothing,
};

/// A call that makes a stream or its thread wait for work, or asks whether work is done.
struct wait {
  const trace::host_call* call = nullptr;
  const trace::operation* work = nullptr;  // of the stream that waits; none: the thread itself waits, or asks
  trace::id event = 0, record = 0;         // the record that it waits for
  bool for_first = false;                  // whether the first is done when it is over

  bool by_host() const { return work == nullptr; }
};

/// Looks for the edge that the program means to have between two uses of the same bytes: of all waits, and of
/// what else looks like one, what comes nearest to it.
class edge_search {
 public:
  edge_search(const recording& of, const order& promised, const hazard& found)
      : run_(of.run()),
        of_(of),
        promised_(promised),
        hazard_(found),
        first_(found.first),
        second_(found.second) {}

  wrong_edge result() {
    const bool only_frees = second_.kind == order::step_kind::release && waits_between() == nullptr;
    if (hazard_.level == hazard_level::relies_on_luck && !only_frees) return implicit_wait();
    if (comes_after_free()) return {edge_fault::freed_before, 0, 0};
    if (const auto fault = fault_of_flag()) return {*fault, 0, 0};
    if (only_threads()) return {edge_fault::threads_unordered, 0, 0};
    find_records();
    for (const wait& each : waits()) consider(each);
    second_is_work() ? consider_streams() : consider_host();
    return best_;
  }

 private:
  /// Whether the second has its place in a stream; what a host function does has its function's.
  bool second_is_work() const { return second_.operation != 0; }

  const trace::operation& operation(trace::id id) const { return run_.operations[id - 1]; }
  const trace::host_call& call(trace::id id) const { return of_.call_with_id(id).raw(); }
  trace::sequence made(const trace::operation& work) const { return call(work.submitted_by).begun; }

  bool is_kernel(const participant& side) const {
    return side.operation != 0 && operation(side.operation).kind == operation_kind::kernel;
  }

  static bool overlap(const trace::access_range& a, const trace::access_range& b) {
    return a.allocation == b.allocation && a.begin < b.end && b.begin < a.end;
  }

  // --- where no wait is in question

  bool comes_after_free() const {
    if (first_.kind != order::step_kind::work || operation(first_.operation).kind != operation_kind::free)
      return false;
    return first_.thread == second_.thread ||
           (second_is_work() && promised_.before(first_.operation, second_.operation));
  }

  /// Where one is a kernel, the other the host, and they use the same bytes as a flag, or only the host does.
  std::optional<edge_fault> fault_of_flag() const {
    const bool kernel_first = is_kernel(first_);
    const participant &kernel = kernel_first ? first_ : second_, &host = kernel_first ? second_ : first_;
    if (!is_kernel(kernel) || host.operation != 0 || host.kind != order::step_kind::host_access) return {};
    const trace::operation& its = operation(kernel.operation);
    const bool talks = its.begun != 0;
    std::vector<trace::access_range> uses = its.accesses;
    for (const auto& each : run_.host_accesses) {
      if (talks && each.thread == its.thread) uses.push_back(each.bytes);
    }
    bool only_the_host = false;
    for (const auto& each : run_.host_accesses) {
      if (each.thread != host.thread || !each.bytes.atomic || each.when < kernel.when) continue;
      for (const auto& use : uses) {
        if (!overlap(use, each.bytes)) continue;
        if (use.atomic) return edge_fault::flag_says_nothing;
        only_the_host = only_the_host || (talks && each.when <= host.when);
      }
    }
    if (only_the_host) return edge_fault::runs_meanwhile;
    return {};
  }

  bool only_threads() const {
    if (first_.operation == 0) return true;
    return second_is_work() && first_.thread != second_.thread && first_.stream == second_.stream;
  }

  // --- records and waits

  void find_records() {
    for (const auto& each : run_.operations) {
      if (each.kind != operation_kind::event_record) continue;
      first_record_.try_emplace(each.event, &each);
      if (!covers(each.id)) continue;
      right_record_.try_emplace(each.event, &each);
      if (nearest_ == nullptr && each.stream == first_.stream) nearest_ = &each;
    }
  }

  /// Whether whoever waits for the record waits for the first too.
  bool covers(trace::id record) const {
    return record != 0 && (record == first_.operation || promised_.before(first_.operation, record));
  }

  std::vector<wait> waits() const {
    std::vector<wait> found;
    for (const auto& each : run_.operations) {
      if (each.kind != operation_kind::event_wait) continue;
      found.push_back({&call(each.submitted_by), &each, each.event, each.waits_for, covers(each.waits_for)});
    }
    for (const auto& each : run_.calls) {
      const std::string& name = each.name;
      if (name == "cudaDeviceSynchronize") found.push_back({&each, nullptr, 0, 0, true});
      if (name == "cudaEventSynchronize" || name == "cudaEventQuery")
        found.push_back({&each, nullptr, each.event, each.operation, covers(each.operation)});
      if (name == "cudaEventElapsedTime" && covers(each.stop_record))
        found.push_back({&each, nullptr, each.stop_event, each.stop_record, true});
      if (name == "cudaStreamSynchronize" || name == "cudaStreamQuery") {
        const bool legacy = each.stream == trace::legacy_stream && !non_blocking(*first_.stream);
        found.push_back({&each, nullptr, 0, 0, each.stream == first_.stream || legacy});
      }
    }
    return found;
  }

  bool non_blocking(trace::id stream) const {
    return stream != trace::legacy_stream && stream <= run_.streams.size() &&
           run_.streams[stream - 1].non_blocking;
  }

  /// Events are used again and again. The one recorded right behind the first is probably meant; others tell
  /// of the first too, once their streams have waited for it.
  bool is_nearest_event(const wait& each) const {
    return nearest_ != nullptr && nearest_->event == each.event;
  }
  bool is_nearest_record(const wait& each) const {
    return nearest_ != nullptr && nearest_->id == each.record;
  }

  // --- which comes nearest

  void add(nearness how, const wrong_edge& edge) {
    const trace::sequence at = edge.call == 0 ? second_.when : call(edge.call).begun;
    const std::pair near(how, at < second_.when ? second_.when - at : at - second_.when);
    if (near >= best_nearness_) return;
    best_nearness_ = near;
    best_ = edge;
  }

  void consider(const wait& each) {
    const trace::sequence when = each.call->begun;
    const bool in_time = when < second_.when;
    const bool of_second = each.by_host() ? each.call->thread == second_.thread
                                          : second_is_work() && each.work->stream == second_.stream;
    if (each.by_host() && when < first_.when) return;
    if (each.by_host() && each.call->status != 0) {  // it failed, or answered that the work is not done
      const bool answered = each.call->error == "cudaErrorNotReady";
      if (of_second && in_time && each.for_first)
        add(nearness::for_the_first,
            {answered ? edge_fault::not_ready : edge_fault::wait_failed, each.call->id, 0});
    } else if (of_second && in_time) {
      consider_in_time(each);
    } else if (of_second && each.for_first) {
      consider_late(each);
    } else if (in_time && each.for_first) {
      consider_elsewhere(each);
    }
  }

  /// A wait that would order the two, were it for the first.
  void consider_in_time(const wait& each) {
    const bool since_first = each.call->begun > first_.when, instead = each.by_host() && second_is_work();
    if (each.for_first) {  // it does not order them because the first may be submitted after it
      add(nearness::for_the_first, {edge_fault::threads_unordered, 0, 0});
    } else if (const auto fault = fault_of_binding(each)) {
      const bool meant = is_nearest_event(each) || (each.record != 0 && right_record(each) == nullptr);
      add(instead                  ? nearness::host_instead
          : since_first && meant   ? nearness::in_place
          : is_nearest_event(each) ? nearness::nearest_event
                                   : nearness::older_event,
          *fault);
    } else if (since_first && is_idle(each)) {
      add(instead ? nearness::host_for_others : nearness::for_nothing, idle_wait(each));
    }
  }

  /// A wait for the first that would order the two, were it called before.
  void consider_late(const wait& each) {
    const wrong_edge late{edge_fault::waited_too_late, each.call->id, 0};
    if (each.by_host() && second_is_work()) return;
    if (is_nearest_record(each)) {
      add(nearness::nearest_event, late);
    } else if (each.by_host()) {
      add(nearness::later, late);
    } else if (nearest_ == nullptr) {
      add(nearness::wrong_place, late);
    }
  }

  /// A wait of another stream or thread for the first.
  void consider_elsewhere(const wait& each) {
    const trace::id id = each.call->id;
    if (each.by_host()) return add(nearness::another_thread, {edge_fault::other_thread_waited, id, 0});
    const bool of_first = each.work->stream == first_.stream;
    if (!second_is_work()) {
      const bool of_use = !of_first && goes_on_behind(*each.work);
      if (each.call->thread == second_.thread && !of_use)
        add(nearness::wrong_place, {edge_fault::only_streams_wait, id, 0});
      return;
    }
    if (of_first && operation(each.record).stream != first_.stream) return;
    const wrong_edge other{edge_fault::wait_in_other_stream, id, 0};
    if (is_nearest_record(each)) add(nearness::nearest_event_elsewhere, other);
    if (nearest_ == nullptr) add(nearness::wrong_place, other);
  }

  void consider_streams() {
    const trace::id a = *first_.stream, b = *second_.stream;
    const bool legacy = a == trace::legacy_stream || b == trace::legacy_stream;
    if (legacy && (non_blocking(a) || non_blocking(b)))
      add(nearness::streams, {edge_fault::non_blocking_stream, 0, 0});
    if (record_between() != nullptr)
      add(nearness::record, {edge_fault::not_waited_for, 0, record_between()->submitted_by});
    add(nearness::nothing, {edge_fault::none_recorded, 0, 0});
  }

  void consider_host() {
    const trace::id destroyed =
        *first_.stream == trace::legacy_stream ? 0 : run_.streams[*first_.stream - 1].destroyed_by;
    if (destroyed != 0 && call(destroyed).thread == second_.thread && call(destroyed).begun < second_.when)
      add(nearness::wrong_place, {edge_fault::stream_destroyed, destroyed, 0});
    const std::string& name = call(first_.call).name;
    const bool looks_blocking =
        name.compare(0, 10, "cudaMemcpy") == 0 || name.compare(0, 10, "cudaMemset") == 0;
    if (looks_blocking && name.find("Async") == std::string::npos)
      add(nearness::nothing, {edge_fault::returns_early, first_.call, 0});
    else
      add(nearness::nothing, {edge_fault::no_host_wait, 0, 0});
  }

  // --- what is wrong with a wait

  /// The first record of the event that would do, where there is one in time.
  const trace::operation* right_record(const wait& each) const {
    const auto found = right_record_.find(each.event);
    if (found == right_record_.end()) return nullptr;
    return is_nearest_event(each) || made(*found->second) < second_.when ? found->second : nullptr;
  }

  /// Why a wait for that event does not wait for the first. Nothing where it has nothing to do with it.
  std::optional<wrong_edge> fault_of_binding(const wait& each) const {
    if (each.event == 0) return {};
    const trace::id id = each.call->id;
    const trace::operation* right = right_record(each);
    if (each.record == 0) {
      if (right != nullptr) return wrong_edge{edge_fault::waited_too_early, id, right->submitted_by};
      if (first_record_.count(each.event) == 0) return wrong_edge{edge_fault::never_recorded, id, 0};
      return {};
    }
    const trace::operation& bound = operation(each.record);
    const bool in_stream = bound.stream == first_.stream;
    if (right != nullptr && right->id < bound.id)
      return wrong_edge{edge_fault::recorded_again, id, bound.submitted_by};
    if (bound.id > first_.operation) {
      if (in_stream) return wrong_edge{edge_fault::threads_unordered, 0, 0};
      return {};
    }
    // The record may be in the wrong place, or the wait. Where the next record comes too late anyway, and the
    // wait is in time, it is the record.
    const bool record_is_wrong =
        in_stream && (right == nullptr || (each.call->begun > first_.when && made(*right) > second_.when));
    if (record_is_wrong) return wrong_edge{edge_fault::recorded_too_early, id, bound.submitted_by};
    if (right != nullptr) return wrong_edge{edge_fault::bound_to_older_round, id, right->submitted_by};
    return {};
  }

  /// Whether a wait may be meant for the first because it is of no other use: the host's; a stream's, right
  /// in front of the second, for what the second has no need of.
  bool is_idle(const wait& each) {
    if (each.by_host()) return true;
    if (goes_on_behind(*each.work)) return false;
    if (each.record == 0) return true;
    const trace::operation& record = operation(each.record);
    if (record.stream == second_.stream) return true;
    return record.id > first_.operation && !is_needed(record);
  }

  wrong_edge idle_wait(const wait& each) const {
    const trace::id id = each.call->id;
    if (each.event == 0) return {edge_fault::other_work_waited_for, id, 0};
    if (!each.by_host() && record_between() != nullptr)
      return {edge_fault::waited_for_another_event, id, record_between()->submitted_by};
    if (each.record == 0)
      return {edge_fault::waited_too_early, id, first_record_.at(each.event)->submitted_by};
    return {edge_fault::recorded_in_other_stream, id, operation(each.record).submitted_by};
  }

  /// A record that the second could have waited for.
  const trace::operation* record_between() const {
    return nearest_ != nullptr && made(*nearest_) < second_.when ? nearest_ : nullptr;
  }

  /// Whether the stream has work between the wait and the second, other than records and waits.
  bool goes_on_behind(const trace::operation& wait) const {
    for (auto each = run_.operations.begin() + wait.id;
         each != run_.operations.end() && made(*each) < second_.when; ++each) {
      const bool proper =
          each->kind != operation_kind::event_record && each->kind != operation_kind::event_wait;
      if (proper && each->stream == wait.stream) return true;
    }
    return false;
  }

  /// Whether work before the record, in its stream, and the second use the same bytes.
  bool is_needed(const trace::operation& record) const {
    return std::any_of(run_.operations.begin(), run_.operations.begin() + record.id, [&](const auto& each) {
      return each.stream == record.stream && conflict(each, operation(second_.operation));
    });
  }

  static bool conflict(const trace::operation& a, const trace::operation& b) {
    for (const auto& one : a.accesses) {
      for (const auto& other : b.accesses) {
        if (overlap(one, other) && (one.write || other.write)) return true;
      }
    }
    return false;
  }

  // --- luck

  wrong_edge implicit_wait() const {
    if (const auto* call = waits_between()) return {edge_fault::implicit_wait, call->id, 0};
    for (const participant* side : {&first_, &second_}) {
      if (side->kind == order::step_kind::work && copies_pageable(operation(side->operation)))
        return {edge_fault::implicit_wait, side->call, 0};
    }
    trace::id copy = 0;  // another one, in between
    for (const auto& each : run_.operations) {
      const bool between = made(each) > first_.when && made(each) < second_.when;
      if (between && copies_pageable(each)) copy = each.submitted_by;
    }
    return {edge_fault::implicit_wait, copy, 0};
  }

  bool copies_pageable(const trace::operation& work) const {
    if (work.kind != operation_kind::copy || work.direction == trace::copy_direction::device_to_device)
      return false;
    return is_pageable(run_, work, work.direction == trace::copy_direction::device_to_host);
  }

  /// The last call in between that happens to wait for the device.
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
  std::unordered_map<trace::id, const trace::operation*> first_record_;  // by event
  std::unordered_map<trace::id, const trace::operation*> right_record_;  // by event, the first that would do
  const trace::operation* nearest_ = nullptr;  // the first record behind the first, in its own stream
  std::pair<nearness, trace::sequence> best_nearness_{nearness::nothing, ~trace::sequence{0}};
  wrong_edge best_;
};

}  // namespace

wrong_edge nearest_wrong_edge(const recording& of, const order& promised, const hazard& found) {
  return edge_search(of, promised, found).result();
}

}  // namespace lab::analysis

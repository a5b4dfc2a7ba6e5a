#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "measured.hpp"
#include "text.hpp"

namespace lab::timeline {
namespace {

using analysis::milliseconds_text;
using analysis::span;
using trace::operation_kind;
using trace::time_ns;

double in_ms(time_ns time) {
  return static_cast<double>(time) / 1e6;
}

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool is_work(const trace::operation& of) {
  return of.kind == operation_kind::kernel || of.kind == operation_kind::copy ||
         of.kind == operation_kind::memset || of.kind == operation_kind::graph;
}

mark mark_of(operation_kind kind) {
  switch (kind) {
    case operation_kind::kernel:
      return mark::kernel;
    case operation_kind::copy:
      return mark::copy;
    case operation_kind::memset:
      return mark::set;
    case operation_kind::event_record:
      return mark::record;
    case operation_kind::event_wait:
      return mark::wait;
    case operation_kind::host_function:
      return mark::host_function;
    case operation_kind::graph:
      return mark::graph;
    default:
      return mark::memory;
  }
}

/// "Not ready" is no failure of a call that asks whether work is done.
bool is_answer(const trace::host_call& call) {
  return call.error == "cudaErrorNotReady" && call.name.find("Query") != std::string::npos;
}

const char* name_of(trace::pause_kind kind) {
  switch (kind) {
    case trace::pause_kind::slept:
      return "sleeps";
    case trace::pause_kind::waited_for_thread:
      return "waits for a thread";
    default:
      return "is preempted";
  }
}

std::string name_of_copy(trace::copy_direction direction) {
  switch (direction) {
    case trace::copy_direction::host_to_device:
      return "copy to device";
    case trace::copy_direction::device_to_host:
      return "copy to host";
    case trace::copy_direction::host_to_host:
      return "copy on the host";
    default:
      return "copy on the device";
  }
}

std::string with_thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// The device's work of each stream by begin, for questions about stretches.
class work_index {
 public:
  explicit work_index(const analysis::recording& of) : of_(of) {
    for (const auto& each : of.run().operations) {
      if (!is_work(each)) continue;
      by_submission_.push_back(&each);
      if (each.begin != trace::unfinished) by_stream_[each.stream].push_back(&each);
    }
    const auto by = [](auto member) {
      return [member](const auto* a, const auto* b) { return a->*member < b->*member; };
    };
    std::stable_sort(by_submission_.begin(), by_submission_.end(), by(&trace::operation::submitted));
    for (auto& [stream, work] : by_stream_)
      std::stable_sort(work.begin(), work.end(), by(&trace::operation::begin));
  }

  /// "inside: 5 ms of the 80 ms of spin"
  std::string inside(const measured_interval& interval) const {
    struct group {
      double inside_ms = 0, whole_ms = 0;
      std::size_t count = 0;
    };
    std::map<std::string, group> groups;
    std::set<const trace::operation*> counted;
    const auto add = [&](const trace::operation& work) {
      if (!counted.insert(&work).second) return;
      const span when = analysis::work(of_, work).when();
      group& its = groups[work.kind == operation_kind::copy ? name_of_copy(work.direction) : work.name];
      its.inside_ms += when.shared_with(interval.when).milliseconds();
      its.whole_ms += when.milliseconds();
      ++its.count;
    };
    each_under_way(interval.when, [&](const trace::operation& work) {
      if (!interval.by_events || work.stream == interval.lane) add(work);
    });
    if (!interval.by_events) each_submitted(interval.when, add);
    if (groups.empty())
      return interval.by_events ? "the stream did nothing in it" : "the device did nothing in it";
    std::vector<std::pair<std::string, group>> longest(groups.begin(), groups.end());
    std::stable_sort(longest.begin(), longest.end(),
                     [](const auto& a, const auto& b) { return a.second.whole_ms > b.second.whole_ms; });
    constexpr std::size_t most = 3;
    std::string text = "inside: ";
    for (std::size_t i = 0; i < std::min(most, longest.size()); ++i) {
      const auto& [name, its] = longest[i];
      const bool all = its.inside_ms >= its.whole_ms;
      text += (i == 0 ? "" : ", ") + (all ? "all " : milliseconds_text(its.inside_ms) + " of the ") +
              milliseconds_text(its.whole_ms) + " of " + shown_text(name, 60) +
              (its.count == 1 ? "" : " (" + std::to_string(its.count) + " times)");
    }
    if (longest.size() > most) text += ", and " + plural(longest.size() - most, "other");
    return text;
  }

 private:
  template <class Visit>
  void each_under_way(const span& when, Visit visit) const {
    for (const auto& [stream, work] : by_stream_) {
      const auto later =
          std::lower_bound(work.begin(), work.end(), when.end,
                           [](const trace::operation* each, time_ns moment) { return each->begin < moment; });
      // A stream's work is one after the other: what had ended before the stretch is followed by no more.
      for (auto each = later; each != work.begin();) {
        --each;
        const span its = analysis::work(of_, **each).when();
        if (its.end <= when.begin) break;
        visit(**each);
      }
    }
  }

  template <class Visit>
  void each_submitted(const span& when, Visit visit) const {
    auto each = std::lower_bound(
        by_submission_.begin(), by_submission_.end(), when.begin,
        [](const trace::operation* work, time_ns moment) { return work->submitted < moment; });
    for (; each != by_submission_.end() && (*each)->submitted <= when.end; ++each) visit(**each);
  }

  const analysis::recording& of_;
  std::vector<const trace::operation*> by_submission_;
  std::map<trace::id, std::vector<const trace::operation*>> by_stream_;
};

class maker {
 public:
  maker(const analysis::recording& of, model& made) : of_(of), run_(of.run()), made_(made) {}

  void make() {
    add_lanes();
    add_calls();
    add_work();
    add_pauses_and_reads();
    add_brackets();
    add_hazards();
    sort_items();
    find_focus();
    find_gaps();
    add_totals();
    add_notices();
  }

 private:
  std::uint32_t add_lane(lane_kind kind, const std::string& name, const std::string& note = "") {
    made_.lanes.push_back({kind, name, note});
    return static_cast<std::uint32_t>(made_.lanes.size() - 1);
  }

  void add_lanes() {
    std::set<int> threads;
    for (const auto& call : run_.calls) threads.insert(call.thread);
    for (const auto& read : run_.clock_reads) threads.insert(read.thread);
    for (const auto& pause : run_.pauses) threads.insert(pause.thread);
    for (const int thread : threads) {
      threads_[thread] =
          add_lane(lane_kind::thread, thread == 0 ? "host" : "host thread " + std::to_string(thread));
    }
    std::set<trace::id> streams;
    for (const auto& each : run_.operations) streams.insert(each.stream);
    for (const trace::id stream : streams) streams_[stream] = add_stream(stream);
    for (const auto& each : run_.operations) {
      if (is_work(each) && each.begin != trace::unfinished) engines_[engine_name(each)] = 0;
    }
    for (auto& [name, number] : engines_) number = static_cast<int>(add_lane(lane_kind::engine, name));
  }

  std::uint32_t add_stream(trace::id stream) {
    if (stream == trace::legacy_stream) return add_lane(lane_kind::stream, "legacy stream");
    const bool known = stream <= run_.streams.size();
    if (known && run_.streams[stream - 1].created_by == 0) {
      return add_lane(lane_kind::stream,
                      "default stream of thread " + std::to_string(run_.streams[stream - 1].thread));
    }
    return add_lane(lane_kind::stream, "stream " + std::to_string(stream),
                    known && run_.streams[stream - 1].non_blocking ? "non-blocking" : "");
  }

  static std::string engine_name(const trace::operation& of) {
    if (of.kind == operation_kind::kernel) return "kernel";
    if (of.kind == operation_kind::graph) return "graph";
    if (of.kind == operation_kind::memset) return "set, copy inside";
    switch (of.direction) {
      case trace::copy_direction::host_to_device:
        return "copy to device";
      case trace::copy_direction::device_to_host:
        return "copy to host";
      default:
        return "set, copy inside";
    }
  }

  static item item_at(mark kind, std::uint32_t lane, time_ns begin, time_ns end) {
    item made;
    made.kind = kind;
    made.lane = lane;
    made.begin = begin;
    made.end = end;
    return made;
  }

  item_number add(item of) {
    of.name = shown_text(of.name);
    of.label = of.label.empty() ? of.name : shown_text(of.label);
    of.detail = shown_text(of.detail, 300);
    of.where = shown_text(of.where);
    made_.items.push_back(std::move(of));
    return static_cast<item_number>(made_.items.size() - 1);
  }

  void add_calls() {
    by_call_.reserve(run_.calls.size());
    for (const auto& raw : run_.calls) {
      const analysis::call call(of_, raw);
      const span when = call.when();
      item made = item_at(mark::call, threads_.at(raw.thread), when.begin, when.end);
      made.name = raw.name;
      made.where = call.where();
      made.open = raw.end == trace::unfinished;
      made.failed = raw.status != 0 && !is_answer(raw);
      if (raw.status != 0) made.detail = "returned " + raw.error;
      if (raw.milliseconds) made.detail = "gave " + milliseconds_text(*raw.milliseconds);
      const std::string error = made.failed ? " ✗ " + raw.error : "";
      made.label = (raw.name == "cudaLaunchKernel" ? "launch" : raw.name) + error;
      const item_number number = by_call_[raw.id] = add(made);
      if (raw.blocked == 0) continue;
      made.kind = mark::blocked;
      made.begin = std::max(when.begin, when.end - raw.blocked);
      made.detail = raw.name + ": the thread waits for the device";
      if (raw.status != 0) made.detail += ", and is told " + raw.error;
      // Nobody should look for the grader's own waits in their file.
      const bool checkers = made.where.empty() && !raw.stack.empty();
      made.label = (checkers ? "the checker waits" : "waits (" + raw.name + ")") + error;
      made.cause = number;
      add(made);
    }
  }

  void add_work() {
    for (const auto& raw : run_.operations) {
      const analysis::work work(of_, raw);
      const span when = work.when();
      item made = item_at(mark_of(raw.kind), streams_.at(raw.stream), when.begin, when.end);
      made.name = raw.kind == operation_kind::copy ? name_of_copy(raw.direction) : raw.name;
      if (raw.kind == operation_kind::event_record)
        made.name = "record of event " + std::to_string(raw.event);
      if (raw.kind == operation_kind::event_wait) {
        made.name = "wait for event " + std::to_string(raw.event);
        made.detail = raw.waits_for == 0 ? "which was not recorded by then: it waits for nothing" : "";
      }
      if (raw.bytes > 0) made.detail = with_thousands(raw.bytes) + " bytes";
      if (!work.began()) made.detail = "had not begun when the record ended";
      made.where = work.where();
      made.open = !work.ended();
      made.failed = raw.failed;
      if (raw.direction == trace::copy_direction::host_to_device) made.label = "upload";
      if (raw.direction == trace::copy_direction::device_to_host) made.label = "download";
      if (raw.failed) made.label = (made.label.empty() ? made.name : made.label) + " ✗";
      if (is_work(raw) && work.began()) made.engine = engines_.at(engine_name(raw));
      const auto by = by_call_.find(raw.submitted_by);
      if (by != by_call_.end()) made.cause = by->second;
      by_work_[raw.id] = add(made);
    }
    for (const auto& raw : run_.operations) {
      const auto from = by_work_.find(raw.waits_for);
      if (raw.kind == operation_kind::event_wait && from != by_work_.end())
        made_.arrows.push_back({arrow_kind::stream_waits, from->second, by_work_.at(raw.id)});
    }
    for (const auto& raw : run_.calls) {
      const auto from = by_work_.find(raw.operation);
      if (raw.blocked > 0 && from != by_work_.end() && made_.items[from->second].kind == mark::record)
        made_.arrows.push_back({arrow_kind::host_waits, from->second, by_call_.at(raw.id)});
    }
  }

  void add_pauses_and_reads() {
    for (const auto& pause : run_.pauses) {
      item made = item_at(mark::pause, threads_.at(pause.thread), pause.begin, pause.end);
      made.name = name_of(pause.kind);
      made.where = analysis::place(pause.stack);
      add(made);
    }
    for (const auto& read : run_.clock_reads) {
      item made = item_at(mark::clock_read, threads_.at(read.thread), read.at, read.at);
      made.name = "reads the clock";
      made.where = analysis::place(read.stack);
      if (read.clock == trace::clock_kind::cpu_time) made.detail = "which counts the CPU's time";
      add(made);
    }
  }

  void add_brackets() {
    const work_index work(of_);
    const auto add_all = [&](const std::vector<measured_interval>& intervals) {
      for (const auto& each : intervals) {
        bracket made;
        made.lane = each.by_events ? streams_.at(each.lane) : threads_.at(each.thread);
        made.begin = each.when.begin;
        made.end = each.when.end;
        made.label = (each.by_events ? "events " : "clock ") + milliseconds_text(each.shown_ms);
        if (!each.start.empty() && !each.stop.empty())
          made.where = shown_text(each.start + " to " + each.stop);
        made.inside = work.inside(each);
        if (each.two_streams) made.inside += "; the two records are in different streams";
        made_.brackets.push_back(std::move(made));
      }
    };
    add_all(clock_pairs(run_));
    add_all(event_pairs(of_));
  }

  void add_hazards() {
    if (!can_be_judged()) return;
    for (const auto& each : analysis::find_hazards(of_)) {
      const item_number first = item_of(each.first), second = item_of(each.second);
      if (first == no_item || second == no_item) continue;
      static const std::map<analysis::hazard_level, const char*> names{
          {analysis::hazard_level::race, "race"},
          {analysis::hazard_level::relies_on_luck, "relies on luck"},
          {analysis::hazard_level::lifetime, "lifetime"}};
      made_.hazards.push_back({first, second,
                               std::string(each.is_certain() ? "" : "perhaps: ") + names.at(each.level),
                               shown_text(analysis::hazard_text(of_, each), 2000)});
    }
  }

  /// Of a record from which something is missing nothing is said to be unordered.
  bool can_be_judged() const {
    return std::none_of(run_.findings.begin(), run_.findings.end(), [](const trace::finding& each) {
      return each.kind == trace::finding_kind::incomplete_record ||
             each.kind == trace::finding_kind::not_recorded;
    });
  }

  item_number item_of(const analysis::participant& side) {
    if (const auto work = by_work_.find(side.operation); work != by_work_.end()) return work->second;
    if (side.kind == analysis::order::step_kind::release) {
      const auto call = by_call_.find(side.call);
      return call == by_call_.end() ? no_item : call->second;
    }
    const auto thread = threads_.find(side.thread);
    if (thread == threads_.end()) return no_item;
    // Host code has no times, but its place among the calls: it lies behind the last that came before it.
    item made = item_at(mark::access, thread->second, 0, 0);
    for (const auto& call : run_.calls) {
      if (call.returned != 0 && call.returned < side.when && call.end != trace::unfinished)
        made.begin = std::max(made.begin, call.end);
    }
    made.end = made.begin;
    made.name = std::string("the program ") + (side.write ? "writes" : "reads") + " memory";
    made.detail = "somewhere behind the call before it: the record has no time of it";
    made.where = side.where;
    return add(made);
  }

  void sort_items() {
    std::vector<item_number> order(made_.items.size()), position(order.size());
    std::iota(order.begin(), order.end(), item_number{0});
    const auto& items = made_.items;
    std::stable_sort(order.begin(), order.end(), [&](item_number a, item_number b) {
      return std::pair(items[a].lane, items[a].begin) < std::pair(items[b].lane, items[b].begin);
    });
    for (item_number i = 0; i < order.size(); ++i) position[order[i]] = i;
    std::vector<item> sorted;
    sorted.reserve(order.size());
    for (const item_number each : order) sorted.push_back(std::move(made_.items[each]));
    made_.items = std::move(sorted);
    const auto renumber = [&](item_number& number) {
      if (number != no_item) number = position[number];
    };
    for (item& each : made_.items) renumber(each.cause);
    for (arrow& each : made_.arrows) renumber(each.from), renumber(each.to);
    for (hazard_link& each : made_.hazards) renumber(each.first), renumber(each.second);
  }

  /// What the student's file did, with the ends of the work that it submitted; all, where it did nothing.
  /// The first call makes the context, which would leave no room for the rest: it is left out, unless the
  /// program measured it.
  void find_focus() {
    made_.whole = {0, of_.end()};
    const time_ns never = of_.end() + 1;
    span focus{never, 0};
    const auto include = [&](time_ns begin, time_ns end) {
      focus = {std::min(focus.begin, begin), std::max(focus.end, end)};
    };
    const trace::host_call* first = run_.calls.empty() ? nullptr : &run_.calls.front();
    const bool dwarfs =
        first != nullptr && first->end != trace::unfinished && 10 * (first->end - first->begin) > of_.end();
    for (const auto& each : made_.brackets) include(each.begin, each.end);
    const bool leave_out = dwarfs && focus.begin > first->begin;
    for (const bool students_only : {true, false}) {
      for (const item& each : made_.items) {
        if ((students_only && each.where.empty()) || each.kind == mark::access) continue;
        if (leave_out && each.begin < first->end && each.end <= first->end) continue;
        include(each.begin, each.end);
      }
      if (focus.begin != never) break;
    }
    if (focus.begin == never) focus = made_.whole;
    // What is not ordered may be the caller's use of what the student's file left behind.
    if (!made_.hazards.empty()) {
      for (const item_number each : {made_.hazards.front().first, made_.hazards.front().second})
        include(made_.items[each].begin, made_.items[each].end);
    }
    if (focus.end <= focus.begin) focus.end = focus.begin + 1000;
    made_.whole.end = std::max(made_.whole.end, focus.end);
    made_.focus = focus;
  }

  void find_gaps() {
    std::vector<span> busy;
    for (const item& each : made_.items) {
      if (each.engine >= 0) busy.push_back({each.begin, each.end});
    }
    std::sort(busy.begin(), busy.end(), [](const span& a, const span& b) { return a.begin < b.begin; });
    time_ns until = busy.empty() ? 0 : busy.front().begin;
    for (const span& each : busy) {
      if (each.begin > until) made_.gaps.push_back({until, each.begin});
      const time_ns from = std::max(until, each.begin);
      if (each.end > from) busy_ns_ += each.end - from;
      until = std::max(until, each.end);
    }
  }

  void add_totals() {
    const auto add = [&](const char* name, const std::string& value) {
      made_.totals.push_back({name, value});
    };
    std::array<std::size_t, mark_kinds> counts{};
    for (const item& each : made_.items) ++counts[static_cast<std::size_t>(each.kind)];
    const auto count = [&](mark kind) { return counts[static_cast<std::size_t>(kind)]; };
    std::uint64_t copied = 0;
    for (const auto& each : run_.operations) copied += each.kind == operation_kind::copy ? each.bytes : 0;
    add("length of the run", milliseconds_text(in_ms(of_.end())));
    add("CUDA calls", with_thousands(run_.calls.size()));
    add("host blocked in calls", milliseconds_text(of_.host_blocked_ms()));
    add("kernels", with_thousands(count(mark::kernel)));
    if (count(mark::graph) > 0) add("graphs launched", with_thousands(count(mark::graph)));
    add("copies", with_thousands(count(mark::copy)) + ", " + with_thousands(copied) + " bytes");
    add("device at work", milliseconds_text(in_ms(busy_ns_)));
    time_ns idle = 0;
    for (const span& each : made_.gaps) idle += each.end - each.begin;
    add("device idle between its work", milliseconds_text(in_ms(idle)));
    add("intervals measured", with_thousands(made_.brackets.size()));
    add("hazards", with_thousands(made_.hazards.size()));
  }

  void add_notices() {
    if (run_.calls.empty() && run_.operations.empty())
      made_.notices.push_back("The record is empty: the program made no CUDA call.");
    if (!run_.complete) {
      made_.notices.push_back("The program did not come to its end: the record stops at " +
                              milliseconds_text(in_ms(of_.end())) + ", and shows what was there by then.");
    }
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < run_.findings.size() && i < most; ++i)
      made_.notices.push_back(shown_text(analysis::finding_text(run_.findings[i]), 600));
  }

  const analysis::recording& of_;
  const trace::run& run_;
  model& made_;
  std::map<int, std::uint32_t> threads_;
  std::map<trace::id, std::uint32_t> streams_;
  std::map<std::string, int> engines_;
  std::unordered_map<trace::id, item_number> by_call_, by_work_;
  time_ns busy_ns_ = 0;
};

}  // namespace

const char* mark_name(mark kind) {
  constexpr std::array<const char*, mark_kinds> names{
      "call", "blocked", "pause",         "clock read", "access", "kernel", "copy",
      "set",  "graph",   "host function", "memory",     "record", "wait"};
  return names[static_cast<std::size_t>(kind)];
}

model make_timeline(const analysis::recording& of, const std::string& title, const std::string& caption) {
  model made;
  made.title = shown_text(title);
  made.caption = shown_text(caption, 1000);
  made.device = shown_text(of.run().device.name);
  made.emulated = of.run().device.emulated;
  maker(of, made).make();
  return made;
}

model without_record(const std::string& title, const std::string& why) {
  model made;
  made.title = shown_text(title);
  made.notices.push_back(shown_text(why, 600));
  made.whole = made.focus = {0, 1000};
  return made;
}

}  // namespace lab::timeline

#include "perfetto.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace lab::timeline {
namespace {

using json = nlohmann::ordered_json;
using trace::time_ns;

struct slice {
  time_ns begin = 0, end = 0;
  std::string name, category;
  json arguments;
  item_number of = no_item;
};

/// By begin, each within the last one before it that has not ended.
using track = std::vector<slice>;

/// Viewers take for granted that the slices of a thread nest or follow one another: one that overlaps another
/// gets a track beside it.
std::vector<track> tracks_of(std::vector<slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const slice& a, const slice& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    const bool a_is_moment = a.begin == a.end, b_is_moment = b.begin == b.end;
    return a_is_moment == b_is_moment ? a.end > b.end
                                      : a_is_moment;  // a moment is before the work, not in it
  });
  std::vector<track> tracks;
  std::vector<std::vector<time_ns>> open;  // of each track, the ends
  for (slice& each : slices) {
    std::size_t number = 0;
    for (; number < tracks.size(); ++number) {
      auto& ends = open[number];
      while (!ends.empty() && ends.back() <= each.begin) ends.pop_back();
      if (ends.empty() || each.end <= ends.back()) break;
    }
    if (number == tracks.size()) {
      tracks.emplace_back();
      open.emplace_back();
    }
    open[number].push_back(each.end);
    tracks[number].push_back(std::move(each));
  }
  return tracks;
}

/// What takes no time is given a nanosecond, so that a flow has something to lead to; what follows begins
/// that much later, since two in the same nanosecond would overlap.
void make_room(track& of) {
  time_ns taken = 0;
  std::vector<std::pair<slice*, time_ns>> open;  // with the end as it was
  const auto close = [&] {
    slice& last = *open.back().first;
    taken = last.end = std::max({last.end, last.begin + 1, taken});
    open.pop_back();
  };
  for (slice& each : of) {
    while (!open.empty() && open.back().second <= each.begin) close();
    open.emplace_back(&each, each.end);
    taken = each.begin = std::max(each.begin, taken);
  }
  while (!open.empty()) close();
}

slice slice_of(const item& of, item_number number) {
  json arguments{{"kind", mark_name(of.kind)}};
  if (!of.where.empty()) arguments["where"] = of.where;
  if (!of.detail.empty()) arguments["more"] = of.detail;
  const std::string name = of.kind == mark::blocked ? "waits for the device" : of.name;
  return {of.begin, of.end, name, mark_name(of.kind), std::move(arguments), number};
}

slice slice_of(const bracket& of) {
  return {of.begin, of.end, of.label, "measured", {{"where", of.where}, {"inside", of.inside}}};
}

class writer {
 public:
  void add(const model& run, bool of_several) {
    std::vector<std::vector<slice>> marks(run.lanes.size()), measured(run.lanes.size());
    for (item_number i = 0; i < run.items.size(); ++i)
      marks[run.items[i].lane].push_back(slice_of(run.items[i], i));
    for (const bracket& each : run.brackets) measured[each.lane].push_back(slice_of(each));

    ends_.assign(run.items.size(), {});
    owner host{"host"}, device{run.device.empty() ? "device" : run.device};
    for (std::size_t lane = 0; lane < run.lanes.size(); ++lane) {
      const auto& its = run.lanes[lane];
      if (its.kind == lane_kind::engine) continue;  // shows the streams' work a second time
      owner& of = its.kind == lane_kind::thread ? host : device;
      if (of.number == 0 && of_several) of.name += ": " + run.title;
      add_tracks(of, its.name + (its.note.empty() ? "" : " (" + its.note + ")"), std::move(marks[lane]));
      add_tracks(of, its.name + ": measured by the program", std::move(measured[lane]));
    }

    for (const arrow& each : run.arrows)
      flow(each.kind == arrow_kind::host_waits ? "the host waits" : "wait", ends_[each.from].first,
           ends_[each.to].last);
    for (const hazard_link& each : run.hazards) {
      const moment &first = ends_[each.first].first, &second = ends_[each.second].first;
      flow(each.what, first, second);
      event("i", each.what, second, {{"s", "p"}, {"args", {{"what", each.text}}}});
    }
  }

  std::string text() const { return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + events_ + "\n]}\n"; }

 private:
  struct owner {  // a process
    std::string name;
    int number = 0;  ///< none before its first track
  };
  struct moment {
    int process = 0, thread = 0;
    double at = 0;  ///< µs
  };
  /// Half a nanosecond within the slice: at its very end, or begin, some viewers take the one beside it.
  struct ends {
    moment first, last;
  };
  static constexpr double half = 0.5e-3;

  static double microseconds(time_ns time) { return static_cast<double>(time) / 1e3; }

  void write(const json& event) {
    events_ += (events_.empty() ? "" : ",\n") + event.dump(-1, ' ', true, json::error_handler_t::replace);
  }

  void event(const char* phase, const std::string& name, const moment& at, const json& more) {
    json made{{"ph", phase}, {"name", name}, {"pid", at.process}, {"tid", at.thread}};
    made["ts"] = at.at;
    made.update(more);
    write(made);
  }

  /// @param what "process" or "thread"; they are shown in the order in which they are named
  void name(const std::string& what, int process, int thread, const std::string& text) {
    const json of{{"ph", "M"}, {"pid", process}, {"tid", thread}};
    json named = of, sorted = of;
    named.update({{"name", what + "_name"}, {"args", {{"name", text}}}});
    sorted.update({{"name", what + "_sort_index"}, {"args", {{"sort_index", numbers_}}}});
    write(named);
    write(sorted);
  }

  /// The first thread of a process has its number, as the main one does.
  void add_tracks(owner& of, const std::string& title, std::vector<slice> slices) {
    std::string beside;
    for (track& each : tracks_of(std::move(slices))) {
      const int thread = ++numbers_;
      if (of.number == 0) name("process", of.number = thread, thread, of.name);
      name("thread", of.number, thread, title + std::exchange(beside, ", at the same time"));
      make_room(each);
      for (const slice& its : each) {
        const double begin = microseconds(its.begin), end = microseconds(its.end);
        event("X", its.name, {of.number, thread, begin},
              {{"dur", microseconds(its.end - its.begin)}, {"cat", its.category}, {"args", its.arguments}});
        if (its.of != no_item)
          ends_[its.of] = {{of.number, thread, begin + half}, {of.number, thread, end - half}};
      }
    }
  }

  /// From one moment to a later one: viewers drop a flow that leads back in time.
  void flow(const std::string& name, moment from, moment to) {
    if (to.at < from.at) std::swap(from, to);
    const json of{{"cat", "order"}, {"id", ++flows_}};
    event("s", name, from, of);
    json end = of;
    end["bp"] = "e";  // leads to the slice around it, not to the next one
    event("f", name, to, end);
  }

  std::string events_;
  int numbers_ = 0, flows_ = 0;  // of processes and threads; of flows
  std::vector<ends> ends_;       // of the run's items
};

}  // namespace

std::string perfetto(const std::vector<model>& runs) {
  writer to;
  for (const model& run : runs) to.add(run, runs.size() > 1);
  return to.text();
}

}  // namespace lab::timeline

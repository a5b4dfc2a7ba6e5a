#include "perfetto.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace lab::timeline {
namespace {

using nlohmann::json;
using trace::time_ns;

std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string microseconds(time_ns time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(time) / 1e3);
  return text;
}

class writer {
 public:
  void add(const model& run, bool of_several) {
    host_ = ++processes_;
    device_ = ++processes_;
    const std::string of = of_several ? ": " + run.title : "";
    const std::string device = run.device.empty() ? "device" : run.device;
    name("process_name", host_, 0, "host" + of);
    name("process_name", device_, 0, device + of);
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
      const auto& its = run.lanes[lane];
      if (its.kind == lane_kind::engine) continue;  // shows the streams' work a second time
      name("thread_name", process_of(run, lane), lane,
           its.name + (its.note.empty() ? "" : " (" + its.note + ")"));
    }
    for (const item& each : run.items) slice(run, each);
    for (const bracket& each : run.brackets) interval(run, each);
    for (const arrow& each : run.arrows)
      flow(run, each.kind == arrow_kind::host_waits ? "the host waits" : "wait", end_of(run.items[each.from]),
           end_of(run.items[each.to]));
    for (const hazard_link& each : run.hazards) {
      const item& second = run.items[each.second];
      flow(run, each.what, begin_of(run.items[each.first]), begin_of(second));
      event("i", each.what,
            place(run, second.lane, second.begin) + ",\"s\":\"p\",\"args\":{\"what\":" + quoted(each.text) +
                "}");
    }
  }

  std::string text() const { return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events_ + "\n]}\n"; }

 private:
  int process_of(const model& run, std::uint32_t lane) const {
    return run.lanes[lane].kind == lane_kind::thread ? host_ : device_;
  }

  void event(const char* phase, const std::string& name, const std::string& rest) {
    events_ += std::string(events_.empty() ? "" : ",\n") + "{\"ph\":\"" + phase +
               "\",\"name\":" + quoted(name) + rest + "}";
  }

  void name(const char* what, int process, std::uint32_t thread, const std::string& text) {
    event("M", what,
          ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
              ",\"args\":{\"name\":" + quoted(text) + "}");
  }

  std::string place(const model& run, std::uint32_t lane, time_ns at) const {
    return ",\"pid\":" + std::to_string(process_of(run, lane)) + ",\"tid\":" + std::to_string(lane) +
           ",\"ts\":" + microseconds(at);
  }

  // What takes no time is given a nanosecond, so that a flow has something to lead to.
  static time_ns length(const item& of) { return std::max<time_ns>(of.end - of.begin, 1); }

  void slice(const model& run, const item& of) {
    std::string arguments = "\"kind\":" + quoted(mark_name(of.kind));
    if (!of.where.empty()) arguments += ",\"where\":" + quoted(of.where);
    if (!of.detail.empty()) arguments += ",\"more\":" + quoted(of.detail);
    const std::string name = of.kind == mark::blocked ? "waits for the device" : of.name;
    event("X", name,
          place(run, of.lane, of.begin) + ",\"dur\":" + microseconds(length(of)) +
              ",\"cat\":" + quoted(mark_name(of.kind)) + ",\"args\":{" + arguments + "}");
  }

  void interval(const model& run, const bracket& of) {
    const std::string id = ",\"cat\":\"measured\",\"id\":" + std::to_string(++ids_);
    event("b", of.label,
          place(run, of.lane, of.begin) + id + ",\"args\":{\"where\":" + quoted(of.where) +
              ",\"inside\":" + quoted(of.inside) + "}");
    event("e", of.label, place(run, of.lane, of.end) + id);
  }

  /// From one moment to a later one: viewers drop a flow that leads back in time.
  void flow(const model& run, const std::string& name, std::pair<std::uint32_t, time_ns> from,
            std::pair<std::uint32_t, time_ns> to) {
    if (to.second < from.second) std::swap(from, to);
    const std::string id = ",\"cat\":\"order\",\"id\":" + std::to_string(++ids_);
    event("s", name, place(run, from.first, from.second) + id);
    event("f", name, place(run, to.first, to.second) + id + ",\"bp\":\"e\"");
  }
  static std::pair<std::uint32_t, time_ns> begin_of(const item& of) { return {of.lane, of.begin}; }
  static std::pair<std::uint32_t, time_ns> end_of(const item& of) {  // still in it
    return {of.lane, std::max(of.begin, of.end - 1)};
  }

  std::string events_;
  int processes_ = 0, host_ = 0, device_ = 0;
  std::size_t ids_ = 0;
};

}  // namespace

std::string perfetto(const std::vector<model>& runs) {
  writer to;
  for (const model& run : runs) to.add(run, runs.size() > 1);
  return to.text();
}

}  // namespace lab::timeline

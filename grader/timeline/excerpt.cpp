#include "excerpt.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace lab::timeline {
namespace {

using analysis::span;

constexpr double margin = 0.04;              // of the window, on either side
constexpr double too_small_to_tell = 0.004;  // of the window: spans closer than this are drawn as one
constexpr std::size_t most_rows_of_a_kind = 6;
constexpr std::size_t most_spans = 200;  // of a row; a terminal shows no more

bool lies_in(const span& when, const span& window) {
  return when.end >= window.begin && when.begin <= window.end;
}

double in_ms(trace::time_ns time) {
  return static_cast<double>(time) / 1e6;
}

std::string short_name(const std::string& call) {
  return call == "cudaLaunchKernel" ? "launch" : call;
}

void keep_longest(std::vector<labelled_span>& spans) {
  if (spans.size() <= most_spans) return;
  const auto length = [](const labelled_span& span) { return span.end_ms - span.begin_ms; };
  std::vector<double> lengths;
  for (const auto& span : spans) lengths.push_back(length(span));
  std::nth_element(lengths.begin(), lengths.begin() + most_spans, lengths.end(), std::greater<>());
  const double shortest = lengths[most_spans];
  const auto longer = [&](double each) { return each > shortest; };
  std::size_t room =
      most_spans - static_cast<std::size_t>(std::count_if(lengths.begin(), lengths.end(), longer));
  const auto is_dropped = [&](const labelled_span& span) {
    if (longer(length(span))) return false;
    return length(span) < shortest || room == 0 || room-- == 0;
  };
  spans.erase(std::remove_if(spans.begin(), spans.end(), is_dropped), spans.end());
}

// Neighbours of one label become one span, "launch ×12": a picture has no room for each.
std::vector<labelled_span> merged(std::vector<labelled_span> spans, double window_ms) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const auto& a, const auto& b) { return a.begin_ms < b.begin_ms; });
  std::vector<labelled_span> result;
  std::size_t count = 1;
  for (labelled_span& next : spans) {
    const bool same = !result.empty() && result.back().label == next.label &&
                      result.back().kind == next.kind &&
                      next.begin_ms - result.back().end_ms < too_small_to_tell * window_ms &&
                      next.end_ms - next.begin_ms < 10 * too_small_to_tell * window_ms;
    if (!same) {
      result.push_back(std::move(next));
      count = 1;
      continue;
    }
    result.back().end_ms = std::max(result.back().end_ms, next.end_ms);
    result.back().detail = "×" + std::to_string(++count);
  }
  keep_longest(result);
  return result;
}

void add_call(std::vector<labelled_span>& spans, const analysis::call& each) {
  const span when = each.when();
  const trace::time_ns waiting_from = std::max(when.begin, when.end - each.raw().blocked);
  if (waiting_from > when.begin || each.raw().blocked == 0) {
    spans.push_back({span_kind::call, in_ms(when.begin), in_ms(waiting_from), short_name(each.name()), ""});
  }
  if (each.raw().blocked == 0) return;
  labelled_span waiting{span_kind::waiting, in_ms(waiting_from), in_ms(when.end), "waiting",
                        "(" + each.name() + ")"};
  // A wait of the driver's: nobody should look for it in their own file.
  const auto& stack = each.raw().stack;
  if (!stack.empty() && analysis::student_frame(stack) == nullptr) {
    waiting.label = "the checker waits";
    waiting.detail.clear();
  }
  spans.push_back(std::move(waiting));
}

const char* label_of(trace::pause_kind kind) {
  switch (kind) {
    case trace::pause_kind::slept:
      return "sleeping";
    case trace::pause_kind::waited_for_thread:
      return "waiting for a thread";
    default:
      return "preempted";
  }
}

std::vector<row> host_rows(const analysis::recording& of, const span& window) {
  std::map<int, std::vector<labelled_span>> threads;
  for (const analysis::call& each : of.calls()) {
    if (!lies_in(each.when(), window)) continue;
    add_call(threads[each.raw().thread], each);
  }
  for (const auto& pause : of.run().pauses) {
    if (!lies_in({pause.begin, pause.end}, window)) continue;
    threads[pause.thread].push_back(
        {span_kind::waiting, in_ms(pause.begin), in_ms(pause.end), label_of(pause.kind), ""});
  }
  std::vector<row> rows;
  for (auto& [thread, spans] : threads) {
    const std::string name = thread == 0 ? "host" : "thread " + std::to_string(thread);
    rows.push_back({name, merged(std::move(spans), window.milliseconds())});
    if (rows.size() == most_rows_of_a_kind) break;
  }
  return rows;
}

span_kind kind_of(const trace::operation& operation) {
  switch (operation.kind) {
    case trace::operation_kind::kernel:
      return span_kind::kernel;
    case trace::operation_kind::copy:
      return span_kind::copy;
    default:
      return span_kind::other;
  }
}

// Shorter than what messages call them.
std::string row_name(const trace::run& run, trace::id stream) {
  if (stream == trace::legacy_stream) return "legacy stream";
  const bool of_thread = stream <= run.streams.size() && run.streams[stream - 1].created_by == 0;
  if (of_thread) return "default stream of thread " + std::to_string(run.streams[stream - 1].thread);
  return "stream " + std::to_string(stream);
}

std::vector<row> stream_rows(const analysis::recording& of, const span& window) {
  std::map<trace::id, std::vector<labelled_span>> streams;
  for (const analysis::work& each : of.all_work()) {
    if (!each.began() || !lies_in(each.when(), window)) continue;
    streams[each.stream()].push_back({kind_of(each.raw()), in_ms(each.when().begin), in_ms(each.when().end),
                                      each.name(), analysis::milliseconds_text(each.milliseconds())});
  }
  std::vector<row> rows;
  for (auto& [stream, spans] : streams) {
    rows.push_back({row_name(of.run(), stream), merged(std::move(spans), window.milliseconds())});
    if (rows.size() == most_rows_of_a_kind) break;
  }
  return rows;
}

}  // namespace

NLOHMANN_JSON_SERIALIZE_ENUM(span_kind, {{span_kind::other, "other"},
                                         {span_kind::call, "call"},
                                         {span_kind::waiting, "waiting"},
                                         {span_kind::kernel, "kernel"},
                                         {span_kind::copy, "copy"},
                                         {span_kind::measured, "measured"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(labelled_span, kind, begin_ms, end_ms, label, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(row, name, spans)

excerpt make_excerpt(const analysis::recording& of, const span& window,
                     const std::vector<measured_stretch>& measured) {
  const auto around =
      static_cast<trace::time_ns>(margin * static_cast<double>(window.end - window.begin)) + 500;
  const span shown{std::max<trace::time_ns>(0, window.begin - around), window.end + around};
  excerpt result{in_ms(shown.begin), in_ms(shown.end), host_rows(of, window)};
  for (row& each : stream_rows(of, window)) result.rows.push_back(std::move(each));
  if (!measured.empty()) {
    row last{"measured", {}};
    for (const auto& each : measured) {
      last.spans.push_back(
          {span_kind::measured, in_ms(each.when.begin), in_ms(each.when.end), each.label, ""});
    }
    result.rows.push_back(std::move(last));
  }
  return result;
}

void to_json(nlohmann::json& to, const excerpt& from) {
  to = {{"begin_ms", from.begin_ms}, {"end_ms", from.end_ms}, {"rows", from.rows}};
}

void from_json(const nlohmann::json& from, excerpt& to) {
  from.at("begin_ms").get_to(to.begin_ms);
  from.at("end_ms").get_to(to.end_ms);
  from.at("rows").get_to(to.rows);
}

}  // namespace lab::timeline

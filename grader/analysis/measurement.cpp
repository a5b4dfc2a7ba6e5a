#include "measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lab::analysis {
namespace {

// The likely ones first: a number is read as what it should be before it is read as a slip.
constexpr double factors[] = {1, -1, 1e3, 1e-3, 1e6, 1e-6, -1e3, -1e-3};

constexpr double float_precision = 2.5e-7;  // a float holds 24 bits

// What duration_cast<microseconds> leaves; of small numbers too many would do.
constexpr double microsecond_ns = 1e3;
bool is_whole_microseconds(double ns) {
  return ns > 20 * microsecond_ns && std::fabs(std::remainder(ns, microsecond_ns)) < 0.01;
}

struct reads_of_clock {
  int thread;
  trace::clock_kind clock;
  std::vector<const trace::clock_read*> reads;  // by value
};

constexpr int every_thread = -1;  // a time of day is the same for all

/// Those of processor time last.
std::vector<reads_of_clock> by_clock(const trace::run& run) {
  std::vector<reads_of_clock> result;
  for (const auto& read : run.clock_reads) {
    const int thread = read.clock == trace::clock_kind::cpu_time ? read.thread : every_thread;
    auto found = std::find_if(result.begin(), result.end(), [&](const reads_of_clock& group) {
      return group.thread == thread && group.clock == read.clock;
    });
    if (found == result.end()) found = result.insert(found, {thread, read.clock, {}});
    found->reads.push_back(&read);
  }
  for (auto& group : result) {
    std::stable_sort(group.reads.begin(), group.reads.end(),
                     [](const auto* a, const auto* b) { return a->value < b->value; });
  }
  // Where a wait spins, time passed and the processor's time are about the same.
  std::stable_partition(result.begin(), result.end(), [](const reads_of_clock& group) {
    return group.clock != trace::clock_kind::cpu_time;
  });
  return result;
}

// The pair of reads that differs by `wanted_ns`, give or take: of several the one that starts last, since a
// number is mostly made from the newest reads.
std::optional<clock_measurement> find_pair(const reads_of_clock& group, double wanted_ns,
                                           double tolerance_ns) {
  for (auto start = group.reads.rbegin(); start != group.reads.rend(); ++start) {
    const double lowest = static_cast<double>((*start)->value) + wanted_ns - tolerance_ns;
    const auto stop = std::lower_bound(
        group.reads.begin(), group.reads.end(), lowest,
        [](const auto* read, double value) { return static_cast<double>(read->value) < value; });
    if (stop == group.reads.end() || *stop == *start) continue;
    if (static_cast<double>((*stop)->value) <= lowest + 2 * tolerance_ns)
      return clock_measurement{*start, *stop, 1};
  }
  return {};
}

// A mean over several runs, or a sum: the factor between the number and a length, where it is a whole one.
std::optional<double> whole_factor(double reported, double length) {
  constexpr double largest = 1000;
  for (const bool divided : {true, false}) {
    const double ratio = divided ? length / reported : reported / length;
    const double whole = std::round(ratio);
    if (whole >= 2 && whole <= largest && std::fabs(ratio - whole) <= 2 * whole * float_precision) {
      return divided ? 1 / whole : whole;
    }
  }
  return {};
}

// Cut off or rounded. 0 is taken for a number that nobody wrote.
bool is_whole_part(double reported, double length) {
  if (reported == 0) return false;
  return reported == std::floor(length) || reported == std::round(length);
}

// Reads of one clock that follow each other, and the first with the last: of a loop of reads not every pair.
std::vector<clock_measurement> plain_pairs(const reads_of_clock& group) {
  std::vector<clock_measurement> result;
  for (std::size_t i = group.reads.size(); i-- > 1;)
    result.push_back({group.reads[i - 1], group.reads[i], 1});
  if (group.reads.size() > 2) result.push_back({group.reads.front(), group.reads.back(), 1});
  return result;
}

// Two elapsed times from one base event, subtracted: what lies between their stop events.
std::optional<event_measurement> find_difference(const recording& of, std::vector<elapsed_time> elapsed,
                                                 double reported_ms) {
  constexpr std::size_t most = 32;  // the newest: each is tried with each
  if (elapsed.size() > most) elapsed.erase(elapsed.begin(), elapsed.end() - most);
  for (const elapsed_time& to_start : elapsed) {
    for (const elapsed_time& to_stop : elapsed) {
      if (to_start.start.raw().id != to_stop.start.raw().id) continue;
      const double tolerance = 2 * float_precision * std::fabs(to_stop.milliseconds);
      const double between = to_stop.milliseconds - to_start.milliseconds;
      if (between == 0 || std::fabs(between - reported_ms) > tolerance) continue;
      return event_measurement{
          {to_stop.call, between, to_start.stop, to_stop.stop, of.work_between(to_start.stop, to_stop.stop)},
          1};
    }
  }
  return {};
}

}  // namespace

std::optional<clock_measurement> find_processed_clock_measurement(const trace::run& run, double reported_ms) {
  if (!std::isfinite(reported_ms)) return {};
  const auto groups = by_clock(run);
  for (const auto& group : groups) {
    for (auto pair : plain_pairs(group)) {
      if (reported_ms == 0 && pair.shown_ms() == 0 && pair.stop->at > pair.start->at) return pair;
      if (const auto factor = reported_ms > 0 ? whole_factor(reported_ms, pair.shown_ms()) : std::nullopt) {
        pair.factor = *factor;
        return pair;
      }
    }
  }
  for (const auto& group : groups) {
    for (auto pair : plain_pairs(group)) {
      pair.whole_milliseconds = is_whole_part(reported_ms, pair.shown_ms());
      if (pair.whole_milliseconds) return pair;
    }
  }
  return {};
}

std::optional<clock_measurement> nearest_clock_measurement(const trace::run& run, double reported_ms) {
  std::optional<clock_measurement> nearest;
  const auto distance = [&](const clock_measurement& pair) {
    return std::fabs(pair.shown_ms() - reported_ms);
  };
  for (const auto& group : by_clock(run)) {
    if (auto pair = find_pair(group, reported_ms * 1e6, 2e3)) return pair;
    for (const auto& pair : plain_pairs(group)) {
      if (!nearest || distance(pair) < distance(*nearest)) nearest = pair;
    }
  }
  return nearest;
}

std::optional<event_measurement> find_processed_event_measurement(const recording& of, double reported_ms) {
  if (!std::isfinite(reported_ms)) return {};
  const auto elapsed = of.elapsed_times();
  for (auto each = elapsed.rbegin(); each != elapsed.rend(); ++each) {
    if (const auto factor = reported_ms > 0 ? whole_factor(reported_ms, each->milliseconds) : std::nullopt) {
      return event_measurement{*each, *factor};
    }
    if (is_whole_part(reported_ms, each->milliseconds)) return event_measurement{*each, 1, true};
  }
  return find_difference(of, elapsed, reported_ms);
}

std::optional<clock_measurement> find_clock_measurement(const trace::run& run, double reported_ms) {
  if (!std::isfinite(reported_ms) || reported_ms == 0) return {};
  const auto groups = by_clock(run);
  for (const bool exactly : {true, false}) {
    for (const double factor : factors) {
      const double wanted_ns = reported_ms / factor * 1e6;
      if (wanted_ns <= 0) continue;  // the sign of swapped reads is in the factor
      if (!exactly && !is_whole_microseconds(wanted_ns)) continue;
      const double tolerance_ns = exactly ? std::max(0.01, wanted_ns * float_precision) : microsecond_ns;
      for (const auto& group : groups) {
        if (auto found = find_pair(group, wanted_ns, tolerance_ns)) {
          found->factor = factor;
          return found;
        }
      }
    }
  }
  return {};
}

std::optional<event_measurement> find_event_measurement(const recording& of, double reported_ms) {
  if (!std::isfinite(reported_ms) || reported_ms == 0) return {};
  const auto elapsed = of.elapsed_times();
  for (const double factor : factors) {
    const double wanted_ms = reported_ms / factor;
    for (auto each = elapsed.rbegin(); each != elapsed.rend(); ++each) {
      if (std::fabs(each->milliseconds - wanted_ms) <= std::fabs(wanted_ms) * float_precision) {
        return event_measurement{*each, factor};
      }
    }
  }
  return {};
}

span event_measurement::when() const {
  const trace::time_ns start = elapsed.start.when().end;
  const trace::time_ns stop = elapsed.stop.when().end;
  return {std::min(start, stop), std::max(start, stop)};
}

std::string factor_text(double factor, bool whole_milliseconds) {
  if (whole_milliseconds)
    return "the number is that without what stands behind the point: whole milliseconds";
  const double size = std::fabs(factor);
  std::string text;
  if (size == 1e3) text = "the number is in microseconds, not milliseconds";
  if (size == 1e-3) text = "the number is in seconds, not milliseconds";
  if (size == 1e6) text = "the number is in nanoseconds, not milliseconds";
  if (size == 1e-6) text = "the number was divided by 1000 twice too often";
  if (size != 1 && text.empty()) {
    char times[32];
    std::snprintf(times, sizeof times, "%.0f", size < 1 ? 1 / size : size);
    text = std::string("the number is that ") + (size < 1 ? "divided by " : "times ") + times;
  }
  if (factor < 0) {
    text += std::string(text.empty() ? "the" : ", and its") + (text.empty() ? " number's" : "") +
            " sign is turned: the end was subtracted from the start";
  }
  return text;
}

std::string cause_of_factor(double factor, bool whole_milliseconds) {
  if (whole_milliseconds) return "the types that the time goes through on its way to what is returned";
  const double size = std::fabs(factor);
  if (size == 1) return factor < 0 ? "which of the two is subtracted from the other" : "";
  return 1e-3 < size && size < 1e3 ? "what the time is divided by or multiplied with"
                                   : "the unit of what is returned";
}

}  // namespace lab::analysis

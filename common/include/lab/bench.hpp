#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include "lab/stream.hpp"
#include "lab/timed_event.hpp"

/// @file
/// A first benchmark: enough runs that one odd one does not decide, and a word on how odd they were.

namespace lab {

/// Which clock a benchmark reads.
enum class bench_clock {
  host,    ///< from the submission until the work is done: what somebody who waits for it waits
  events,  ///< from the device's arrival at the work until it is done
};

/// How a benchmark is run.
struct bench_options {
  bench_clock clock = bench_clock::events;  ///< the device's time, or that of who waits for it
  int warmup = 3;                           ///< runs before the first sample; at least 0
  int samples = 10;                         ///< at least 1
};

/// What a benchmark found.
struct bench_result {
  std::chrono::nanoseconds median{};              ///< of the samples
  double spread = 0;                              ///< (longest - shortest) / median
  std::vector<std::chrono::nanoseconds> samples;  ///< in the order in which they were taken
};

/// The middle one of the samples, or the mean of the middle two.
/// @pre there is at least one
inline std::chrono::nanoseconds median(std::vector<std::chrono::nanoseconds> samples) {
  std::sort(samples.begin(), samples.end());
  const auto upper = samples.size() / 2;
  const auto lower = (samples.size() - 1) / 2;
  return (samples[lower] + samples[upper]) / 2;
}

/// Runs `submit`, which queues work in `stream`, warm-up first, and times each run after it on its own.
/// Blocks until all runs are done.
/// @throws cuda_error also for work that failed; std::invalid_argument for options out of range
inline bench_result bench(stream_ref stream, const std::function<void()>& submit,
                          bench_options options = {}) {
  if (options.warmup < 0 || options.samples < 1) {
    throw std::invalid_argument("lab::bench: warmup must be at least 0 and samples at least 1");
  }
  for (int run = 0; run < options.warmup; ++run) submit();

  timed_event start;
  timed_event stop;
  bench_result result;
  for (int run = 0; run < options.samples; ++run) {
    stream.sync();  // drained: neither the warm-up's tail nor the previous sample's is in this one
    const auto begin = std::chrono::steady_clock::now();
    start.record(stream);
    submit();
    stop.record(stream);
    stop.sync();
    const auto end = std::chrono::steady_clock::now();
    result.samples.push_back(options.clock == bench_clock::events ? stop - start : end - begin);
  }
  result.median = median(result.samples);
  const auto [shortest, longest] = std::minmax_element(result.samples.begin(), result.samples.end());
  result.spread =
      std::chrono::duration<double>(*longest - *shortest) / std::chrono::duration<double>(result.median);
  return result;
}

}  // namespace lab

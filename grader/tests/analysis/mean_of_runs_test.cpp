#include <doctest/doctest.h>

#include <analysis/mean_of_runs.hpp>
#include <cstddef>
#include <random>
#include <vector>

using namespace lab::analysis;

namespace {

/// Of about 4.5 ms, as a real GPU has them: no two alike, and one that was held up for 12 ms; the first takes
/// 60 ms more.
std::vector<timed_run> some_runs(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> late_ns(1 / 8000.0);
  std::vector<timed_run> runs;
  lab::trace::time_ns now = 1'000'000;
  for (std::size_t run = 0; run < count; ++run) {
    const lab::trace::time_ns begin = now + 150;
    const lab::trace::time_ns more = run == 0 ? 60'000'000 : run == count / 2 ? 12'000'000 : 0;
    now = begin + 4'500'000 + more + static_cast<lab::trace::time_ns>(late_ns(random));
    runs.push_back({begin, now});
  }
  return runs;
}

template <class Number>
Number mean_of_each(const std::vector<timed_run>& runs, std::size_t first, std::size_t last) {
  Number sum = 0;
  for (std::size_t run = first; run <= last; ++run)
    sum += static_cast<Number>(runs[run].behind - runs[run].before) / Number(1e6);
  return sum / static_cast<Number>(last - first + 1);
}

double mean_of_all(const std::vector<timed_run>& runs, std::size_t first, std::size_t last) {
  return static_cast<double>(runs[last].behind - runs[first].before) / 1e6 /
         static_cast<double>(last - first + 1);
}

}  // namespace

TEST_CASE("a mean with the first run among its runs is told from those without") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const std::size_t count : {3u, 10u, 100u, 500u}) {
      CAPTURE(seed);
      CAPTURE(count);
      const auto runs = some_runs(count, seed);
      const std::size_t last = count - 1;
      CHECK(is_mean_with_the_first(runs, mean_of_each<double>(runs, 0, last)));
      CHECK(is_mean_with_the_first(runs, mean_of_all(runs, 0, last)));

      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_each<double>(runs, 1, last)));
      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_each<float>(runs, 1, last)));
      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_all(runs, 1, last)));
      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_all(runs, count / 2, last)));
      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_each<double>(runs, last, last)));
      CHECK_FALSE(is_mean_with_the_first(runs, mean_of_each<double>(runs, 0, 0)));
    }
  }
}

TEST_CASE("where the first run is not the longest, a mean may have it among its runs") {
  auto runs = some_runs(3, 1);
  CHECK(is_mean_with_the_first(runs, mean_of_each<double>(runs, 0, 1)));
  runs.back().behind += 80'000'000;
  CHECK_FALSE(is_mean_with_the_first(runs, mean_of_each<double>(runs, 0, 1)));
}

TEST_CASE("without runs there is no mean") {
  CHECK_FALSE(is_mean_with_the_first({}, 4.5));
  CHECK_FALSE(is_mean_with_the_first(some_runs(1, 1), 64.5));
}

#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

/// The registry behind CHECK_CASE: doctest has neither points nor dependencies.
namespace lab::checks {

/// Points for passing; 0 where the check only informs.
struct points {
  explicit points(int given) : value(given) {}
  int value;
};

/// The checks, by name and declared earlier, without which this one would say nothing new.
struct needs {
  template <class... Names>
  explicit needs(Names... given) : names{given...} {}
  std::vector<std::string> names;
};

struct check {
  std::string name;
  int max_points = 1;
  std::vector<std::string> needed;
};

/// Whether this lab's checks judge times: set by CHECKS_OF_TIMES.
bool& judge_times();

const check& add_check(std::string name, const points& worth, const needs& needed);
const check& add_check(std::string name, const points& worth);
void run_check(const check& which, void (*body)());

}  // namespace lab::checks

/// CHECK_CASE("a sentence", points(3), needs("another check")) { … }
#define CHECK_CASE(...) LAB_CHECK_CASE(DOCTEST_ANONYMOUS(lab_check_), __VA_ARGS__)
#define LAB_CHECK_CASE(body, name, ...)                          \
  static void body();                                            \
  static const ::lab::checks::check& DOCTEST_CAT(body, _check) = \
      ::lab::checks::add_check(name, __VA_ARGS__);               \
  TEST_CASE(name) {                                              \
    ::lab::checks::run_check(DOCTEST_CAT(body, _check), &body);  \
  }                                                              \
  static void body()

/// At the head of a lab's checks.cpp whose checks judge times, and no order. Where a real GPU is used, its
/// times are what counts, and the emulated one is left out; all other checks have to pass on the emulated one
/// first, which sees every access, and then on the real one too.
#define CHECKS_OF_TIMES static const bool lab_checks_of_times = ::lab::checks::judge_times() = true

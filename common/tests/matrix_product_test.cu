#include <doctest/doctest.h>

#include "lab/matrix_product.hpp"
#include "lab/stream.hpp"
#include "lab/timed_event.hpp"

TEST_SUITE_BEGIN("matrix_product");

namespace {

double seconds_of(lab::matrix_product& product) {
  const lab::stream stream;
  lab::timed_event start;
  lab::timed_event stop;
  product.launch(stream);  // warm-up
  start.record(stream);
  product.launch(stream);
  stop.record(stream);
  stop.sync();
  return std::chrono::duration<double>(stop - start).count();
}

}  // namespace

TEST_CASE("the operations are two per term") {
  CHECK(lab::matrix_product(1024).flop() == 2.0 * 1024 * 1024 * 1024);
}

TEST_CASE("eight times the operations take about eight times as long") {
  lab::matrix_product small(2048);
  lab::matrix_product large(4096);
  const double ratio = seconds_of(large) / seconds_of(small);
  CHECK(ratio > 5);
  CHECK(ratio < 12);
}

TEST_SUITE_END();

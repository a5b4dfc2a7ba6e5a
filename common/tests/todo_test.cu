#include <doctest/doctest.h>

#include <cmath>

#include "lab/todo.hpp"

TEST_SUITE_BEGIN("todo");

TEST_CASE("a number left open is not a number") {
  const double number = lab::todo;
  CHECK(std::isnan(number));
}

TEST_CASE("a choice left open is the first one, an integer is zero") {
  enum class choice { not_made, made };
  const choice chosen = lab::todo;
  const int count = lab::todo;
  CHECK(chosen == choice::not_made);
  CHECK(count == 0);
}

TEST_SUITE_END();

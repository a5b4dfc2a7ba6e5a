#pragma once

#include "two_routes.hpp"

struct plain_struct {
  int value;
};

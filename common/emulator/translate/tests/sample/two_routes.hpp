#ifndef TWO_ROUTES_HPP
#define TWO_ROUTES_HPP

#include <reached_by_angles.hpp>

#include "plain.hpp"

#define LAUNCH_ONE(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define DECLARE_TILE(name, n) __shared__ float name[n]

inline int line_of_header() {
  return __LINE__;
}

#endif

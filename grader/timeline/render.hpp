#pragma once

#include <string>
#include <vector>

#include "excerpt.hpp"

namespace lab::timeline {

struct style {
  bool colour = false;  ///< ANSI colours
  bool unicode = true;  ///< block characters; else ASCII
};

/// Lines of at most `width` columns (40 at least), without line ends.
std::vector<std::string> render(const excerpt& what, int width, const style& how);

}  // namespace lab::timeline

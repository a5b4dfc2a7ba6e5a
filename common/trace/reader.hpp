#pragma once

#include <stdexcept>
#include <string_view>

#include "trace/model.hpp"
#include "trace/symbols.hpp"

namespace lab::trace {

/// The bytes are not a trace, or end in the middle of one.
struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads what a recorder wrote. `names` are those of the program that ran: they give the call sites' lines.
/// @throws malformed
run read(std::string_view bytes, symbols& names);

}  // namespace lab::trace

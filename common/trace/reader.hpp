#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "trace/model.hpp"

namespace lab::trace {

/// The bytes are not a trace, or end in the middle of one.
struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads what a recorder wrote while it ran `program`, whose debug information names the call sites. Files
/// below `root` are named relative to it.
/// @throws malformed
run read(std::string_view bytes, const std::filesystem::path& program,
         const std::filesystem::path& root = {});

}  // namespace lab::trace

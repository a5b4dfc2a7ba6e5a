#pragma once

#include <nlohmann/json.hpp>

#include "trace/model.hpp"

namespace lab::trace {

/// The whole record as one JSON object; field names are those of model.hpp, absent values are left out.
nlohmann::json to_json(const run& run);

}  // namespace lab::trace

#include "run_request.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace lab::checks {
namespace {

using nlohmann::json;

json inputs_to_json(const input_list& inputs) {
  json object = json::object();
  for (const input& each : inputs) {
    if (const auto* integer = std::get_if<std::int64_t>(&each.content)) object[each.name] = *integer;
    if (const auto* text = std::get_if<std::string>(&each.content)) object[each.name] = *text;
    const auto* number = std::get_if<double>(&each.content);
    if (std::holds_alternative<typed_bytes>(each.content) || (number != nullptr && !std::isfinite(*number)))
      throw std::invalid_argument("the input " + each.name + " is no finite number and no text");
    if (number != nullptr) object[each.name] = *number;
  }
  return object;
}

}  // namespace

input_list inputs_from_json(const json& inputs) {
  input_list list;
  for (const auto& [name, value] : inputs.get<json::object_t>()) {
    if (value.is_number_float())
      list.emplace_back(name, value.get<double>());
    else if (value.is_number_integer())
      list.emplace_back(name, value.get<std::int64_t>());
    else
      list.emplace_back(name, value.get<std::string>());
  }
  return list;
}

void to_json(json& to, const judged_run& from) {
  to = {{"scenario", from.asked.scenario},
        {"inputs", inputs_to_json(from.asked.inputs)},
        {"schedule", from.asked.schedule},
        {"on_gpu", from.on_gpu},
        {"trace", from.trace}};
}

void from_json(const json& from, judged_run& to) {
  to = {{from.at("scenario"), inputs_from_json(from.at("inputs")), from.at("schedule")},
        from.at("on_gpu"),
        from.at("trace")};
}

}  // namespace lab::checks

#include "pictures.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lab::cli {

using nlohmann::json;

std::vector<lab_picture> pictures_of(const course& labs, const lab_entry& lab) {
  const fs::path file = labs.checks_folder(lab) / "pictures.json";
  if (!fs::exists(file))
    throw told_error(fmt::format("Lab {} has no picture: there is no {}.", lab.number, course::shown(file)),
                     exit_error);
  try {
    const json all = json::parse(read_file(file));
    std::vector<lab_picture> result;
    for (const json& each : all.at("pictures")) {
      json inputs = all.at("inputs");
      if (each.contains("inputs")) inputs.update(each.at("inputs"));
      const json& scenario = each.contains("scenario") ? each.at("scenario") : all.at("scenario");
      lab_picture made{
          each.at("name"), each.at("shows"), {scenario, checks::inputs_from_json(inputs)}, {}, {}};
      if (each.contains("answers")) {
        made.answers = each.at("answers").get<std::vector<std::string>>();
        made.predictions = {"predictions", checks::inputs_from_json(all.at("predictions"))};
      }
      result.push_back(std::move(made));
    }
    if (!result.empty()) return result;
    throw told_error(fmt::format("{} lists no picture.", course::shown(file)), exit_error);
  } catch (const json::exception& problem) {
    throw told_error(fmt::format("{} makes no sense: {}", course::shown(file), problem.what()), exit_error);
  }
}

}  // namespace lab::cli

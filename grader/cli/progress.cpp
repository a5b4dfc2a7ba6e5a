#include "progress.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lab::cli {
namespace {

using nlohmann::json;

json to_json(const lab_progress& lab) {
  return {{"points", lab.points},
          {"max_points", lab.max_points},
          {"outcome", lab.outcome},
          {"content", lab.content},
          {"passed_content", lab.passed_content},
          {"checks", lab.checks},
          {"not_run", lab.not_run},
          {"hints_shown", lab.hints}};
}

lab_progress from_json(const json& entry) {
  lab_progress lab;
  lab.points = entry.at("points");
  lab.max_points = entry.at("max_points");
  lab.outcome = entry.at("outcome");
  lab.content = entry.at("content");
  lab.passed_content = entry.at("passed_content");
  lab.checks = entry.at("checks").get<std::map<std::string, bool>>();
  lab.not_run = entry.value("not_run", std::set<std::string>());  // not in files of earlier versions
  lab.hints = entry.at("hints_shown").get<std::map<std::string, int>>();
  return lab;
}

}  // namespace

std::string content_of(const fs::path& file) {
  try {
    return hex(hash_of(read_file(file)));
  } catch (const told_error&) {
    return "";
  }
}

progress::progress(const fs::path& state_folder) : state_folder_(state_folder) {
  try {
    load();
  } catch (const told_error& error) {
    warning_ = error.what();
  }
}

void progress::load() {
  labs_.clear();
  const auto file = state_folder_ / "progress.json";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  try {
    const auto content = json::parse(read_file(file));
    for (const auto& [name, entry] : content.at("labs").items()) labs_[name] = from_json(entry);
  } catch (const json::exception&) {
    labs_.clear();
    const auto kept = state_folder_ / "progress.json.unreadable";
    fs::copy_file(file, kept, fs::copy_options::overwrite_existing, error);
    fs::remove(file, error);
    warning_ = course::shown(file) +
               " could not be understood, so progress starts anew; the old file is kept as " +
               course::shown(kept) + ".";
  }
}

const lab_progress& progress::of(const std::string& lab) const {
  static const lab_progress none;
  const auto found = labs_.find(lab);
  return found == labs_.end() ? none : found->second;
}

template <class Change>
void progress::change(const std::string& lab, Change change) {
  const file_lock lock(state_folder_ / "progress.lock");
  load();  // another lab may have written since
  change(labs_[lab]);
  json all{{"version", 1}, {"labs", json::object()}};
  for (const auto& [name, entry] : labs_) all["labs"][name] = to_json(entry);
  write_atomically(state_folder_ / "progress.json", all.dump(2) + "\n");
}

void progress::record(const lab_verdict& verdict, const std::string& content) {
  change(verdict.lab, [&](lab_progress& lab) {
    lab.outcome = name_of(verdict.outcome);
    lab.content = content;
    if (verdict.checks.empty()) return;  // it did not compile: what was reached before still stands
    lab.points = verdict.points();
    lab.max_points = verdict.max_points();
    lab.checks.clear();
    lab.not_run.clear();
    for (const auto& check : verdict.checks) {
      lab.checks[check.name] = check.outcome == outcome::pass;
      if (check.outcome == outcome::not_run) lab.not_run.insert(check.name);
    }
    if (verdict.outcome == outcome::pass) lab.passed_content = content;
  });
}

void progress::record_hint(const std::string& lab, const std::string& check, int shown) {
  change(lab, [&](lab_progress& entry) { entry.hints[check] = shown; });
}

const lab_entry& next_lab(const course& labs, const progress& reached) {
  if (labs.labs().empty()) throw told_error("This checkout has no labs.", exit_misuse);
  for (const auto& lab : labs.labs()) {
    if (reached.of(lab.name).passed_content.empty()) return lab;
  }
  return labs.labs().back();
}

void keep(progress& reached, const lab_verdict& verdict, const std::string& content) {
  try {
    reached.record(verdict, content);
  } catch (const told_error& error) {
    fmt::print(stderr, "lab: Your progress could not be kept: {}\n", error.what());
  }
}

}  // namespace lab::cli

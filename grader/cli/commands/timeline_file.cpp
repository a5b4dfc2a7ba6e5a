#include "timeline_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <timeline/page.hpp>
#include <timeline/perfetto.hpp>
#include <timeline/svg.hpp>

namespace lab::cli {

namespace {

/// ".html", however it is written.
std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().string();
  for (char& each : ending) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return ending;
}

bool is_ending(const std::string& ending) {
  return ending == ".html" || ending == ".svg" || ending == ".json";
}

}  // namespace

timeline_file::timeline_file(const std::string& name, int exit_code, const std::vector<fs::path>& sources)
    : path_(name) {
  const auto refuse = [&](const std::string& sentence) { throw told_error(sentence, exit_code); };
  if (!is_ending(ending_of(path_))) {
    refuse(fmt::format(
        "A timeline is a page (.html), a picture (.svg) or a trace for ui.perfetto.dev (.json): {} has none "
        "of these endings.",
        name.empty() ? "a name that is missing" : name));
  }
  path_ = fs::absolute(path_);
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) refuse(fmt::format("Cannot write {}: it is a folder.", name));
  if (fs::exists(path_, ignored) && ::access(path_.c_str(), W_OK) != 0)
    refuse(fmt::format("Cannot write {}: the file is there, and may not be changed.", name));
  if (fs::is_other(path_, ignored)) refuse(fmt::format("Cannot write {}: it is no plain file.", name));
  fs::path target;
  try {
    target = without_links(path_);
  } catch (const told_error& error) {
    refuse(error.what());
  }
  const std::string what =
      target == path_ ? name : fmt::format("{}, which is a link to {}", name, target.string());
  if (!is_ending(ending_of(target))) refuse(fmt::format("Cannot write {}: that is no timeline.", what));
  for (const fs::path& source : sources) {
    if (fs::equivalent(source, path_, ignored))
      refuse(fmt::format("Cannot write {}: the timeline is made from it.", what));
  }
  const fs::path folder = target.parent_path();
  if (!fs::is_directory(folder, ignored))
    refuse(fmt::format("Cannot write {}: there is no folder {}.", what, folder.string()));
  if (!can_write_in(folder))
    refuse(fmt::format("Cannot write {}: the folder {} cannot be written to.", what, folder.string()));
}

void timeline_file::write(const std::vector<timeline::model>& runs) const {
  const std::string ending = ending_of(path_);
  write_atomically(path_, ending == ".html"  ? timeline::page(runs)
                          : ending == ".svg" ? timeline::svg(runs)
                                             : timeline::perfetto(runs));
}

}  // namespace lab::cli

#include "timeline_file.hpp"

#include <fmt/format.h>

#include <timeline/page.hpp>
#include <timeline/perfetto.hpp>
#include <timeline/svg.hpp>

namespace lab::cli {

timeline_file::timeline_file(const std::string& name, int exit_code) : path_(name) {
  const auto refuse = [&](const std::string& sentence) { throw told_error(sentence, exit_code); };
  const fs::path ending = path_.extension();
  if (ending != ".html" && ending != ".svg" && ending != ".json") {
    refuse(fmt::format(
        "A timeline is a page (.html), a picture (.svg) or a trace for ui.perfetto.dev (.json): {} has none "
        "of these endings.",
        name.empty() ? "a name that is missing" : name));
  }
  path_ = fs::absolute(path_);
  const fs::path folder = path_.parent_path();
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) refuse(fmt::format("Cannot write {}: it is a folder.", name));
  if (!fs::is_directory(folder, ignored))
    refuse(fmt::format("Cannot write {}: there is no folder {}.", name, folder.string()));
  if (!can_write_in(folder))
    refuse(fmt::format("Cannot write {}: the folder {} cannot be written to.", name, folder.string()));
}

void timeline_file::write(const std::vector<timeline::model>& runs) const {
  const fs::path ending = path_.extension();
  write_atomically(path_, ending == ".html"  ? timeline::page(runs)
                          : ending == ".svg" ? timeline::svg(runs)
                                             : timeline::perfetto(runs));
}

}  // namespace lab::cli

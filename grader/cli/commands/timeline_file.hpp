#pragma once

#include <string>
#include <timeline/timeline.hpp>
#include <vector>

#include "../files.hpp"

namespace lab::cli {

/// The file that a timeline is written to: a page, a picture, or a trace for other viewers, by its ending.
class timeline_file {
 public:
  /// Says what is wrong with the name before anything is run.
  /// @param sources what the timeline is made from, which it must not replace
  /// @throws told_error with `exit_code`
  timeline_file(const std::string& name, int exit_code, const std::vector<fs::path>& sources = {});

  const fs::path& path() const { return path_; }
  /// Replaces the file. @throws told_error
  void write(const std::vector<timeline::model>& runs) const;

 private:
  fs::path path_;
};

}  // namespace lab::cli

#pragma once

#include <analysis/hazards.hpp>
#include <map>
#include <string>
#include <vector>

#include "../files.hpp"

namespace lab::cli {

/// The statements of the program that a finding is about, as they stand in its files.
class quoted_lines {
 public:
  /// @param sources the folder that file names in the run start from
  quoted_lines(const analysis::recording& seen, const fs::path& sources);

  /// A table of what the hazards name, each place once, in the order in which the program came there:
  /// "     scale  student.cu:40  scale<<<blocks, threads, 0, compute>>>(data);"
  /// A statement of several lines is quoted up to its end, but no more than four lines of it.
  std::string of(const std::vector<analysis::hazard>& found) const;

 private:
  std::vector<std::string> statement_at(const std::string& where) const;

  const analysis::recording& seen_;
  std::map<std::string, fs::path> files_;  // by the names that places go by
};

}  // namespace lab::cli

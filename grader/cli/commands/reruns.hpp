#pragma once

#include <analysis/hazards.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../files.hpp"

namespace lab::cli {

/// Runs of a program that was checked, in other orders that it leaves open: without input, silent, and each
/// stopped after a while.
class reruns {
 public:
  /// @param sources the folder that file names in a record are relative to
  /// @param folder where they run; empty: here. The emulated GPU leaves the program's files alone, a real one
  /// does not
  reruns(fs::path executable, std::vector<std::string> arguments, fs::path sources, fs::path folder)
      : executable_(std::move(executable)),
        arguments_(std::move(arguments)),
        sources_(std::move(sources)),
        folder_(std::move(folder)) {}

  /// What turning the hazard round does to what the program prints and how it ends, in a sentence; "" where
  /// nothing can be seen; on a real GPU, nothing twice. Blocks until the runs have ended.
  /// @throws interrupted
  std::string proof(const analysis::recording& seen, const analysis::hazard& found,
                    const std::vector<analysis::hazard>& all);

 private:
  struct outcome {
    bool ended = false;  // by itself, and left a record
    int exit_code = 0;   // -1: by a signal
    std::vector<std::string> lines;
    analysis::recording seen{{}};
  };
  outcome run(const std::string& schedule) const;
  /// What it comes to where the hazard is turned round; "" where it is not, or nothing can be seen.
  std::string turned(const std::string& schedule, const analysis::recording& seen,
                     const analysis::hazard& found);
  /// "line 3 of its output is "0", not "8""; "" for nothing
  /// @param paces other runs of the right order: lines that differ in one of them tell times
  std::string difference(const outcome& turned, const std::vector<const outcome*>& paces) const;

  fs::path executable_;
  std::vector<std::string> arguments_;
  fs::path sources_;
  fs::path folder_;
  std::optional<outcome> right_;  // as the program reads
  std::optional<outcome> slow_;   // the same, at another pace
  std::optional<outcome> again_;  // the same, once more: on a real GPU times differ from run to run
  std::optional<outcome> usual_;  // as it runs where nothing is asked for
};

}  // namespace lab::cli

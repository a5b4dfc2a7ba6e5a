#pragma once

#include <map>
#include <set>
#include <string>

#include "verdict.hpp"

/// What the student has reached: `.lab/progress.json`.
namespace lab::cli {

struct lab_progress {
  int points = 0;  ///< of the last check
  int max_points = 0;
  std::string outcome;                 ///< of the last check; empty before the first
  std::string content;                 ///< the hash of the file that was judged
  std::string passed_content;          ///< the hash of the last file that passed; empty: never
  std::map<std::string, bool> checks;  ///< of the last check: name, passed
  std::set<std::string> not_run;       ///< those of the last check that needed another one to pass
  std::map<std::string, int> hints;    ///< how many of each check's hints have been shown
};

/// What stands for a file there: the hash of its content; empty where it cannot be read.
std::string content_of(const fs::path& file);

/// Reads and writes the file whole; a lock keeps two at once apart, a rename keeps a kill harmless.
class progress {
 public:
  /// A file that cannot be understood is kept beside as progress.json.unreadable and `warning` says so, as it
  /// does of one that cannot be read.
  explicit progress(const fs::path& state_folder);

  const lab_progress& of(const std::string& lab) const;
  const std::string& warning() const { return warning_; }

  /// @throws told_error where it cannot be written
  void record(const lab_verdict& verdict, const std::string& content);
  void record_hint(const std::string& lab, const std::string& check, int shown);

 private:
  void load();
  template <class Change>
  void change(const std::string& lab, Change change);

  fs::path state_folder_;
  std::map<std::string, lab_progress> labs_;
  std::string warning_;
};

/// The first lab that has not passed yet, else the last. @throws told_error where there are no labs
const lab_entry& next_lab(const course& labs, const progress& reached);

/// Records what the student's own file with this content came to. A verdict counts also where nothing can be
/// written: that is told on stderr.
void keep(progress& reached, const lab_verdict& verdict, const std::string& content);

}  // namespace lab::cli

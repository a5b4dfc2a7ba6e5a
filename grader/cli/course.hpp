#pragma once

#include <string>
#include <vector>

#include "toolchain.hpp"

/// The labs of the checkout, and where a student's files lie.
namespace lab::cli {

struct lab_entry {
  std::string name;    ///< its folder's: "01_timing_pitfalls"
  std::string number;  ///< "1", as students type it
  std::string title;   ///< the handout's heading
};

/// Everything is found in folders; nothing is listed anywhere.
class course {
 public:
  explicit course(toolchain tools);

  const toolchain& tools() const { return tools_; }
  const std::vector<lab_entry>& labs() const { return labs_; }

  /// By number, name or unambiguous beginning of the name. @throws told_error with the list of labs
  const lab_entry& find(const std::string& what) const;

  fs::path handout(const lab_entry& lab) const { return folder(lab) / "README.md"; }
  fs::path contract(const lab_entry& lab) const { return folder(lab) / "exercise.hpp"; }
  fs::path starter(const lab_entry& lab) const { return folder(lab) / "starter.cu"; }
  fs::path hints(const lab_entry& lab) const { return folder(lab) / "hints.md"; }
  fs::path folder(const lab_entry& lab) const { return tools_.source_folder / "labs" / lab.name; }
  fs::path solution(const lab_entry& lab) const;
  fs::path checks_folder(const lab_entry& lab) const;

  /// The student's own file: in the lab's folder, or in the state folder where LAB_STATE names one or none
  /// can be made in the checkout.
  fs::path student_file(const lab_entry& lab) const;

  /// Makes the student's file from the starter when there is none; true when it did.
  bool make_student_file(const lab_entry& lab) const;

  /// Progress, records and built programs: `.lab` in the checkout, else a folder of the user's cache.
  const fs::path& state_folder() const { return state_folder_; }

  /// A path as the user would type it here: relative where that is shorter.
  static std::string shown(const fs::path& file);

 private:
  toolchain tools_;
  std::vector<lab_entry> labs_;
  fs::path state_folder_;
  bool students_in_checkout_ = true;
};

}  // namespace lab::cli

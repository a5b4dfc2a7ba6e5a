#include "course.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace lab::cli {
namespace {

/// "01_timing_pitfalls" -> "1"
std::string number_of(const std::string& name) {
  const auto digits = name.substr(0, name.find('_'));
  const auto first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

/// The handout's first heading, without a leading "Lab 01:".
std::string title_of(const fs::path& handout, const std::string& name) {
  std::string text;
  try {
    text = read_file(handout);
  } catch (const told_error&) {
    return name;
  }
  const auto heading = text.rfind("# ", 0) == 0 ? 0 : text.find("\n# ");
  if (heading == std::string::npos) return name;
  const auto begin = text.find("# ", heading) + 2;
  auto title = text.substr(begin, text.find('\n', begin) - begin);
  if (const auto colon = title.find(": "); title.rfind("Lab ", 0) == 0 && colon < 10)
    title.erase(0, colon + 2);
  if (!title.empty())
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

/// LAB_STATE: a folder for everything that is the student's, the file to edit included.
fs::path chosen_state_folder() {
  const char* chosen = std::getenv("LAB_STATE");
  return chosen == nullptr || *chosen == '\0' ? fs::path() : fs::absolute(chosen);
}

fs::path choose_state_folder(const toolchain& tools, bool checkout_writable) {
  if (const auto chosen = chosen_state_folder(); !chosen.empty()) return chosen;
  if (checkout_writable) return tools.source_folder / ".lab";
  return tools.build_folder.parent_path() / "state";  // ./lab builds into the user's cache then
}

}  // namespace

course::course(toolchain tools) : tools_(std::move(tools)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(tools_.source_folder / "labs", error)) {
    const auto name = entry.path().filename().string();
    if (!entry.is_directory() || name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) == 0)
      continue;
    labs_.push_back({name, number_of(name), title_of(entry.path() / "README.md", name)});
  }
  std::sort(labs_.begin(), labs_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const bool checkout_writable = can_write_in(tools_.source_folder / ".lab");
  state_folder_ = choose_state_folder(tools_, checkout_writable);
  students_in_checkout_ = checkout_writable && chosen_state_folder().empty();
}

const lab_entry& course::find(const std::string& what) const {
  auto wanted = fs::path(what).filename().string();
  if (wanted.empty())
    wanted = fs::path(what).parent_path().filename().string();  // "labs/01_timing_pitfalls/"
  const bool number = !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos;
  std::vector<const lab_entry*> found;
  for (const auto& lab : labs_) {
    if (lab.name == wanted) return lab;
    if (number ? lab.number == number_of(wanted) : lab.name.rfind(wanted, 0) == 0 && !wanted.empty()) {
      found.push_back(&lab);
    }
  }
  if (found.empty() && !number && !wanted.empty()) {
    for (const auto& lab : labs_) {
      if (lab.name.substr(lab.name.find('_') + 1).rfind(wanted, 0) == 0) found.push_back(&lab);
    }
  }
  if (found.size() == 1) return *found.front();
  std::string sentence =
      found.empty() ? "There is no lab \"" + what + "\"." : "\"" + what + "\" can mean more than one lab.";
  sentence += labs_.empty() ? " This checkout has no labs." : " The labs are:";
  for (const auto& lab : labs_) sentence += "\n  " + lab.number + "  " + lab.name;
  throw told_error(sentence, exit_misuse);
}

fs::path course::solution(const lab_entry& lab) const {
  return tools_.source_folder / "solutions" / lab.name / "solution.cu";
}

fs::path course::checks_folder(const lab_entry& lab) const {
  return tools_.source_folder / "grader" / "checks" / lab.name;
}

fs::path course::student_file(const lab_entry& lab) const {
  const auto in_checkout = folder(lab) / "student.cu";
  std::error_code error;
  const bool given = chosen_state_folder().empty() && fs::exists(in_checkout, error);
  if (students_in_checkout_ || given) return in_checkout;
  return state_folder_ / "labs" / lab.name / "student.cu";
}

bool course::make_student_file(const lab_entry& lab) const {
  const auto file = student_file(lab);
  if (fs::exists(fs::symlink_status(file))) return false;
  write_atomically(file, read_file(starter(lab)));
  return true;
}

std::string course::shown(const fs::path& file) {
  std::error_code error;
  const auto relative = fs::proximate(file, error).string();
  const auto absolute = file.string();
  return !error && relative.size() < absolute.size() ? relative : absolute;
}

}  // namespace lab::cli

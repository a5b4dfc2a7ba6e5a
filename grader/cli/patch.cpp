#include "patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <timeline/text.hpp>

#include "process.hpp"

namespace lab::cli {
namespace {

const char* const made_again =
    "Make it anew: change the solution, save what git diff prints, and take the change back.";

fs::path scratch(const course& labs) {
  const auto folder = labs.tools().build_folder / "runs";
  make_folder(folder);
  remove_abandoned(folder);
  return folder;
}

bool begins(const std::string& line, const char* with) {
  return line.rfind(with, 0) == 0;
}

/// Whether git was told to write the names of files with nothing in front: diff.noprefix.
bool lacks_prefix(const std::string& file) {
  return begins(file, "solutions/");
}

/// The files that the patch changes, makes or removes, as it names them: with "a/" and "b/", or with other
/// letters, in front, or with nothing.
std::vector<std::string> names_in(const std::vector<std::string>& patch) {
  const auto name = [](const std::string& line) { return line.substr(4, line.find_first_of("\t\r") - 4); };
  std::vector<std::string> files;
  for (std::size_t i = 0; i + 1 < patch.size(); ++i) {
    if (!begins(patch[i], "--- ") || !begins(patch[i + 1], "+++ ")) continue;
    for (const auto& each : {name(patch[i]), name(patch[i + 1])}) {
      if (each != "/dev/null" && std::find(files.begin(), files.end(), each) == files.end())
        files.push_back(each);
    }
  }
  return files;
}

/// What is wrong with the patch in itself; empty where nothing is. @param solution by its name in the
/// checkout
std::string why_no_patch(const std::string& text, const std::string& solution, const course& labs) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return "is empty; a patch is what git diff prints.";
  const auto patch = lines_of(text);
  const bool binary = std::any_of(patch.begin(), patch.end(), [](const std::string& line) {
    return begins(line, "GIT binary patch") || begins(line, "Binary files ");
  });
  if (binary || text.find('\0') != std::string::npos)
    return "is binary; a patch of a solution is text, as git diff prints it.";
  const auto names = names_in(patch);
  if (names.empty()) {
    return "is no patch: it has no line \"--- a/" + solution + "\" with a line \"+++ b/" + solution +
           "\" behind it, as git diff prints them.";
  }
  for (const auto& name : names) {
    const std::string file = lacks_prefix(name) ? name : name.substr(name.find('/') + 1);
    if (file == solution) continue;
    std::string sentence =
        "is a patch of " + timeline::printable(file) + "; it may change " + solution + " alone.";
    for (const auto& other : labs.labs()) {
      if (file == "solutions/" + other.name + "/solution.cu")
        sentence += " It is one for lab " + other.number + ".";
    }
    return sentence;
  }
  return "";
}

/// What is wrong with the hunk that begins so in the solution.
std::string why_no_fit(const std::vector<std::string>& patch, long begin, const std::string& solution_text) {
  const auto solution = lines_of(solution_text);
  const auto is_hunk = [](const std::string& line, long& at) {
    return std::sscanf(line.c_str(), "@@ -%ld", &at) == 1;
  };
  long at = 0;
  std::size_t hunk = 0;
  while (hunk < patch.size() && !(is_hunk(patch[hunk], at) && at == begin)) ++hunk;
  if (hunk == patch.size()) return "";
  const std::string which =
      fmt::format("its hunk \"{}\" (line {})", timeline::printable(patch[hunk]), hunk + 1);
  for (std::size_t i = hunk + 1; i < patch.size() && !is_hunk(patch[i], at); ++i) {
    const std::string& line = patch[i];
    const bool is_old = !line.empty() && (line[0] == ' ' || line[0] == '-') && !begins(line, "--- ");
    if (!is_old || std::find(solution.begin(), solution.end(), line.substr(1)) != solution.end()) continue;
    if (line.back() == '\r')
      return which + " has lines that end as on Windows, with a carriage return, and the solution's do not.";
    return fmt::format("{} has the line \"{}\" (line {}), which the solution has not, or no longer.", which,
                       timeline::printable(trimmed(line.substr(1))), i + 1);
  }
  return which + " has lines that the solution has too, but not there, or not one behind the other.";
}

/// In our words, what git says of a patch that does not apply.
std::string why_not_applied(const std::string& words, const std::string& text,
                            const std::string& solution_text) {
  long number = 0;
  if (const auto at = words.find("corrupt patch at line "); at != std::string::npos) {
    std::sscanf(words.c_str() + at, "corrupt patch at line %ld", &number);
    return fmt::format(
        "it is broken at line {}: a hunk has as many lines as the numbers in its line \"@@\" "
        "say. Was it cut off, or edited by hand?",
        number);
  }
  const auto said = lines_of(words);
  const auto failed = std::find_if(said.begin(), said.end(), [](const std::string& line) {
    return begins(line, "error: patch failed: ");
  });
  std::string why;
  if (failed != said.end()) {
    std::sscanf(failed->c_str() + failed->rfind(':') + 1, "%ld", &number);
    why = why_no_fit(lines_of(text), number, solution_text);
  }
  const std::string first = said.empty() ? "nothing" : said.front();
  return why.empty() ? "git says \"" + timeline::printable(first) + "\"." : why;
}

}  // namespace

scratch_solution::scratch_solution(const course& labs, const lab_entry& lab, const std::string& text)
    : folder_(scratch(labs)), file_(folder_.path() / "solutions" / lab.name / "solution.cu") {
  write_atomically(file_, text);
}

patched_solution::patched_solution(const course& labs, const lab_entry& lab, const fs::path& patch)
    : solution_(labs, lab, read_file(labs.solution(lab))) {
  const auto name = course::shown(patch);
  std::error_code none;
  if (!fs::exists(patch, none)) throw told_error("There is no patch " + name + ".", exit_misuse);
  if (fs::is_directory(patch)) throw told_error(name + " is a folder; a patch is a file.", exit_misuse);
  const std::string text = read_file(patch), before = read_file(labs.solution(lab));
  const std::string solution = "solutions/" + lab.name + "/solution.cu";
  if (const std::string why = why_no_patch(text, solution, labs); !why.empty())
    throw told_error(name + " " + why, exit_error);
  command git;
  const auto names = names_in(lines_of(text));
  const bool bare = std::any_of(names.begin(), names.end(), lacks_prefix);
  git.arguments = {"git", "apply", "--whitespace=nowarn", bare ? "-p0" : "-p1", fs::absolute(patch).string()};
  git.folder = solution_.folder();
  // git must take the folder for what it is, not for a part of our own repository.
  git.environment = {{"GIT_CEILING_DIRECTORIES", solution_.folder().parent_path().string()},
                     {"GIT_DIR", ""},
                     {"GIT_WORK_TREE", ""},
                     {"LC_ALL", "C"}};
  const auto ended = run(git);
  if (!ended.succeeded()) {
    throw told_error(fmt::format("{} does not apply to {}: {} {}", name, solution,
                                 why_not_applied(ended.errors, text, before), made_again),
                     exit_error);
  }
  if (!fs::exists(file())) throw told_error(name + " removes " + solution + ".", exit_error);
  if (read_file(file()) == before)
    throw told_error(name + " changes nothing in " + solution + ".", exit_error);
}

}  // namespace lab::cli

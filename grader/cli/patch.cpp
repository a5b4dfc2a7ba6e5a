#include "patch.hpp"

#include "diagnostics.hpp"
#include "process.hpp"

namespace lab::cli {
namespace {

fs::path scratch(const course& labs) {
  const auto folder = labs.tools().build_folder / "runs";
  make_folder(folder);
  remove_abandoned(folder);
  return folder;
}

}  // namespace

scratch_solution::scratch_solution(const course& labs, const lab_entry& lab, const std::string& text)
    : folder_(scratch(labs)), file_(folder_.path() / "solutions" / lab.name / "solution.cu") {
  write_atomically(file_, text);
}

patched_solution::patched_solution(const course& labs, const lab_entry& lab, const fs::path& patch)
    : solution_(labs, lab, read_file(labs.solution(lab))) {
  if (!fs::is_regular_file(patch)) throw told_error("There is no patch " + patch.string() + ".", exit_misuse);
  command git;
  git.arguments = {"git", "apply", "--whitespace=nowarn", fs::absolute(patch).string()};
  git.folder = solution_.folder();
  // git must take the folder for what it is, not for a part of our own repository.
  git.environment = {{"GIT_CEILING_DIRECTORIES", solution_.folder().parent_path().string()},
                     {"GIT_DIR", ""},
                     {"GIT_WORK_TREE", ""},
                     {"LC_ALL", "C"}};
  const auto ended = run(git);
  const auto name = course::shown(patch);
  if (!ended.succeeded()) {
    throw told_error(name + " does not apply to " + course::shown(labs.solution(lab)) + ": " +
                         printable(ended.errors.substr(0, ended.errors.find('\n'))),
                     exit_error);
  }
  if (read_file(file()) == read_file(labs.solution(lab))) {
    throw told_error(name + " changes nothing in solutions/" + lab.name + "/solution.cu.", exit_error);
  }
}

}  // namespace lab::cli

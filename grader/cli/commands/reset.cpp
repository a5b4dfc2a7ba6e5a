#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "commands.hpp"

namespace lab::cli {
namespace {

/// A link never replaces: two at once get two backups. Where the file itself is a symbolic link, its target
/// is kept, which is what will be written.
fs::path back_up(const fs::path& file) {
  for (int number = 1;; ++number) {
    const fs::path backup = file.string() + ".bak-" + std::to_string(number);
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, backup.c_str(), AT_SYMLINK_FOLLOW) == 0) return backup;
    if (errno == EEXIST) continue;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EXDEV) {  // else a file system without hard links
      throw told_error("Cannot keep a copy of " + file.string() + ": " + std::strerror(errno) + ".",
                       exit_error);
    }
    if (fs::exists(fs::symlink_status(backup))) continue;
    write_atomically(backup, read_file(file));
    return backup;
  }
}

}  // namespace

int reset(const course& labs, const std::string& lab_name) {
  const auto& lab = labs.find(lab_name);
  const auto file = labs.student_file(lab);
  if (labs.make_student_file(lab)) {
    fmt::print("{} is new, from the starter.\n", course::shown(file));
    return exit_pass;
  }
  if (fs::is_directory(file))
    throw told_error(course::shown(file) + " is a folder: remove it first.", exit_error);
  const auto starter = read_file(labs.starter(lab));
  if (read_file(file) == starter) {
    fmt::print("{} is the starter already.\n", course::shown(file));
    return exit_pass;
  }
  const auto backup = back_up(file);
  write_atomically(file, starter);
  fmt::print("{} is the starter again; yours is kept as {}.\n", course::shown(file), course::shown(backup));
  return exit_pass;
}

}  // namespace lab::cli

#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Files that survive a kill at any moment, and words for what goes wrong with them.
namespace lab::cli {

namespace fs = std::filesystem;

/// Something the user can act on, in one sentence; `exit_code` is what the command ends with.
struct told_error : std::runtime_error {
  told_error(const std::string& sentence, int code) : std::runtime_error(sentence), exit_code(code) {}
  int exit_code;
};

/// The disk is full: nobody's file is at fault, and nothing else that is tried will work.
struct disk_full : told_error {
  explicit disk_full(const std::string& sentence);
};

inline constexpr int exit_pass = 0;
inline constexpr int exit_fail = 1;
inline constexpr int exit_error = 2;
inline constexpr int exit_not_run = 3;
inline constexpr int exit_misuse = 64;
inline constexpr int exit_own_failure = 125;  ///< of `lab run`, which passes every other code through

/// "Cannot write FILE: the reason". @param error as errno has it  @throws disk_full, told_error
[[noreturn]] void fail(std::string_view doing, const fs::path& file, int error);

/// @throws told_error naming the file and the reason; directories and files over `limit_bytes` are refused
std::string read_file(const fs::path& file, std::uintmax_t limit_bytes = 64u << 20);

/// Its lines, without their line feeds; what follows the last one is a line if there is anything.
std::vector<std::string> lines_of(std::string_view text);

/// Without the blanks and tabs at both ends.
std::string trimmed(const std::string& text);

/// Where a file is written that may be a link, also one that leads nowhere yet. @throws told_error
fs::path without_links(const fs::path& file);

/// Readers see the old content or the new one, never a mixture, also after a power cut. A link stays one, and
/// what is replaced keeps its mode and owner, as far as we may. @throws
/// told_error
void write_atomically(const fs::path& file, std::string_view content);

/// Makes the folder and its parents. @throws told_error
void make_folder(const fs::path& folder);

/// 64 bits that differ whenever the content does, for all that a student will meet; not cryptographic.
std::uint64_t hash_of(std::string_view content, std::uint64_t seed = 0xcbf29ce484222325u);
std::string hex(std::uint64_t value);

/// True when a file can be made in `folder` (tried, because permission bits mean nothing to root).
bool can_write_in(const fs::path& folder);

/// Blocks until nobody else holds the lock on `file`; released at the end of the scope and when the process
/// dies.
class file_lock {
 public:
  explicit file_lock(const fs::path& file);
  ~file_lock();
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;

 private:
  int descriptor_;
};

/// While it lives, remove_unless_used() lets the folder be, in whichever process. Where there is no folder,
/// or the file system has no locks, it does nothing.
class folder_in_use {
 public:
  explicit folder_in_use(const fs::path& folder);  ///< blocks while the folder is being removed
  ~folder_in_use();
  folder_in_use(const folder_in_use&) = delete;
  folder_in_use& operator=(const folder_in_use&) = delete;

 private:
  int descriptor_;
};
void remove_unless_used(const fs::path& folder);

/// A folder of its own that goes with the scope. Its name carries the process id, so that what a `kill -9`
/// leaves behind is recognised and removed by the next run (`remove_abandoned`).
class temporary_folder {
 public:
  explicit temporary_folder(const fs::path& parent);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const fs::path& path() const { return path_; }

  /// Gives the folder its final name; false when somebody else was first (theirs is kept).
  bool publish_as(const fs::path& final_path);

 private:
  fs::path path_;
};

/// Removes the temporary folders in `parent` whose process is gone.
void remove_abandoned(const fs::path& parent);

}  // namespace lab::cli

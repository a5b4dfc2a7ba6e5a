#include "files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace lab::cli {
namespace {

constexpr std::string_view temporary_prefix = ".making-";

class descriptor {
 public:
  descriptor(const fs::path& file, int flags, mode_t mode = 0666)
      : value_(::open(file.c_str(), flags | O_CLOEXEC, mode)) {}
  ~descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

void write_all(int file, std::string_view content, const fs::path& name) {
  while (!content.empty()) {
    const auto written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("Cannot write", name, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// For a file that takes the place of another, as far as we may: only root gives files away, only members of
/// a group to it, and not every file system has modes. No other group gets what the one before had.
void keep_owner_and_mode(int file, const struct stat& before) {
  const uid_t nobody_else = static_cast<uid_t>(-1);
  const bool same_group =
      ::fchown(file, before.st_uid, before.st_gid) == 0 || ::fchown(file, nobody_else, before.st_gid) == 0;
  static_cast<void>(::fchmod(file, before.st_mode & (same_group ? 0777 : 0707)) == 0);
}

/// While it lives, a file that grows over the limit (ulimit -f) is an error to whoever writes to it, and no
/// end.
class limit_is_an_error {
 public:
  limit_is_an_error() : before_(::signal(SIGXFSZ, SIG_IGN)) {}
  ~limit_is_an_error() { ::signal(SIGXFSZ, before_); }
  limit_is_an_error(const limit_is_an_error&) = delete;
  limit_is_an_error& operator=(const limit_is_an_error&) = delete;

 private:
  void (*before_)(int);
};

std::string unique_suffix() {
  static std::atomic<unsigned> counter{0};
  return std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace

disk_full::disk_full(const std::string& sentence)
    : told_error(sentence + " Free some space and try again.", exit_error) {}

void fail(std::string_view doing, const fs::path& file, int error) {
  const auto sentence = std::string(doing) + " " + file.string() + ": " + std::strerror(error) + ".";
  if (error == ENOSPC || error == EDQUOT) throw disk_full(sentence);
  throw told_error(sentence, exit_error);
}

std::string read_file(const fs::path& file, std::uintmax_t limit_bytes) {
  const descriptor input(file, O_RDONLY | O_NONBLOCK);  // a pipe without a writer must not hang us
  if (input.get() < 0) fail("Cannot read", file, errno);
  struct stat status {};
  if (::fstat(input.get(), &status) != 0) fail("Cannot read", file, errno);
  if (S_ISDIR(status.st_mode))
    throw told_error(file.string() + " is a folder; a file is needed.", exit_error);
  if (!S_ISREG(status.st_mode)) throw told_error(file.string() + " is not a plain file.", exit_error);
  if (static_cast<std::uintmax_t>(status.st_size) > limit_bytes) {
    throw told_error(file.string() + " has " + std::to_string(status.st_size >> 20) +
                         " MiB; a source file of this course has a few KiB. Is it the right file?",
                     exit_error);
  }
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const auto got = ::read(input.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("Cannot read", file, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

fs::path without_links(const fs::path& file) {
  constexpr int most_links = 40;  // as Linux has it
  fs::path target = file;
  std::error_code error;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == most_links) fail("Cannot write", file, ELOOP);
    target = target.parent_path() / fs::read_symlink(target, error);  // an absolute one stands alone
    if (error) fail("Cannot write", file, error.value());
  }
  return target;
}

void write_atomically(const fs::path& file, std::string_view content) {
  struct stat before {};
  const bool exists = ::stat(file.c_str(), &before) == 0;
  if (exists && S_ISDIR(before.st_mode)) fail("Cannot write", file, EISDIR);
  if (exists && !S_ISREG(before.st_mode))
    throw told_error("Cannot write " + file.string() + ": it is no plain file.", exit_error);
  const limit_is_an_error while_writing;
  const fs::path target = without_links(file), folder = target.parent_path();
  make_folder(folder);
  const auto temporary = folder / ("." + target.filename().string() + "." + unique_suffix());
  try {
    const descriptor output(temporary, O_WRONLY | O_CREAT | O_TRUNC, exists ? 0600 : 0666);
    if (output.get() < 0) fail("Cannot write", file, errno);
    write_all(output.get(), content, file);
    if (exists) keep_owner_and_mode(output.get(), before);
    if (::fsync(output.get()) != 0) fail("Cannot write", file, errno);
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail("Cannot write", file, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const descriptor renamed_in(folder, O_RDONLY | O_DIRECTORY);
  if (renamed_in.get() >= 0) ::fsync(renamed_in.get());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("Cannot make the folder", folder, error.value());
}

std::uint64_t hash_of(std::string_view content, std::uint64_t seed) {
  std::uint64_t hash = seed;  // FNV-1a
  for (const unsigned char byte : content) hash = (hash ^ byte) * 0x100000001b3u;
  return (hash ^ content.size()) * 0x100000001b3u;
}

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4)
    *digit = "0123456789abcdef"[value & 15];
  return text;
}

bool can_write_in(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const auto probe = folder / (".probe-" + unique_suffix());
  const descriptor file(probe, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) return errno == ENOSPC;  // a full disk is another trouble, with its own sentence
  ::unlink(probe.c_str());
  return true;
}

file_lock::file_lock(const fs::path& file) {
  make_folder(file.parent_path());
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("Cannot open the lock", file, errno);
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    ::close(descriptor_);
    fail("Cannot lock", file, error);
  }
}

file_lock::~file_lock() {
  ::close(descriptor_);
}

folder_in_use::folder_in_use(const fs::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_SH) != 0 && errno == EINTR) {
  }
}

folder_in_use::~folder_in_use() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void remove_unless_used(const fs::path& folder) {
  const descriptor opened(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened.get() >= 0 && ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

temporary_folder::temporary_folder(const fs::path& parent) {
  make_folder(parent);
  path_ = parent / (std::string(temporary_prefix) + unique_suffix());
  std::error_code ignored;
  fs::remove_all(path_, ignored);  // of an earlier process with this id
  make_folder(path_);
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

bool temporary_folder::publish_as(const fs::path& final_path) {
  std::error_code error;
  fs::rename(path_, final_path, error);
  if (error) return false;  // and the destructor removes ours
  path_.clear();
  return true;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const auto name = entry.path().filename().string();
    if (name.rfind(temporary_prefix, 0) != 0) continue;
    const int process = std::atoi(name.c_str() + temporary_prefix.size());
    if (process > 0 && (::kill(process, 0) == 0 || errno != ESRCH)) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace lab::cli

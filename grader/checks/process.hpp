#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Programs that must leave nothing behind: a group of their own, a folder of their own, killed and reaped to
/// the last.
namespace lab::checks {

/// A file descriptor, closed at the end.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { reset(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset();

 private:
  int number_ = -1;
};

/// Two connected descriptors, closed on exec, ours without blocking.
struct descriptor_pair {
  descriptor ours;
  descriptor theirs;
};
descriptor_pair make_pipe();             ///< ours reads
descriptor_pair make_message_channel();  ///< SOCK_SEQPACKET, both ways

/// A fresh folder, removed with all that is in it at the end. Its name carries the process id, so that what a
/// `kill -9` leaves behind is removed by the next process that makes one there.
class temporary_folder {
 public:
  temporary_folder();  ///< @throws std::runtime_error where none can be made
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct program_start {
  std::filesystem::path program;
  std::vector<std::string> environment;  ///< "NAME=value"
  std::filesystem::path folder;          ///< to run in
  int output = -1;                       ///< becomes stdout and stderr; stdin reads nothing
  std::vector<int> inherited;            ///< descriptors that stay open, under their numbers
};

/// A running program and every process that comes from it. While one exists the calling process has no other
/// children than such programs: processes that leave their group come back to it as to their subreaper, and
/// are killed when any of the groups ends.
class process_group {
 public:
  explicit process_group(
      const program_start& how);  ///< @throws std::system_error where the program cannot be started
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;
  ~process_group();  ///< end()

  void terminate() const;  ///< SIGTERM to the program itself
  void kill_all() const;   ///< SIGKILL to the group
  bool has_ended() const;  ///< the program itself; returns at once
  /// A descriptor that becomes readable when the program has ended, or -1 on kernels without one.
  int ended_descriptor() const { return ended_.number(); }
  std::chrono::nanoseconds cpu_time() const;
  std::size_t resident_bytes() const;  ///< memory of the program itself; 0 when it has ended
  bool is_stopped() const;             ///< by a signal, until another lets it go on

  /// Kills and reaps all that is left; returns the program's wait status. Blocks until none is left.
  int end();

 private:
  pid_t pid_ = -1;
  descriptor ended_;
  std::optional<int> status_;
};

}  // namespace lab::checks

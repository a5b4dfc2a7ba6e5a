#include "report.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "interpose/syscalls.hpp"

extern char** environ;

namespace lab::emulator {

namespace {

struct {
  bool quiet;
  const char* where;
} how;

}  // namespace

void start_reporting() {
  how.quiet = std::getenv("LAB_QUIET") != nullptr;
  if (const char* where = std::getenv("LAB_WHERE")) how.where = (new std::string(where))->c_str();
  unsetenv("LAB_QUIET");
  unsetenv("LAB_WHERE");
}

// As `LAB_WHERE PROGRAM ADDRESS...` prints it.
std::string place_of(const std::vector<std::uint64_t>& frames) {
  int ends[2];
  if (how.where == nullptr || frames.empty() || pipe2(ends, O_CLOEXEC) != 0) return "";
  std::vector<std::string> words{how.where, "/proc/" + std::to_string(getpid()) + "/exe"};
  for (const auto frame : frames) words.push_back(std::to_string(frame));
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Raw system calls: the program's own are interposed, and do not start processes.
  const long child = raw_syscall(SYS_fork);
  if (child == 0) {
    raw_syscall(SYS_dup2, ends[1], STDOUT_FILENO);
    raw_syscall(SYS_execve, reinterpret_cast<long>(how.where), reinterpret_cast<long>(arguments.data()),
                reinterpret_cast<long>(environ));
    raw_syscall(SYS_exit_group, 1);
  }
  raw_syscall(SYS_close, ends[1]);
  std::string place;
  char text[512];
  for (long count; (count = raw_syscall(SYS_read, ends[0], reinterpret_cast<long>(text), sizeof text)) > 0;) {
    place.append(text, static_cast<std::size_t>(count));
  }
  if (child > 0) raw_syscall(SYS_wait4, child);
  raw_syscall(SYS_close, ends[0]);
  while (!place.empty() && place.back() == '\n') place.pop_back();
  return place;
}

void say(std::string_view sentence, const std::vector<std::uint64_t>& frames) {
  if (how.quiet) return;
  // One write, so that it does not mix with the program's own lines.
  const std::string place = place_of(frames);
  const std::string line = "lab: " + place + (place.empty() ? "" : ": ") + std::string(sentence) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace lab::emulator

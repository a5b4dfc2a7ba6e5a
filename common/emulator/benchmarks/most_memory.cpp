#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

/// Runs a program and prints the most memory it held; with --trace, reads the trace it records.
/// usage: most_memory [--trace] PROGRAM
int main(int argc, char** argv) {
  const bool trace = argc == 3 && std::strcmp(argv[1], "--trace") == 0;
  if (argc != 2 && !trace) return 64;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    close(ends[0]);
    if (trace) {
      setenv("LAB_TRACE_FD", std::to_string(ends[1]).c_str(), 1);
    } else {
      close(ends[1]);
    }
    execv(argv[argc - 1], argv + argc - 1);
    _exit(127);
  }
  close(ends[1]);
  static char buffer[1 << 16];
  std::size_t bytes = 0;
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes += static_cast<std::size_t>(count);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  std::printf("  most memory %ld MB (at most 300)", usage.ru_maxrss / 1024);
  if (trace) std::printf(", with a trace of %zu MB", bytes >> 20);
  std::puts("");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

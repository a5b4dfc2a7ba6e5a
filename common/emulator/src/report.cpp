#include "report.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace lab::emulator {

namespace {
bool quiet = false;
}

void start_reporting() {
  quiet = std::getenv("LAB_QUIET") != nullptr;
  unsetenv("LAB_QUIET");
}

void say(std::string_view sentence) {
  if (quiet) return;
  // One write, so that it does not mix with the program's own lines.
  const std::string line = "lab: " + std::string(sentence) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace lab::emulator

#include "trace_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <trace/reader.hpp>

#include "commands.hpp"

namespace lab::cli {

trace_file::trace_file() : descriptor_(::memfd_create("record", 0)) {
  if (descriptor_ < 0) {
    throw told_error(fmt::format("There is no memory for the program's record: {}.", std::strerror(errno)),
                     exit_own_failure);
  }
}

trace_file::~trace_file() {
  ::close(descriptor_);
}

analysis::recording trace_file::read(const fs::path& program, const fs::path& sources) const {
  std::string bytes(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
  std::size_t done = 0;
  for (ssize_t got = 1; got > 0 && done < bytes.size(); done += static_cast<std::size_t>(got)) {
    got = ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
  }
  try {
    trace::symbols names(program, sources);
    return analysis::recording(trace::read(bytes, names));
  } catch (const trace::malformed& problem) {
    throw told_error(
        bytes.empty()
            ? "The program left no record of what it did, so it was not checked."
            : fmt::format("The program's record cannot be read, so it was not checked: {}.", problem.what()),
        exit_own_failure);
  }
}

}  // namespace lab::cli

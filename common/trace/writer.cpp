#include "writer.hpp"

#include <unistd.h>

namespace lab::trace {

writer::writer(std::string_view device) {
  text_of(device);
  stack_of({});
}

wire::text writer::text_of(std::string_view text) {
  const auto found = known_texts_.find(text);
  if (found != known_texts_.end()) return found->second;
  for (const char c : text) texts_.add(c == '\0' ? '?' : c);
  texts_.add('\0');
  const auto number = static_cast<wire::text>(known_texts_.size());
  known_texts_.emplace(text, number);
  return number;
}

wire::stack writer::stack_of(const std::vector<std::uint64_t>& frames) {
  const auto [entry, fresh] =
      known_stacks_.try_emplace(frames, static_cast<wire::stack>(known_stacks_.size()));
  if (fresh) {
    frames_.add(frames.size());
    for (const auto frame : frames) frames_.add(frame);
  }
  return entry->second;
}

void writer::write(int descriptor, bool complete) const {
  bool failed = false;
  const auto out = [&](const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0 && !failed) {
      const ssize_t count = ::write(descriptor, at, bytes);
      if (count <= 0) {
        failed = true;  // the reader has gone: nobody is left to tell
        return;
      }
      at += count;
      bytes -= static_cast<std::size_t>(count);
    }
  };
  out(wire::magic, sizeof wire::magic);
  texts_.write(out);
  frames_.write(out);
  calls.write(out);
  operations.write(out);
  streams.write(out);
  events.write(out);
  allocations.write(out);
  clock_reads.write(out);
  pauses.write(out);
  findings.write(out);
  accesses.write(out);
  host_accesses.write(out);
  host_syncs.write(out);
  const wire::section end{wire::tag::end, 1, complete ? std::uint64_t{1} : 0};
  out(&end, sizeof end);
  ::close(descriptor);
}

}  // namespace lab::trace

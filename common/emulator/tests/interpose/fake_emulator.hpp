#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "interpose/hooks.hpp"
#include "trace/model.hpp"

/// The emulator as far as the interposed functions can tell: a small scheduler, and hooks that note what they
/// were told. The tests of this folder then show the interposers alone.
namespace lab::emulator::fake {

struct clock_read {
  trace::clock_kind clock;
  time_ns at;
  time_ns value;
};

struct pause {
  trace::pause_kind kind;
  time_ns begin;
  time_ns end;
};

struct range {
  const void* address;
  std::size_t bytes;
  bool write;
  std::string function;
};

struct notes {
  std::vector<clock_read> clock_reads;
  std::vector<pause> pauses;
  std::vector<range> host_ranges;
  std::vector<range> kernel_ranges;
  std::vector<std::string> not_emulated;
  std::string device_output;
  std::size_t charged_bytes = 0;
};

/// What has been noted since the last call.
notes take_notes();

/// The calls that follow are a kernel's, for one scope.
class kernel_section {
 public:
  kernel_section() { executing = execution::kernel; }
  ~kernel_section() { executing = execution::host; }
  kernel_section(const kernel_section&) = delete;
  kernel_section& operator=(const kernel_section&) = delete;
};

}  // namespace lab::emulator::fake

#include "context.hpp"

#include "device.hpp"
#include "driver_types.h"
#include "profile.hpp"
#include "recorder.hpp"
#include "report.hpp"

namespace lab::emulator {

namespace {

int sticky = cudaSuccess;
bool created = false;

}  // namespace

int sticky_error() {
  return sticky;
}

void fail_context(int error, const std::string& sentence, trace::id operation, const void* code, time_ns at) {
  sticky = error;
  recorder::add_finding(trace::finding_kind::device_fault, sentence, operation, recorder::here(code));
  say(sentence, recorder::frames(code));
  device::abandon_all(at);
}

void fail_context(int error, const std::string& sentence, const operation& work, time_ns at) {
  sticky = error;
  const auto submitted_by = recorder::operation(work.id).submitted_by;
  recorder::add_finding(trace::finding_kind::device_fault, sentence, work.id,
                        recorder::call(submitted_by).stack);
  say(sentence, {reinterpret_cast<std::uint64_t>(work.submitted_from)});
  device::abandon_all(at);
}

void lose_device() {
  sticky = cudaErrorDevicesUnavailable;
}

time_ns context_creation() {
  if (created) return 0;
  created = true;
  return gpu().context_creation_ns;
}

}  // namespace lab::emulator

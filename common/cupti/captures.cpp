#include "captures.hpp"

#include <atomic>
#include <mutex>
#include <set>

#include "driver.hpp"
#include "submissions.hpp"

namespace lab::cupti::captures {
namespace {

std::atomic<std::size_t> count{0};

struct state {
  std::mutex lock;
  std::set<submissions::stream_key> begun_in;  // the streams that captures began in
  std::set<address> events;                    // whose last record is in one
};

/// Never destroyed: the last calls come when a program's own variables are gone.
state& all() {
  static state& instance = *new state;
  return instance;
}

enum class answer { no, yes, refused };

answer is_capturing(address stream) {
  static auto* const ask = driver_function<CUresult(CUstream, CUstreamCaptureStatus*)>("cuStreamIsCapturing");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (ask == nullptr || ask(reinterpret_cast<CUstream>(stream), &status) != CUDA_SUCCESS)
    return answer::refused;
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? answer::no : answer::yes;
}

void exchange(CUstreamCaptureMode& mode) {
  static auto* const function =
      driver_function<CUresult(CUstreamCaptureMode*)>("cuThreadExchangeStreamCaptureMode");
  if (function != nullptr) function(&mode);
}

}  // namespace

bool in_progress() {
  return count.load(std::memory_order_relaxed) > 0;
}

void after(const seen_call& call) {
  const bool begins = call.what == action::begin_capture, ends = call.what == action::end_capture;
  const bool records = call.what == action::record_event && in_progress();
  if (!begins && !ends && !records) return;
  const std::lock_guard alone(all().lock);
  if (records && call.is_captured) all().events.insert(call.event);
  if (records && !call.is_captured) all().events.erase(call.event);
  const auto stream = submissions::key_of(call);
  if (begins && call.status == 0) all().begun_in.insert(stream);
  // One that is spoilt ends with an error; where that is another's the capture goes on.
  if (ends && is_capturing(stream.handle) != answer::yes) all().begun_in.erase(stream);
  count = all().begun_in.size();
  if (count == 0) all().events.clear();
}

bool have_taken(const seen_call& call) {
  if (!in_progress() || !call.takes_stream || is_to_legacy_stream(call)) return false;
  return is_capturing(submissions::key_of(call).handle) == answer::yes;
}

bool will_take(const seen_call& call) {
  if (!in_progress()) return false;
  if (have_taken(call)) return true;
  const std::lock_guard alone(all().lock);
  return call.what == action::wait_event && all().events.count(call.event) > 0;
}

bool may_ask(address stream) {
  return !in_progress() || is_capturing(stream) == answer::no;
}

no_objection::no_objection() {
  if (needed_) exchange(mode_);
}
no_objection::~no_objection() {
  if (needed_) exchange(mode_);
}

}  // namespace lab::cupti::captures

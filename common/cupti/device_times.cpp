#include "device_times.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace lab::cupti::device_times {
namespace {

// Record types of the toolkit at hand: what is read lies alike in all of them since CUDA 12.0.
#if CUPTI_API_VERSION >= 130000
using kernel_record = CUpti_ActivityKernel10;
using copy_record = CUpti_ActivityMemcpy6;
#else
using kernel_record = CUpti_ActivityKernel9;
using copy_record = CUpti_ActivityMemcpy5;
#endif
using memset_record = CUpti_ActivityMemset4;

constexpr std::size_t buffer_bytes = 4 << 20;

/// On the clock.
struct stretch {
  std::uint64_t begin, end;
};

/// What CUPTI's thread has brought, so that no call waits for that.
struct arrived {
  std::recursive_mutex lock;                         // a signal may find its own thread inside
  std::unordered_map<std::uint32_t, stretch> times;  // by correlation id
  std::set<std::uint32_t> gpus;
  std::uint64_t lost = 0;
};

/// Never destroyed: CUPTI's thread ends later than the program's own variables.
arrived& all() {
  static arrived& instance = *new arrived;
  return instance;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

/// Several pieces of one call count as one.
void add(std::uint32_t correlation, const stretch& when) {
  if (when.begin == 0 && when.end == 0) return;  // CUPTI's word for "not known"
  stretch& known = all().times.try_emplace(correlation, when).first->second;
  known = {std::min(known.begin, when.begin), std::max(known.end, when.end)};
}

template <class Record>
void add_work(const CUpti_Activity* given) {
  const auto& record = *reinterpret_cast<const Record*>(given);
  add(record.correlationId, {record.start, record.end});
  all().gpus.insert(record.deviceId);
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  const std::lock_guard held(all().lock);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add_work<kernel_record>(record);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add_work<copy_record>(record);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add_work<memset_record>(record);
        break;
#if CUPTI_API_VERSION >= 130000
      case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
        const auto& event = *reinterpret_cast<const CUpti_ActivityCudaEvent2*>(record);
        add(event.correlationId, {event.deviceTimestamp, event.deviceTimestamp});
        break;
      }
#endif
      default:
        break;
    }
  }
  std::free(buffer);
  std::size_t lost = 0;
  if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &lost) == CUPTI_SUCCESS) all().lost += lost;
}

}  // namespace

std::string refusal(const char* what, CUptiResult result) {
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::string sentence =
      std::string("CUPTI refuses to ") + what + ": " + (text == nullptr ? "unknown error" : text);
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    sentence += ". Let users profile: modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0, or run as root";
  } else if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    sentence += ". Another profiler is attached to the program: run it without";
  }
  return sentence;
}

std::string start(std::uint64_t (*clock)()) {
  if (const auto result = cuptiActivityRegisterTimestampCallback(clock); result != CUPTI_SUCCESS)
    return refusal("use the host's clock", result);
  cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer);
  // The API's own records are not read; without them nothing has a correlation id.
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}) {
    if (const auto result = cuptiActivityEnable(kind); result != CUPTI_SUCCESS)
      return refusal("time what the GPU does", result);
  }
#if CUPTI_API_VERSION >= 130000
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  cuptiActivityEnableCudaEventDeviceTimestamps(1);
#endif
  return "";
}

void collect(bool wait) {
  if (wait) cuptiActivityFlushAll(0);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void move_to(everything_seen& record, std::uint64_t started) {
  const std::lock_guard held(all().lock);
  const auto at = [&](std::uint64_t clock) { return static_cast<trace::time_ns>(clock - started); };
  for (const auto& [correlation, when] : all().times)
    record.device_times[correlation] = {at(when.begin), at(when.end)};
  all().times.clear();
  record.gpus = std::exchange(all().gpus, {});
  record.lost_records = std::exchange(all().lost, 0);
}

}  // namespace lab::cupti::device_times

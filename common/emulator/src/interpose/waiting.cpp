#include "interpose/waiting.hpp"

#include <utility>

#include "interpose/entry.hpp"
#include "trace/model.hpp"

namespace lab::emulator {

namespace {

/// The waiters at one address; lives while somebody waits.
struct place {
  const void* address = nullptr;
  wait_queue queue;
  int users = 0;
  place* next = nullptr;
};

constexpr std::size_t bucket_count = 1024;
place* buckets[bucket_count];

place*& bucket_of(const void* address) {
  return buckets[(reinterpret_cast<std::uintptr_t>(address) >> 3) % bucket_count];
}

place* find(const void* address) {
  place* at = bucket_of(address);
  while (at != nullptr && at->address != address) at = at->next;
  return at;
}

place& find_or_make(const void* address) {
  if (place* known = find(address)) return *known;
  runtime_section emulator;
  place*& first = bucket_of(address);
  return *(first = new place{address, {}, 0, first});
}

void drop(place& unused) {
  runtime_section emulator;
  place** link = &bucket_of(unused.address);
  while (*link != &unused) link = &(*link)->next;
  *link = unused.next;
  delete &unused;
}

}  // namespace

wake wait_at(const void* address, const char* what, time_ns deadline) {
  place& at = find_or_make(address);
  ++at.users;
  const wake outcome = wait(at.queue, what, deadline);
  if (--at.users == 0) drop(at);
  return outcome;
}

int wake_some(const void* address, int most) {
  place* at = find(address);
  if (at == nullptr) return 0;
  int woken = 0;
  while (woken < most && !at->queue.waiting.empty()) {
    notify_one(at->queue, now());
    ++woken;
  }
  return woken;
}

int wake_one(const void* address) {
  return wake_some(address, 1);
}

int wake_all(const void* address) {
  return wake_some(address, INT32_MAX);
}

recorded_wait::~recorded_wait() {
  const time_ns end = now();
  if (end > begin_) record_host_pause(trace::pause_kind::waited_for_thread, begin_, end, caller_);
}

}  // namespace lab::emulator

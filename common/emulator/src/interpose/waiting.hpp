#pragma once

#include <cstdint>

#include "interpose/hooks.hpp"

namespace lab::emulator {

/// Waiting for an object of the program's (a mutex, a condition variable, a word of memory) known by its
/// address only: its waiters stand in a side table, so that objects keep libc's layout and static
/// initialisers work.

/// Blocks until `wake_one` or `wake_all` names `address`, or `deadline` has come. Only the baton's holder
/// calls it, so nothing can happen between the caller's look at the object and the wait.
wake wait_at(const void* address, const char* what, time_ns deadline = never);

/// Makes the first, or every, waiter at `address` ready at the caller's time. Return how many there were.
int wake_one(const void* address);
int wake_all(const void* address);

/// As wake_one, for at most `most` waiters.
int wake_some(const void* address, int most);

/// Number of the calling thread as a lock stores it: never 0.
inline int lock_owner_number() {
  return thread_number() + 1;
}

/// A wait for another thread that goes into the record where it took time.
class recorded_wait {
 public:
  explicit recorded_wait(const void* caller) : caller_(caller), begin_(now()) {}
  ~recorded_wait();
  recorded_wait(const recorded_wait&) = delete;
  recorded_wait& operator=(const recorded_wait&) = delete;

 private:
  const void* caller_;
  time_ns begin_;
};

}  // namespace lab::emulator

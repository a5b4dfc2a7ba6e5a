#include "interpose/mutexes.hpp"

#include <algorithm>
#include <cerrno>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/waiting.hpp"

/// Mutexes, and the reader-writer locks of std::shared_mutex. Exactly one thread runs at a time, so a lock is
/// a plain variable. Unlocking hands it over to the first waiter, at the unlocker's time: a thread that
/// unlocks and locks in a loop, until another has done something under the lock, lets the other have it.
namespace lab::emulator {

namespace {

constexpr int kind_mask = 3;  // of __kind; the other bits say how libc implements it

/// The lock is the caller's now: it was free, or has been handed over.
void own(pthread_mutex_t* mutex) {
  auto& state = mutex->__data;
  state.__lock = 1;
  state.__owner = lock_owner_number();
  state.__nusers = 1;  // pthread_mutex_destroy looks at it
  state.__count = 1;
  host_acquires(mutex);
}

bool take(pthread_mutex_t* mutex) {
  if (mutex->__data.__lock != 0) return false;
  own(mutex);
  return true;
}

bool is_mine(const pthread_mutex_t* mutex) {
  return mutex->__data.__lock != 0 && mutex->__data.__owner == lock_owner_number();
}

}  // namespace

int try_lock_mutex(pthread_mutex_t* mutex) {
  if (take(mutex)) return 0;
  if (!is_mine(mutex) || (mutex->__data.__kind & kind_mask) != PTHREAD_MUTEX_RECURSIVE) return EBUSY;
  ++mutex->__data.__count;
  return 0;
}

int lock_mutex(pthread_mutex_t* mutex, time_ns deadline, const void* caller) {
  if (try_lock_mutex(mutex) == 0) return 0;
  const bool mine = is_mine(mutex);
  if (mine && (mutex->__data.__kind & kind_mask) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  recorded_wait record(caller);
  const char* what = mine ? "a mutex that it holds itself" : "a mutex";
  if (deadline <= now() || wait_at(mutex, what, deadline) == wake::timed_out)
    return take(mutex) ? 0 : ETIMEDOUT;
  own(mutex);
  return 0;
}

int unlock_mutex(pthread_mutex_t* mutex) {
  auto& state = mutex->__data;
  const int kind = state.__kind & kind_mask;
  const bool checked = kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
  if (checked && !is_mine(mutex)) return EPERM;
  if (kind == PTHREAD_MUTEX_RECURSIVE && --state.__count > 0) return 0;
  state.__owner = 0;
  host_releases(mutex);
  if (wake_one(mutex) > 0) return 0;  // it stays locked
  state.__lock = 0;
  state.__nusers = 0;
  state.__count = 0;
  return 0;
}

namespace {

/// A reader-writer lock's state, over the first words of libc's object (zero in static initialisers).
///
/// Readers and writers take turns: a writer hands it over to all readers that wait, the last reader to the
/// first writer. A reader that comes while another thread waits to write lets that one go first, but not for
/// long: as with libc's default kind, the lock may be one that it reads already.
struct shared_lock {
  unsigned readers;
  int writer;
  unsigned waiting_to_write;

  void* place_of_readers() { return &readers; }
  void* place_of_writers() { return &writer; }

  bool take_shared() {
    if (writer != 0) return false;
    ++readers;
    host_acquires(this);
    return true;
  }

  bool take_alone() {
    if (writer != 0 || readers != 0) return false;
    writer = lock_owner_number();
    host_acquires(this);
    return true;
  }

  int lock_shared(time_ns deadline, const void* caller);
  int lock_alone(time_ns deadline, const void* caller);
  void hand_over(bool by_writer);

 private:
  bool let_readers_in();
  bool let_a_writer_in();
};
static_assert(sizeof(shared_lock) <= sizeof(pthread_rwlock_t));

constexpr int nobody_yet = -1;  // the writer, while the lock is being handed over to it
constexpr time_ns patience_of_readers = 100'000;

shared_lock& state_of(pthread_rwlock_t* lock) {
  return *reinterpret_cast<shared_lock*>(lock);
}

int shared_lock::lock_shared(time_ns deadline, const void* caller) {
  if (waiting_to_write == 0 && take_shared()) return 0;
  if (writer == lock_owner_number()) return EDEADLK;
  recorded_wait record(caller);
  constexpr const char* what = "a reader-writer lock";
  wake outcome = wake::timed_out;
  if (writer == 0 && deadline > now()) {
    outcome = wait_at(place_of_readers(), what, std::min(deadline, after(patience_of_readers)));
    if (outcome == wake::timed_out && take_shared()) return 0;
  }
  if (outcome == wake::timed_out && deadline > now()) outcome = wait_at(place_of_readers(), what, deadline);
  if (outcome == wake::timed_out) return take_shared() ? 0 : ETIMEDOUT;
  host_acquires(this);
  return 0;
}

int shared_lock::lock_alone(time_ns deadline, const void* caller) {
  if (take_alone()) return 0;
  if (writer == lock_owner_number()) return EDEADLK;
  recorded_wait record(caller);
  if (deadline <= now()) return ETIMEDOUT;
  ++waiting_to_write;
  const wake outcome = wait_at(place_of_writers(), "a reader-writer lock", deadline);
  --waiting_to_write;
  if (outcome == wake::timed_out) return take_alone() ? 0 : ETIMEDOUT;
  writer = lock_owner_number();
  host_acquires(this);
  return 0;
}

bool shared_lock::let_readers_in() {
  readers = static_cast<unsigned>(wake_all(place_of_readers()));
  return readers > 0;
}

bool shared_lock::let_a_writer_in() {
  if (wake_one(place_of_writers()) == 0) return false;
  writer = nobody_yet;
  return true;
}

void shared_lock::hand_over(bool by_writer) {
  if (by_writer) {
    if (!let_readers_in()) let_a_writer_in();
  } else if (readers == 0 && !let_a_writer_in()) {
    let_readers_in();
  }
}

/// EINVAL, or the trace time of a timed function's deadline.
int read_deadline(clockid_t clock, const timespec* given, time_ns* deadline) {
  if (!is_wait_clock(clock) || !is_valid(*given)) return EINVAL;
  *deadline = trace_time(clock, *given);
  return 0;
}

template <typename Lock>
int timed(clockid_t clock, const timespec* given, Lock lock) {
  pass_time(lock_cost);
  time_ns deadline = never;
  const int error = read_deadline(clock, given, &deadline);
  return error != 0 ? error : lock(deadline);
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  host_only("pthread_mutex_lock");
  pass_time(lock_cost);
  return lock_mutex(mutex, never, __builtin_return_address(0));
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  host_only("pthread_mutex_trylock");
  pass_time(lock_cost);
  return try_lock_mutex(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  host_only("pthread_mutex_timedlock");
  return timed(CLOCK_REALTIME, deadline, [=, caller = __builtin_return_address(0)](time_ns at) {
    return lock_mutex(mutex, at, caller);
  });
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) noexcept {
  host_only("pthread_mutex_clocklock");
  return timed(clock, deadline, [=, caller = __builtin_return_address(0)](time_ns at) {
    return lock_mutex(mutex, at, caller);
  });
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  host_only("pthread_mutex_unlock");
  pass_time(lock_cost);
  return unlock_mutex(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  host_only("pthread_rwlock_rdlock");
  pass_time(lock_cost);
  return state_of(lock).lock_shared(never, __builtin_return_address(0));
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  host_only("pthread_rwlock_wrlock");
  pass_time(lock_cost);
  return state_of(lock).lock_alone(never, __builtin_return_address(0));
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  host_only("pthread_rwlock_tryrdlock");
  pass_time(lock_cost);
  return state_of(lock).take_shared() ? 0 : EBUSY;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  host_only("pthread_rwlock_trywrlock");
  pass_time(lock_cost);
  return state_of(lock).take_alone() ? 0 : EBUSY;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, deadline);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, deadline);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  host_only("pthread_rwlock_clockrdlock");
  return timed(clock, deadline, [=, caller = __builtin_return_address(0)](time_ns at) {
    return state_of(lock).lock_shared(at, caller);
  });
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  host_only("pthread_rwlock_clockwrlock");
  return timed(clock, deadline, [=, caller = __builtin_return_address(0)](time_ns at) {
    return state_of(lock).lock_alone(at, caller);
  });
}

int pthread_rwlock_unlock(pthread_rwlock_t* object) noexcept {
  host_only("pthread_rwlock_unlock");
  pass_time(lock_cost);
  shared_lock& lock = state_of(object);
  const bool by_writer = lock.writer != 0;
  if (by_writer) {
    lock.writer = 0;
  } else if (lock.readers > 0) {
    --lock.readers;
  } else {
    return EPERM;
  }
  host_releases(object);
  lock.hand_over(by_writer);
  return 0;
}

}  // extern "C"

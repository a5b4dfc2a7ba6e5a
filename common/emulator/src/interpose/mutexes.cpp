#include "interpose/mutexes.hpp"

#include <cerrno>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/waiting.hpp"

/// Mutexes, and the reader-writer locks of std::shared_mutex. Exactly one thread runs at a time, so a lock is
/// a plain variable; unlocking makes the first waiter ready at the unlocker's time, and who comes first takes
/// it.
namespace lab::emulator {

namespace {

constexpr int kind_mask = 3;  // of __kind; the other bits say how libc implements it

bool take(pthread_mutex_t* mutex) {
  auto& state = mutex->__data;
  if (state.__lock != 0) return false;
  state.__lock = 1;
  state.__owner = lock_owner_number();
  state.__nusers = 1;  // pthread_mutex_destroy looks at it
  state.__count = 1;
  host_acquires(mutex);
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
  do {
    const char* what = mine ? "a mutex that it holds itself" : "a mutex";
    if (deadline <= now() || wait_at(mutex, what, deadline) == wake::timed_out) {
      return take(mutex) ? 0 : ETIMEDOUT;
    }
  } while (!take(mutex));
  return 0;
}

int unlock_mutex(pthread_mutex_t* mutex) {
  auto& state = mutex->__data;
  const int kind = state.__kind & kind_mask;
  const bool checked = kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
  if (checked && !is_mine(mutex)) return EPERM;
  if (kind == PTHREAD_MUTEX_RECURSIVE && --state.__count > 0) return 0;
  state.__lock = 0;
  state.__owner = 0;
  state.__nusers = 0;
  state.__count = 0;
  host_releases(mutex);
  wake_one(mutex);
  return 0;
}

namespace {

/// A reader-writer lock's state, over the first words of libc's object (zero in static initialisers). Readers
/// come in while others wait to write, as with libc's default kind.
struct shared_lock {
  unsigned readers;
  int writer;

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
};
static_assert(sizeof(shared_lock) <= sizeof(pthread_rwlock_t));

shared_lock& state_of(pthread_rwlock_t* lock) {
  return *reinterpret_cast<shared_lock*>(lock);
}

int lock_shared_lock(pthread_rwlock_t* object, bool (shared_lock::*take_it)(), time_ns deadline,
                     const void* caller) {
  shared_lock& lock = state_of(object);
  if ((lock.*take_it)()) return 0;
  if (lock.writer == lock_owner_number()) return EDEADLK;
  recorded_wait record(caller);
  do {
    if (deadline <= now() || wait_at(object, "a reader-writer lock", deadline) == wake::timed_out) {
      return (lock.*take_it)() ? 0 : ETIMEDOUT;
    }
  } while (!(lock.*take_it)());
  return 0;
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
  return lock_shared_lock(lock, &shared_lock::take_shared, never, __builtin_return_address(0));
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  host_only("pthread_rwlock_wrlock");
  pass_time(lock_cost);
  return lock_shared_lock(lock, &shared_lock::take_alone, never, __builtin_return_address(0));
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
    return lock_shared_lock(lock, &shared_lock::take_shared, at, caller);
  });
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  host_only("pthread_rwlock_clockwrlock");
  return timed(clock, deadline, [=, caller = __builtin_return_address(0)](time_ns at) {
    return lock_shared_lock(lock, &shared_lock::take_alone, at, caller);
  });
}

int pthread_rwlock_unlock(pthread_rwlock_t* object) noexcept {
  host_only("pthread_rwlock_unlock");
  pass_time(lock_cost);
  shared_lock& lock = state_of(object);
  if (lock.writer != 0) {
    lock.writer = 0;
  } else if (lock.readers > 0) {
    --lock.readers;
  } else {
    return EPERM;
  }
  host_releases(object);
  if (lock.readers == 0) wake_all(object);
  return 0;
}

}  // extern "C"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/mutexes.hpp"
#include "interpose/waiting.hpp"

/// Condition variables, semaphores, barriers, spin locks and pthread_once.
namespace lab::emulator {

namespace {

/// Where libc's pthread_cond_init notes the attribute's clock.
clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, time_ns deadline,
                       const void* caller) {
  pass_time(lock_cost);
  const int error = unlock_mutex(mutex);
  if (error != 0) return error;
  wake outcome = wake::timed_out;
  {
    recorded_wait record(caller);
    if (deadline > now()) outcome = wait_at(condition, "a condition variable", deadline);
  }
  lock_mutex(mutex, never, caller);
  host_acquires(condition);
  return outcome == wake::timed_out ? ETIMEDOUT : 0;
}

int wait_for_condition_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                             const timespec* deadline, const void* caller) {
  if (!is_wait_clock(clock) || !is_valid(*deadline)) return EINVAL;
  return wait_for_condition(condition, mutex, trace_time(clock, *deadline), caller);
}

/// A semaphore's value is the first word of libc's object, where sem_init puts it and sem_getvalue reads it.
unsigned& value_of(sem_t* semaphore) {
  return *reinterpret_cast<unsigned*>(semaphore);
}

int fail(int error) {
  errno = error;
  return -1;
}

bool take(sem_t* semaphore) {
  if (value_of(semaphore) == 0) return false;
  --value_of(semaphore);
  host_acquires(semaphore);
  return true;
}

/// Who waits is given what sem_post adds: a thread that posts and waits in a loop lets the others have it.
int take_semaphore(sem_t* semaphore, time_ns deadline, const void* caller) {
  if (take(semaphore)) return 0;
  recorded_wait record(caller);
  if (deadline <= now() || wait_at(semaphore, "a semaphore", deadline) == wake::timed_out) {
    return take(semaphore) ? 0 : fail(ETIMEDOUT);
  }
  host_acquires(semaphore);
  return 0;
}

/// Over libc's pthread_barrier_t, which has no static initialiser.
struct barrier {
  unsigned count;
  unsigned arrived;
};
static_assert(sizeof(barrier) <= sizeof(pthread_barrier_t));

barrier& state_of(pthread_barrier_t* object) {
  return *reinterpret_cast<barrier*>(object);
}

enum once_state : int { not_begun = 0, running = 1, done = 2 };

/// Puts the flag back where the routine ends by an exception (std::call_once then lets the next caller try).
class once_attempt {
 public:
  explicit once_attempt(pthread_once_t* flag) : flag_(flag) { *flag_ = once_state::running; }
  ~once_attempt() {
    *flag_ = outcome_;
    host_releases(flag_);
    wake_all(flag_);
  }
  once_attempt(const once_attempt&) = delete;
  once_attempt& operator=(const once_attempt&) = delete;
  void succeeded() { outcome_ = once_state::done; }

 private:
  pthread_once_t* flag_;
  once_state outcome_ = once_state::not_begun;
};

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  host_only("pthread_cond_wait");
  return wait_for_condition(condition, mutex, never, __builtin_return_address(0));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  host_only("pthread_cond_timedwait");
  return wait_for_condition_until(condition, mutex, clock_of(condition), deadline,
                                  __builtin_return_address(0));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  host_only("pthread_cond_clockwait");
  return wait_for_condition_until(condition, mutex, clock, deadline, __builtin_return_address(0));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  host_only("pthread_cond_signal");
  pass_time(lock_cost);
  host_releases(condition);
  wake_one(condition);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  host_only("pthread_cond_broadcast");
  pass_time(lock_cost);
  host_releases(condition);
  wake_all(condition);
  return 0;
}

int sem_wait(sem_t* semaphore) {
  host_only("sem_wait");
  pass_time(lock_cost);
  return take_semaphore(semaphore, never, __builtin_return_address(0));
}

int sem_trywait(sem_t* semaphore) noexcept {
  host_only("sem_trywait");
  pass_time(lock_cost);
  return take(semaphore) ? 0 : fail(EAGAIN);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  host_only("sem_clockwait");
  pass_time(lock_cost);
  if (!is_wait_clock(clock) || !is_valid(*deadline)) return fail(EINVAL);
  return take_semaphore(semaphore, trace_time(clock, *deadline), __builtin_return_address(0));
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, deadline);
}

int sem_post(sem_t* semaphore) noexcept {
  host_only("sem_post");
  pass_time(lock_cost);
  if (value_of(semaphore) == SEM_VALUE_MAX) return fail(EOVERFLOW);
  host_releases(semaphore);
  if (wake_one(semaphore) == 0) ++value_of(semaphore);
  return 0;
}

int pthread_barrier_init(pthread_barrier_t* object, const pthread_barrierattr_t*, unsigned count) noexcept {
  if (count == 0) return EINVAL;
  state_of(object) = {count, 0};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* object) noexcept {
  return state_of(object).arrived == 0 ? 0 : EBUSY;
}

int pthread_barrier_wait(pthread_barrier_t* object) noexcept {
  host_only("pthread_barrier_wait");
  pass_time(lock_cost);
  barrier& state = state_of(object);
  host_releases(object);
  if (++state.arrived == state.count) {
    state.arrived = 0;
    host_acquires(object);
    wake_all(object);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  recorded_wait record(__builtin_return_address(0));
  wait_at(object, "the other threads at a barrier");  // and not a look after: it may be destroyed by now
  host_acquires(object);
  return 0;
}

int pthread_spin_init(pthread_spinlock_t* lock, int) noexcept {
  *lock = 0;
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  host_only("pthread_spin_trylock");
  pass_time(lock_cost);
  if (*lock != 0) return EBUSY;
  *lock = 1;
  host_acquires(const_cast<const int*>(lock));
  return 0;
}

/// Spins in virtual time, and so costs CPU time; longer steps as it goes on keep a long wait cheap, and
/// uneven ones out of step with a thread that locks and unlocks in a loop.
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  constexpr time_ns longest = 1009;
  for (time_ns tries = 1; pthread_spin_trylock(lock) != 0; ++tries) {
    advance(lock_cost + tries * tries % longest);
  }
  return 0;
}

int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  host_only("pthread_spin_unlock");
  pass_time(lock_cost);
  host_releases(const_cast<const int*>(lock));
  *lock = 0;
  return 0;
}

int pthread_once(pthread_once_t* flag, void (*routine)()) {
  host_only("pthread_once");
  if (*flag == once_state::done) {
    host_acquires(flag);
    return 0;
  }
  pass_time(lock_cost);
  if (*flag == once_state::running) {
    recorded_wait record(__builtin_return_address(0));
    while (*flag == once_state::running) wait_at(flag, "another thread's std::call_once");
  }
  host_acquires(flag);
  if (*flag == once_state::done) return 0;
  once_attempt attempt(flag);
  routine();
  attempt.succeeded();
  return 0;
}

}  // extern "C"

#pragma once

#include <pthread.h>

#include "interpose/hooks.hpp"

namespace lab::emulator {

/// The mutex under the other locks: no yield, no cost. 0 or an errno. The state stands in the object itself,
/// in libc's layout, so that static initialisers, pthread_mutex_init and pthread_mutex_destroy stay libc's.
int lock_mutex(pthread_mutex_t* mutex, time_ns deadline, const void* caller);
int try_lock_mutex(pthread_mutex_t* mutex);
int unlock_mutex(pthread_mutex_t* mutex);

}  // namespace lab::emulator

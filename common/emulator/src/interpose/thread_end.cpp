#include "interpose/thread_end.hpp"

#include <limits.h>
#include <pthread.h>

#include <cerrno>

#include "interpose/hooks.hpp"
#include "interpose/real.hpp"

namespace lab::emulator {

namespace {

/// Destructor of one thread_local object.
struct end_function {
  void (*function)(void*);
  void* object;
  end_function* next;
};

/// Newest first. Thread-local itself, and without a destructor: it must outlive all of them.
thread_local end_function* end_functions = nullptr;

real<int(void (*)(void*), void*, void*)> real_thread_atexit("__cxa_thread_atexit_impl");
real<int(pthread_key_t*, void (*)(void*))> real_key_create("pthread_key_create");
real<int(pthread_key_t)> real_key_delete("pthread_key_delete");

void (*key_destructors[PTHREAD_KEYS_MAX])(void*);

void run_end_functions() {
  while (end_functions != nullptr) {
    const end_function current = *end_functions;
    delete end_functions;
    end_functions = current.next;
    current.function(current.object);
  }
}

/// True where a destructor ran, and so may have set other data.
bool run_key_destructors() {
  bool any = false;
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    if (key_destructors[key] == nullptr) continue;
    void* value = pthread_getspecific(key);
    if (value == nullptr) continue;
    pthread_setspecific(key, nullptr);
    key_destructors[key](value);
    any = true;
  }
  return any;
}

}  // namespace

void run_thread_end_functions() {
  run_end_functions();
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && run_key_destructors(); ++round) {
  }
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

/// The main thread's are libc's business: exit() runs them.
int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library) noexcept {
  if (!is_created_thread()) return real_thread_atexit(function, object, library);
  runtime_section emulator;
  end_functions = new end_function{function, object, end_functions};
  return 0;
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const int error = real_key_create(key, static_cast<void (*)(void*)>(nullptr));
  if (error == 0) key_destructors[*key] = destructor;
  return error;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  const int error = real_key_delete(key);
  if (error == 0) key_destructors[key] = nullptr;
  return error;
}

}  // extern "C"

#pragma once

#include <dlfcn.h>

#include <atomic>

namespace lab::emulator {

/// The function that an interposer stands in front of, looked up at its first use. One object with static
/// storage per function; constant-initialised, so that it works before constructors.
template <typename Function>
class real {
 public:
  constexpr explicit real(const char* name) : name_(name) {}

  Function* get() {
    Function* known = found_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      known = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
      found_.store(known, std::memory_order_relaxed);
    }
    return known;
  }

  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }

 private:
  const char* const name_;
  std::atomic<Function*> found_{nullptr};
};

}  // namespace lab::emulator

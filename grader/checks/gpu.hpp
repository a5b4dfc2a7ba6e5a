#pragma once

#include <functional>
#include <string>
#include <vector>

#include "process.hpp"

/// Real GPUs as gradings share them.
namespace lab::checks {

/// One of the GPUs that this process may use: one that no other grading uses at the moment, where there is
/// such a one. Whoever holds its lock has it alone among all gradings on this machine.
class gpu {
 public:
  /// @param on_waiting called once whenever lock() has waited for a second, with " (process 4711 of anna)"
  /// for who has the lock, or "" where the system does not tell
  /// @throws std::runtime_error where CUDA_VISIBLE_DEVICES names none, or the file of its lock is not one
  explicit gpu(std::function<void(const std::string& holder)> on_waiting);

  /// Blocks until no other grading uses it. @throws interrupted after request_stop()
  void lock();
  void unlock();

  /// What makes a program use it.
  std::vector<std::string> environment() const;
  /// Who keeps it busy though no grading does, in words that end a sentence; "" for nobody. To be asked with
  /// the lock held; takes more than a second.
  std::string used_by_others() const;

 private:
  bool try_lock();

  std::function<void(const std::string&)> on_waiting_;
  std::string name_;  ///< as CUDA_VISIBLE_DEVICES has it
  descriptor lock_;
};

}  // namespace lab::checks

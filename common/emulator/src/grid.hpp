#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "accesses.hpp"
#include "fiber.hpp"
#include "lab_emulator/launch.hpp"
#include "scheduler.hpp"

namespace lab::emulator {

/// A kernel's fault: the error the runtime returns from then on, and a sentence for the student.
struct kernel_fault {
  int error = 0;
  std::string sentence;
  std::uintptr_t address_of_code = 0;
};

/// A launched kernel as a resumable process on the virtual clock.
///
/// Blocks run one after another; the threads of a block run to completion one after another on one fiber,
/// until one meets a barrier: only then does a thread keep a stack. Every few thousand accesses the grid
/// stops, so that whatever overlaps it in virtual time gets its turn.
class grid {
 public:
  grid(const launch_configuration& configuration, const char* name, kernel_body* body);
  ~grid();
  grid(const grid&) = delete;
  grid& operator=(const grid&) = delete;

  struct slice {
    time_ns cost = 0;  ///< with the whole device to itself
    bool finished = false;
  };

  /// Runs until the slice is used up, the kernel ends or faults. `now` is what the kernel's clocks show at
  /// its start.
  slice run(time_ns now);

  bool finished() const { return finished_; }
  const kernel_fault* fault() const { return fault_.get(); }
  access_record& accesses() { return accesses_; }
  const std::string& name() const { return name_; }
  double demand() const { return demand_; }  ///< the share of the device its threads can fill

  // What device code asks for, through the running grid.
  void barrier(int predicate);
  int barrier_count() const { return released_count_; }
  int barrier_threads() const { return released_threads_; }
  void* shared_variable(const void* site, std::size_t bytes, std::size_t alignment);
  void* dynamic_shared() { return shared_; }
  bool in_shared(std::uintptr_t address, std::size_t bytes) const;
  bool in_shared_gap(std::uintptr_t address) const;  ///< in the arena, but of no variable
  time_ns time();                                    ///< of the running thread
  time_ns read_clock();                              ///< the same, and costs; a loop of reads speeds up
  void delay(time_ns duration);                      ///< the running thread does nothing for so long
  void stop_slice();                                 ///< gives the rest of the world its turn
  [[noreturn]] void fail(int error, std::string sentence, std::uintptr_t code);
  std::uintptr_t shared_begin() const { return reinterpret_cast<std::uintptr_t>(shared_); }
  std::size_t shared_used() const { return shared_used_; }
  /// The arguments of the launch, which threads read from where the runtime keeps them.
  bool in_arguments(std::uintptr_t address, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(body_);
    return address >= begin && address + bytes <= begin + body_->bytes;
  }
  const shadow_stack& calls() const { return running_->calls; }  ///< of the running thread
  std::string where() const;                                     ///< "block (0, 0, 0), thread (5, 0, 0)"
  void count_atomic() { ++atomics_; }

 private:
  struct shared_slot {
    const void* site;
    std::size_t offset;
  };

  static void run_threads(fiber& self);
  void run_next(fiber& self);
  fiber& enlist();
  void leave(fiber& self);
  void start_block();
  void step_thread();
  void show_coordinates() const;
  void end_wave();
  std::int64_t accesses_allowed() const;
  time_ns throughput_cost(const access_counts& counts) const;

  std::string name_;
  launch_configuration configuration_;
  kernel_body* body_;
  access_record accesses_;
  std::unique_ptr<kernel_fault> fault_;

  // Shape and place in time.
  std::uint64_t blocks_ = 0, block_ = 0, blocks_per_wave_ = 1;
  unsigned threads_per_block_ = 0;
  double demand_ = 1;
  double concurrency_ = 1;  ///< accesses in flight
  time_ns start_ = 0, slice_start_ = 0;
  time_ns wave_base_ = 0;   ///< delays of the waves before this one
  time_ns wave_delay_ = 0;  ///< the longest delay of a thread of this wave
  time_ns reported_delay_ = 0;
  time_ns thread_delay_ = 0;
  time_ns spin_start_ = 0;
  std::int64_t accesses_at_last_read_ = -1;
  std::int64_t accesses_before_slice_ = 0;
  std::int64_t barriers_ = 0, atomics_ = 0, blocks_started_ = 0;

  // The running block.
  unsigned next_thread_ = 0;
  unsigned x_ = 0, y_ = 0, z_ = 0;  ///< the next thread's
  unsigned bx_ = 0, by_ = 0, bz_ = 0;
  std::vector<fiber*> waiting_, runnable_;
  std::size_t next_runnable_ = 0;
  int waiting_count_ = 0, released_count_ = 0, released_threads_ = 0;
  char* shared_ = nullptr;
  std::size_t shared_used_ = 0;
  std::vector<shared_slot> slots_;

  // Fibers.
  fiber caller_;
  fiber* running_ = nullptr;
  std::vector<fiber*> fibers_;
  bool uses_mapped_memory_ = false;
  bool started_ = false, finished_ = false;
};

/// The grid whose slice is running; nullptr outside kernels.
extern grid* running_grid;

}  // namespace lab::emulator

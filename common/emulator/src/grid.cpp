#include "grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "driver_types.h"
#include "interpose/hooks.hpp"
#include "profile.hpp"

// The variables device code sees as threadIdx and so on. There they are constants to the compiler; here they
// are not.
struct alignas(16) lab_builtin {
  unsigned x, y, z;
};
#define LAB_OF_RUNTIME __attribute__((section(".lab_builtins")))  // no variables of the program
LAB_OF_RUNTIME lab_builtin lab_thread_idx asm("threadIdx");
LAB_OF_RUNTIME lab_builtin lab_block_idx asm("blockIdx");
LAB_OF_RUNTIME lab_builtin lab_block_dim asm("blockDim");
LAB_OF_RUNTIME lab_builtin lab_grid_dim asm("gridDim");

namespace lab::emulator {

grid* running_grid;

namespace {

constexpr std::int64_t fewest_slice_accesses = 64;
constexpr time_ns slice_delay = 20000;  // a spinning kernel lets the world go on at least this often

constexpr double latency_hiding = 4;  // independent accesses one thread has in flight

// Dynamic shared memory lies first; a gap before the static variables, so that running past it is noticed.
constexpr std::size_t shared_gap = 256;
constexpr std::size_t shared_arena = (228 << 10) + shared_gap;

/// Arenas for the shared memory of a grid's blocks, used again from grid to grid.
std::vector<char*>& free_arenas() {
  static auto& arenas = *new std::vector<char*>;
  return arenas;
}

char* take_arena() {
  auto& free = free_arenas();
  if (free.empty()) return static_cast<char*>(std::aligned_alloc(256, shared_arena));
  char* arena = free.back();
  free.pop_back();
  return arena;
}

std::uint64_t volume(const dim3& shape) {
  return std::uint64_t{shape.x} * shape.y * shape.z;
}

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

void poison(char* begin, char* end) {
  std::fill(reinterpret_cast<std::uint32_t*>(begin),
            reinterpret_cast<std::uint32_t*>(begin + (end - begin) / 4 * 4), poison_word);
}

/// Cycles of the device's clock as virtual time: one read of clock64() and the loop around it.
constexpr time_ns clock_read_cost = 13;  // about 20 cycles at 1.59 GHz

}  // namespace

grid::grid(const launch_configuration& configuration, const char* name, kernel_body* body)
    : name_(name), configuration_(configuration), body_(body) {
  blocks_ = volume(configuration.grid);
  threads_per_block_ = static_cast<unsigned>(volume(configuration.block));
  const auto per_multiprocessor = std::clamp<std::uint64_t>(
      static_cast<unsigned>(gpu().max_threads_per_multiprocessor) / threads_per_block_, 1,
      static_cast<unsigned>(gpu().max_blocks_per_multiprocessor));
  blocks_per_wave_ = per_multiprocessor * static_cast<unsigned>(gpu().multiprocessors);
  const double resident = static_cast<double>(std::min(blocks_, blocks_per_wave_) * threads_per_block_);
  const double capacity = static_cast<double>(gpu().multiprocessors) * gpu().max_threads_per_multiprocessor;
  concurrency_ = resident;
  demand_ = std::min(1.0, resident / capacity);
  shared_ = take_arena();
  shared_used_ = configuration.shared_bytes;
}

grid::~grid() {
  for (auto* fiber : fibers_) give_back_fiber(*fiber);
  free_arenas().push_back(shared_);
  body_->destroy(body_);
}

grid::slice grid::run(time_ns now) {
  memory::open_device();
  slice_start_ = now;
  if (!started_) start_ = now;
  auto* outer_shadow = shadow;
  running_grid = this;
  lab_block_dim = {configuration_.block.x, configuration_.block.y, configuration_.block.z};
  lab_grid_dim = {configuration_.grid.x, configuration_.grid.y, configuration_.grid.z};
  show_coordinates();
  barriers_ = atomics_ = blocks_started_ = 0;
  begin_slice(accesses_, accesses_allowed());
  if (!started_) {
    started_ = true;
    start_block();
    running_ = &enlist();
  }
  switch_to(caller_, *running_);
  running_grid = nullptr;
  shadow = outer_shadow;
  const access_counts counts = end_slice();
  accesses_before_slice_ += counts.accesses;
  uses_mapped_memory_ |= counts.mapped_accesses > 0;
  if (finished_ || fault_ != nullptr) end_wave();
  const time_ns delays = wave_base_ + wave_delay_ - reported_delay_;
  reported_delay_ += delays;
  return {throughput_cost(counts) + delays, finished_ || fault_ != nullptr};
}

/// How many accesses the next slice may make. A grid that fills the device makes thousands in a moment; a few
/// threads that wait for a flag take a microsecond for each, and must not sleep through what they wait for.
/// So a slice is also to last no longer than 20 us or, in a long kernel, 1/512 of its time so far.
std::int64_t grid::accesses_allowed() const {
  const time_ns length = std::max(slice_delay, (slice_start_ - start_) / 512);
  const double latency = uses_mapped_memory_ ? static_cast<double>(gpu().mapped_latency_ns)
                                             : static_cast<double>(gpu().memory_latency_ns) / latency_hiding;
  const auto allowed = static_cast<std::int64_t>(static_cast<double>(length) * concurrency_ / latency);
  return std::clamp(allowed, fewest_slice_accesses, most_slice_accesses);
}

/// Device memory is limited by bandwidth when there are many threads, by latency when there are few; shared
/// memory and the bus have limits of their own, and none of them waits for the others.
time_ns grid::throughput_cost(const access_counts& counts) const {
  const auto bytes_time = [](std::int64_t bytes, std::int64_t per_us) {
    return static_cast<double>(bytes) * 1000.0 / static_cast<double>(per_us);
  };
  const double device =
      std::max(bytes_time(counts.device_bytes, gpu().dram_bytes_per_us) +
                   bytes_time(counts.repeated_bytes, gpu().l2_bytes_per_us),
               static_cast<double>(counts.accesses) * static_cast<double>(gpu().memory_latency_ns) /
                   latency_hiding / concurrency_);
  const double mapped = std::max(
      bytes_time(counts.mapped_bytes, gpu().mapped_bytes_per_us),
      static_cast<double>(counts.mapped_reads) * static_cast<double>(gpu().mapped_latency_ns) / concurrency_);
  const double shared = bytes_time(counts.shared_bytes, gpu().shared_bytes_per_us);
  const double blocks = static_cast<double>(blocks_started_) * static_cast<double>(gpu().block_start_ns) /
                        static_cast<double>(blocks_per_wave_);
  const double barriers = static_cast<double>(barriers_) * static_cast<double>(gpu().barrier_ns) /
                          static_cast<double>(blocks_per_wave_);
  const double atomics = static_cast<double>(atomics_) * static_cast<double>(gpu().atomic_ns) / 32;
  return static_cast<time_ns>(std::max({device, mapped, shared, blocks}) + barriers + atomics);
}

// --- threads, blocks, waves
// ------------------------------------------------------------------------------------------

void grid::show_coordinates() const {
  lab_block_idx = {bx_, by_, bz_};
  if (running_ != nullptr) lab_thread_idx = {running_->x, running_->y, running_->z};
}

void grid::start_block() {
  ++blocks_started_;
  next_thread_ = 0;
  x_ = y_ = z_ = 0;
  poison(shared_, shared_ + round_up(shared_used_, 4));
  lab_block_idx = {bx_, by_, bz_};
}

void grid::end_wave() {
  wave_base_ += wave_delay_;
  wave_delay_ = 0;
}

/// What every fiber of a grid does: runs threads that have not begun, then whatever else is to run.
void grid::run_threads(fiber& self) {
  for (;;) {
    grid& g = *running_grid;
    g.running_ = &self;
    if (g.next_thread_ < g.threads_per_block_) {
      self.x = g.x_;
      self.y = g.y_;
      self.z = g.z_;
      lab_thread_idx = {self.x, self.y, self.z};
      ++g.next_thread_;
      g.step_thread();
      g.thread_delay_ = 0;
      g.accesses_at_last_read_ = -1;
      self.calls.depth = 0;
      executing = execution::kernel;
      g.body_->run_thread(g.body_);
      executing = execution::runtime;
    } else {
      g.run_next(self);
    }
  }
}

void grid::step_thread() {
  if (++x_ < configuration_.block.x) return;
  x_ = 0;
  if (++y_ < configuration_.block.y) return;
  y_ = 0;
  ++z_;
}

/// All threads of the block have begun and the one on `self` has ended: goes on with threads released from a
/// barrier, releases the barrier, or goes on to the next block.
void grid::run_next(fiber& self) {
  if (next_runnable_ < runnable_.size()) {
    fiber& next = *runnable_[next_runnable_++];
    leave(self);
    switch_to(self, next);  // never comes back: a fiber taken again starts from the top
  }
  if (!waiting_.empty()) {
    released_count_ = waiting_count_;
    released_threads_ = static_cast<int>(waiting_.size());
    waiting_count_ = 0;
    runnable_.clear();
    runnable_.swap(waiting_);
    next_runnable_ = 0;
    ++barriers_;
    return;
  }
  runnable_.clear();
  next_runnable_ = 0;
  if (++block_ == blocks_) {
    finished_ = true;
    switch_to(self, caller_);
  }
  if (++bx_ == configuration_.grid.x) {
    bx_ = 0;
    if (++by_ == configuration_.grid.y) {
      by_ = 0;
      ++bz_;
    }
  }
  if (block_ % blocks_per_wave_ == 0) end_wave();
  start_block();
  if (wave_base_ + wave_delay_ - reported_delay_ > slice_delay) stop_slice();
}

void grid::barrier(int predicate) {
  executing = execution::runtime;
  fiber& self = *running_;
  waiting_.push_back(&self);
  waiting_count_ += predicate != 0;
  self.delay = thread_delay_;
  if (next_thread_ < threads_per_block_) {
    switch_to(self, enlist());
  } else if (next_runnable_ < runnable_.size()) {
    switch_to(self, *runnable_[next_runnable_++]);
  } else {
    run_next(self);  // everybody is here: releases the barrier
    fiber& first = *runnable_[next_runnable_++];
    if (&first != &self) switch_to(self, first);
  }
  running_ = &self;
  thread_delay_ = self.delay;
  accesses_at_last_read_ = -1;
  lab_thread_idx = {self.x, self.y, self.z};
  executing = execution::kernel;
}

fiber& grid::enlist() {
  fiber& fresh = take_fiber(&run_threads);
  fresh.place = fibers_.size();
  fibers_.push_back(&fresh);
  return fresh;
}

void grid::leave(fiber& self) {
  fibers_[self.place] = fibers_.back();
  fibers_[self.place]->place = self.place;
  fibers_.pop_back();
  give_back_fiber(self);
}

void grid::stop_slice() {
  const execution outer = std::exchange(executing, execution::runtime);
  switch_to(*running_, caller_);
  executing = outer;
}

void grid::fail(int error, std::string sentence, std::uintptr_t code) {
  executing = execution::runtime;
  fault_ = std::make_unique<kernel_fault>(kernel_fault{error, std::move(sentence), code});
  switch_to(*running_, caller_);
  __builtin_unreachable();
}

std::string grid::where() const {
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", bx_, by_, bz_, running_->x, running_->y,
                     running_->z);
}

// --- shared memory
// ---------------------------------------------------------------------------------------------------

void* grid::shared_variable(const void* site, std::size_t bytes, std::size_t alignment) {
  for (const auto& slot : slots_) {
    if (slot.site == site) return shared_ + slot.offset;
  }
  runtime_section emulator;
  const std::size_t from = slots_.empty() ? configuration_.shared_bytes + shared_gap : shared_used_;
  const std::size_t offset = round_up(from, std::max<std::size_t>(alignment, 16));
  if (offset + bytes > gpu().shared_bytes_per_block + shared_gap) {
    fail(cudaErrorInvalidValue,
         fmt::format(
             "kernel '{}' needs more than {} bytes of shared memory per block, static and dynamic together",
             name_, gpu().shared_bytes_per_block),
         0);
  }
  slots_.push_back({site, offset});
  poison(shared_ + offset, shared_ + offset + round_up(bytes, 4));
  shared_used_ = offset + bytes;
  return shared_ + offset;
}

bool grid::in_shared(std::uintptr_t address, std::size_t bytes) const {
  const std::uintptr_t offset = address - shared_begin();
  if (offset >= shared_arena) return false;
  if (offset + bytes <= configuration_.shared_bytes) return true;
  return !slots_.empty() && offset >= configuration_.shared_bytes + shared_gap &&
         offset + bytes <= shared_used_;
}

bool grid::in_shared_gap(std::uintptr_t address) const {
  return address - shared_begin() < shared_arena;
}

// --- clocks
// ------------------------------------------------------------------------------------------------------------

time_ns grid::time() {
  return slice_start_ + wave_base_ - reported_delay_ + thread_delay_;
}

/// A loop that reads the clock until enough time has passed need not be simulated read by read: each further
/// read, with nothing but reads in between, takes 1/2048 of the time the loop has lasted. The loop ends
/// within 0.2 % of where it should.
time_ns grid::read_clock() {
  const std::int64_t accesses = accesses_before_slice_ + slice_accesses();
  const time_ns before = thread_delay_;
  if (accesses != accesses_at_last_read_) spin_start_ = before;
  delay(std::max(clock_read_cost, (before - spin_start_) / 2048));
  accesses_at_last_read_ = accesses_before_slice_ + slice_accesses();
  return time();
}

void grid::delay(time_ns duration) {
  thread_delay_ += duration;
  wave_delay_ = std::max(wave_delay_, thread_delay_);
  if (wave_base_ + wave_delay_ - reported_delay_ > slice_delay) stop_slice();
}

}  // namespace lab::emulator

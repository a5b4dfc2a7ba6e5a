#include "flags.hpp"

#include "accesses.hpp"
#include "host_memory.hpp"
#include "recorder.hpp"

namespace lab::emulator {

namespace {

// More are waits in a loop without end, or one in each of very many threads: from then on nothing is told.
constexpr int most_fences = 10'000;

bool talks(const access_record& record) {
  return record.flags().fences > 0;
}

/// What the kernel has done since it was last asked becomes a stretch of its thread.
void end_stretch_of(access_record& record) {
  const int thread = record.flags().thread();
  const auto launch = recorder::operation(record.flags().work).submitted_by;
  const auto stack = recorder::call(launch).stack;
  for (auto& touched : record.all()) {
    const auto move = [&](byte_set& bytes, bool write, bool atomic) {
      bytes.each_interval([&](std::size_t begin, std::size_t end) {
        recorder::add(trace::wire::host_access{recorder::next_in_sequence(), begin, end, touched.memory->id,
                                               thread, stack, write, atomic, 0});
        return true;
      });
      if (write && touched.memory->kind == trace::memory_kind::device) touched.memory->written.insert(bytes);
      if (!bytes.empty()) bytes = byte_set(touched.memory->bytes);
    };
    move(touched.read, false, false);
    move(touched.written, true, false);
    move(touched.atomic, true, true);
    move(touched.polled, false, true);
  }
}

}  // namespace

void kernel_sets_flag(access_record& record, std::uintptr_t address) {
  if (talks(record)) host_memory::kernel_releases(record.flags().thread(), address);
}

void kernel_polls_flag(access_record& record, std::uintptr_t address) {
  if (recorder::enabled()) record.flags().polled[address] = host_memory::times_released(address);
}

void kernel_fences(access_record& record) {
  auto& flags = record.flags();
  if (!recorder::enabled() || flags.fences == most_fences) return;
  if (++flags.fences == 1) {
    auto& work = recorder::operation(flags.work);
    work.thread = flags.thread();
    work.begun = recorder::next_in_sequence();
  }
  close_runs();
  end_stretch_of(record);
  for (const auto& [address, times] : flags.polled)
    host_memory::kernel_acquires(flags.thread(), address, times);
  flags.polled.clear();
}

bool end_of_talking_kernel(access_record& record) {
  if (!talks(record)) return false;
  end_stretch_of(record);
  recorder::operation(record.flags().work).returned = recorder::next_in_sequence();
  return true;
}

}  // namespace lab::emulator

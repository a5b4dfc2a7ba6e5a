#include "liveness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <trace/endless.hpp>

#include "accesses.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "grid.hpp"
#include "host_functions.hpp"
#include "host_memory.hpp"
#include "recorder.hpp"
#include "report.hpp"

namespace lab::emulator {

namespace {

// Generous: no exercise and no sensible program comes near. They are counts, so that a loaded machine changes
// nothing.
constexpr time_ns most_time = time_ns{3600} * 1'000'000'000;
constexpr std::int64_t most_host_accesses = std::int64_t{6'000'000'000};
constexpr std::int64_t most_turns = 150'000'000;
constexpr std::int64_t most_events = 16'000'000;
constexpr std::size_t most_recorded_bytes = std::size_t{256} << 20;
constexpr int most_silent_seconds = 10;
constexpr time_ns most_kernel_time = time_ns{100} * 1'000'000'000;

bool idle(const host_thread& thread) {
  return thread.waits_for == idle_service_wait;
}

/// "the main thread in cudaStreamSynchronize (student.cu:41)"
std::string wait_in_words(const host_thread& thread) {
  std::string words = thread.is_service    ? "a host function"
                      : thread.number == 0 ? "the main thread"
                                           : fmt::format("thread {}", thread.number);
  words += fmt::format(" in {}", thread.waits_for);
  // Only a CUDA call's own site is known to be where the thread is now.
  if (std::string_view(thread.waits_for).substr(0, 4) != "cuda") return words;
  const std::string place = place_of({reinterpret_cast<std::uint64_t>(thread.call_site)});
  return place.empty() ? words : words + " (" + place + ")";
}

}  // namespace

void end_run(trace::finding_kind kind, const char* sentence, const void* code) {
  runtime_section emulator;
  if (device::only_for_record() && running_grid != nullptr) running_grid->fail(0, sentence, 0);
  if (code == nullptr) code = current_thread()->call_site;
  host_memory::end_stretch();
  recorder::add_finding(kind, sentence, 0, recorder::here(code));
  say(sentence, recorder::frames(code));
  recorder::write(false);
  _exit(trace::own_failure);
}

void report_deadlock(host_thread* const* threads, int count) {
  std::string waits;
  for (int i = 0; i < count; ++i) {
    if (idle(*threads[i])) continue;
    if (!waits.empty()) waits += ", ";
    waits += wait_in_words(*threads[i]);
  }
  const std::string pending = device::pending_in_words();
  end_run(trace::finding_kind::deadlock,
          fmt::format("deadlock: nothing can end the wait of {}{}.", waits,
                      pending.empty() ? "" : "; on the device, these wait too: " + pending)
              .c_str());
}

bool record_is_full() {
  return recorder::bytes() > most_recorded_bytes;
}

void check_budgets(const host_thread& thread) {
  if (thread.clock > most_time) {
    end_run(trace::finding_kind::budget,
            "endless loop? The program has run for an hour of virtual time without coming to an end.");
  }
  if (recorder::events_so_far() > most_events) {
    end_run(
        trace::finding_kind::budget,
        "endless loop? The program has made 16 million CUDA calls and clock reads without coming to an end.");
  }
  if (host_accesses_so_far() > most_host_accesses) {
    end_run(trace::finding_kind::budget,
            "endless loop? The program's host code has made 6 billion memory accesses without coming to an "
            "end.");
  }
  static std::int64_t turns = 0;
  if (++turns > most_turns) {
    end_run(trace::finding_kind::budget,
            "endless loop? The host threads have waited, slept, locked or used atomics 150 million times "
            "without coming to an end.");
  }
  if (record_is_full()) {
    end_run(trace::finding_kind::budget,
            "the record of the run is full: its CUDA calls, work and clock reads take 256 MiB; give the "
            "program less to "
            "do.");
  }
}

void check_failures(const host_thread& thread, const char* call) {
  if (thread.failures_in_a_row < trace::most_failures_in_a_row) return;
  const auto error = static_cast<cudaError_t>(thread.last_error);
  end_run(trace::finding_kind::budget, trace::endless_failures(call, cudaGetErrorName(error)).c_str());
}

bool nothing_moves() {
  static std::int64_t seen = -1;
  static int silent_seconds = 0;
  const std::int64_t now_at = progress();
  silent_seconds = now_at == seen && executing != execution::runtime ? silent_seconds + 1 : 0;
  seen = now_at;
  return silent_seconds >= most_silent_seconds;
}

void end_silent_run(const void* code) {
  const execution mode = executing;
  runtime_section emulator;
  heap_after_crash();  // the loop may be in the middle of malloc
  const std::string who =
      mode == execution::kernel ? "Kernel '" + running_grid->name() + "'" : "The host code";
  end_run(
      trace::finding_kind::budget,
      fmt::format(
          "endless loop? {} has run for {} s of CPU time without reading or writing memory that anybody else "
          "could see; if it waits for a flag, declare the flag volatile.",
          who, most_silent_seconds)
          .c_str(),
      code);
}

void check_kernel_budget(time_ns running_for, const char* name, bool host_can_run) {
  if (running_for < most_kernel_time) return;
  end_run(trace::finding_kind::budget,
          fmt::format("endless loop? Kernel '{}' has run for 100 s of virtual time{}.", name,
                      host_can_run ? "" : ", and no host thread can go on that could end it")
              .c_str());
}

}  // namespace lab::emulator

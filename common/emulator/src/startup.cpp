#include <cstdlib>
#include <utility>

#include "device.hpp"
#include "host_memory.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "liveness.hpp"
#include "load.hpp"
#include "profile.hpp"
#include "recorder.hpp"
#include "report.hpp"
#include "schedule.hpp"
#include "signals.hpp"

/// The beginning and the end of an emulated program.
extern "C" int __real_main(int argc, char** argv, char** environment);

namespace lab::emulator {

namespace {

void finish() {
  process_ending(0);
}

/// Before the program's own constructors, so that its exit handlers run before ours.
__attribute__((constructor(101))) void begin() {
  runtime_section emulator;
  choose_gpu();
  load::begin();
  current_thread();
  note_os_thread();
  recorder::start();
  start_reporting();
  schedule::start();
  catch_signals();
  std::atexit(&finish);
}

}  // namespace

void process_ending(int) {
  runtime_section emulator;
  write_last_record(true);
}

void write_last_record(bool complete) {
  host_memory::end_stretch();
  device::carry_out_for_record();
  recorder::write(complete);
}

void charge_bytes(std::size_t bytes) {
  advance(static_cast<time_ns>(bytes) * 1000 / gpu().h2h_bytes_per_us);
}

void record_clock_read(trace::clock_kind clock, time_ns at, time_ns value, const void* caller) {
  runtime_section emulator;
  recorder::add(trace::wire::clock_read{at, value, thread_number(), static_cast<std::uint32_t>(clock),
                                        recorder::here(caller), 0});
}

void record_host_pause(trace::pause_kind kind, time_ns begin, time_ns end, const void* caller) {
  runtime_section emulator;
  recorder::add(trace::wire::pause{begin, end, thread_number(), static_cast<std::uint32_t>(kind),
                                   recorder::here(caller), 0});
}

namespace {

thread_local bool has_just_read_a_clock = false;

void be_preempted() {
  const time_ns waited = load::delay();
  if (waited == 0) return;
  const time_ns begin = now();
  advance(waited);
  record_host_pause(trace::pause_kind::preempted, begin, now(), nullptr);
}

}  // namespace

void be_preempted_before_call() {
  has_just_read_a_clock = false;
  be_preempted();
}

void be_preempted_before_clock_read() {
  if (!std::exchange(has_just_read_a_clock, true)) be_preempted();
}

void report_not_emulated(const char* sentence) {
  runtime_section emulator;
  recorder::add_finding(trace::finding_kind::not_emulated, sentence, 0, recorder::here(nullptr));
  say(sentence, recorder::frames(nullptr));
}

}  // namespace lab::emulator

extern "C" int __wrap_main(int argc, char** argv, char** environment) {
  // On its own OS thread, which wants a stack for signal handlers too.
  const auto program = [](int count, char** arguments, char** variables) {
    lab::emulator::use_signal_stack();
    lab::emulator::note_os_thread();
    return __real_main(count, arguments, variables);
  };
  const int status = lab::emulator::run_main_on_own_stack(program, argc, argv, environment);
  lab::emulator::note_os_thread();  // the first one again, for what follows main
  return status;
}

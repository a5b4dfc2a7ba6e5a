#include "signals.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>

#include "device.hpp"
#include "driver_types.h"
#include "fiber.hpp"
#include "grid.hpp"
#include "host_faults.hpp"
#include "interpose/hooks.hpp"
#include "interpose/syscalls.hpp"
#include "liveness.hpp"
#include "memory.hpp"
#include "recorder.hpp"
#include "report.hpp"

namespace lab::emulator {

namespace {

constexpr std::size_t signal_stack_bytes = 64 << 10;

int fault_signal;
std::uintptr_t fault_address;
std::uintptr_t fault_code;

bool on_signal_stack() {
  stack_t stack{};
  return sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

/// Where a kernel's thread continues after a signal: on its own stack, outside the handler.
void kernel_fault_trampoline() {
  executing = execution::runtime;
  auto& grid = *running_grid;
  if (fault_signal == SIGFPE) {
    grid.fail(
        cudaErrorLaunchFailure,
        fmt::format(
            "kernel '{}' divided an integer by zero, in {}; a real GPU goes on with a meaningless number",
            grid.name(), grid.where()),
        fault_code);
  }
  if (fault_signal == SIGILL) {
    grid.fail(cudaErrorIllegalInstruction,
              fmt::format("kernel '{}' reached an instruction that traps, in {}", grid.name(), grid.where()),
              fault_code);
  }
  if (in_stack_guard(fault_address)) {
    // Wherever it hit the end of the stack: the last call that the kernel itself made is what to look at.
    const shadow_stack& calls = grid.calls();
    const std::size_t kept = std::min(calls.depth, calls.capacity);
    if (kept > 0) fault_code = calls.frames[kept - 1];
    grid.fail(cudaErrorLaunchFailure,
              fmt::format("kernel '{}' overflowed its stack, in {}: endless recursion, or large local arrays",
                          grid.name(), grid.where()),
              fault_code);
  }
  grid.fail(cudaErrorIllegalAddress,
            fmt::format("kernel '{}' accessed memory that is not there, in {}", grid.name(), grid.where()),
            fault_code);
}

void crash(int signal, std::string_view sentence, const void* code) {
  heap_after_crash();
  executing = execution::runtime;
  recorder::add_finding(trace::finding_kind::crash, sentence, 0, recorder::here(code));
  say(sentence, recorder::frames(code));
  if (on_signal_stack()) {  // on which kernels cannot run: their own signals come there
    recorder::write(false);
  } else {
    write_last_record(false);
  }
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);  // to this thread, so that it arrives before the next line
  _exit(128 + signal);
}

const char* crash_sentence(int signal, std::uintptr_t address) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      if (address >= device_window_begin && address < device_window_end) {
        return "host code touched device memory; copy it with cudaMemcpy";
      }
      if (address < 4096) return "host code followed a null pointer";
      if (in_freed_heap_block(reinterpret_cast<const void*>(address)))
        return "host code used memory that it had freed";
      if (address >= stack_window_begin && address < stack_window_end) {
        return "the stack of a host thread overflowed: endless recursion, or large local arrays";
      }
      return "host code accessed memory that is not there (segmentation fault)";
    case SIGFPE:
      return "host code divided by zero";
    case SIGILL:
      return "host code reached an instruction that traps";
    default:
      return "the program aborted";
  }
}

/// The same for host code.
void host_fault_trampoline() {
  crash(fault_signal, crash_sentence(fault_signal, fault_address), reinterpret_cast<const void*>(fault_code));
}

/// The interrupted code goes on in `there`, below what it has on its stack.
void continue_in(void (*there)(), greg_t* registers) {
  registers[REG_RSP] = (registers[REG_RSP] - 256) & ~greg_t{15};
  registers[REG_RSP] -= 8;  // as after a call
  registers[REG_RIP] = reinterpret_cast<greg_t>(there);
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto code = static_cast<std::uintptr_t>(registers[REG_RIP]);
  fault_signal = signal;
  fault_address = address;
  fault_code = code + 1;  // as a return address: after the instruction
  // A kernel's stack may also run out within the emulator's code that the kernel had called.
  const bool of_kernel =
      running_grid != nullptr && (executing == execution::kernel || in_stack_guard(address));
  if (of_kernel && signal != SIGABRT) {
    if (in_stack_guard(address))
      registers[REG_RSP] = static_cast<greg_t>((address & ~std::uintptr_t{4095}) + 4096 + (16 << 10));
    continue_in(&kernel_fault_trampoline, registers);
    return;
  }
  const bool stack_is_left = address < stack_window_begin || address >= stack_window_end;
  if (executing == execution::host && (stack_is_left || signal != SIGSEGV)) {
    continue_in(&host_fault_trampoline, registers);
    return;
  }
  crash(signal, crash_sentence(signal, address), reinterpret_cast<const void*>(code + 1));
}

/// Signals to the process reach any thread; what they do belongs on the one that runs the program.
bool passed_on(int signal) {
  const int program = os_thread_of_program();
  if (raw_syscall(SYS_gettid) == program) return false;
  raw_syscall(SYS_tgkill, getpid(), program, signal);
  return true;
}

void on_tick(int signal, siginfo_t*, void* context) {
  if (passed_on(signal)) return;
  if (!nothing_moves()) return;
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (!device::only_for_record()) end_silent_run(reinterpret_cast<const void*>(registers[REG_RIP] + 1));
  fault_signal = signal;  // the kernel's end, of which nobody hears
  continue_in(&kernel_fault_trampoline, registers);
}

void on_terminate(int signal) {
  if (passed_on(signal)) return;
  executing = execution::runtime;
  recorder::write(false);
  _exit(128 + signal);
}

}  // namespace

void use_signal_stack() {
  void* memory =
      mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = signal_stack_bytes;
  if (memory != MAP_FAILED) sigaltstack(&stack, nullptr);
}

void catch_signals() {
  use_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = &on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
  struct sigaction terminate {};
  terminate.sa_handler = &on_terminate;
  terminate.sa_flags = SA_ONSTACK;
  sigaction(SIGTERM, &terminate, nullptr);
  for (const int signal : {SIGINT, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // Who started the program may have it ignore them; and where nobody wants a record, it ends as any other.
    if (before.sa_handler == SIG_DFL && recorder::enabled()) sigaction(signal, &terminate, nullptr);
  }
  struct sigaction tick {};
  tick.sa_sigaction = &on_tick;
  tick.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGPROF, &tick, nullptr);
  const itimerval every_second{{1, 0}, {1, 0}};
  raw_syscall(SYS_setitimer, ITIMER_PROF, reinterpret_cast<long>(&every_second));
}

void host_touched_device(std::uintptr_t, std::size_t bytes, bool write, std::uintptr_t code) {
  const std::string sentence = fmt::format(
      "host code {} {} byte{} of device memory, which only the device can reach; copy with cudaMemcpy",
      write ? "wrote" : "read", bytes, bytes == 1 ? "" : "s");
  executing = execution::runtime;
  recorder::add_finding(trace::finding_kind::host_touched_device, sentence, 0,
                        recorder::here(reinterpret_cast<const void*>(code)));
  say(sentence, recorder::frames(reinterpret_cast<const void*>(code)));
  write_last_record(false);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  _exit(128 + SIGSEGV);
}

bool host_range_access(const void* address, std::size_t bytes, bool write, const char*, const void* caller) {
  host_touched_device(reinterpret_cast<std::uintptr_t>(address), bytes, write,
                      reinterpret_cast<std::uintptr_t>(caller));
}

void report_host_fault(const char* sentence, const void* caller) {
  crash(SIGABRT, sentence, caller);
  __builtin_unreachable();
}

}  // namespace lab::emulator

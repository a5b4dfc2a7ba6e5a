#include "recorder.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <trace/another_run.hpp>
#include <trace/endless.hpp>
#include <utility>

#include "assemble.hpp"
#include "call_sites.hpp"
#include "captures.hpp"
#include "device_times.hpp"
#include "device_variables.hpp"
#include "driver.hpp"
#include "driver_launch.hpp"
#include "host_accesses.hpp"
#include "known_calls.hpp"
#include "preemption.hpp"
#include "real.hpp"
#include "schedule.hpp"

namespace lab::cupti::recorder {
namespace {

struct state {
  std::recursive_mutex lock;  // a signal may find its own thread inside
  everything_seen seen;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known_stacks{{{}, 0}};
  std::string device;
  int descriptor = -1;
  CUpti_SubscriberHandle subscriber = nullptr;
};

state& all() {
  static state& instance = *new state;
  return instance;
}

std::uint64_t clock_now() {
  timespec time;
  real::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Set before any constructor of the program's own.
std::uint64_t started = 0;

std::atomic<trace::sequence> in_sequence{0};
std::atomic<int> threads{0};

/// The call in progress on this thread.
thread_local int depth = 0;
thread_local CUpti_CallbackId current_id = 0;

/// Never destroyed: at the end of the program its threads' variables go before the last calls come.
seen_call& current_call() {
  thread_local seen_call* const mine = new seen_call;
  return *mine;
}

void add_preemption_before(trace::time_ns at) {
  const auto waited = preemption::waited_until(at);
  if (waited) add(seen_pause{thread_number(), trace::pause_kind::preempted, at - *waited, at, 0});
}

/// What a schedule is kept up by is known before the call is made.
void tell_schedule(seen_call& call, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  seen_call asked;
  {
    const captures::no_objection here;
    const std::lock_guard held(all().lock);
    const known_call& called = known_call_of(id, data.functionName);
    call.per_thread = called.per_thread;
    asked = call;
    asked.name = called.name;
    asked.status = cudaErrorNotReady;  // it has given back nothing yet
    if (called.read != nullptr) called.read(asked, data.functionParams);
  }
  schedule::call_begins(asked);
}

void begin_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth++ > 0) return;
  current_id = id;
  host_accesses::end_stretch();
  const void* site = take_call_site();
  seen_call& call = current_call();
  {
    const std::lock_guard held(all().lock);
    call = seen_call();
    call.stack = stack_here(site);
    call.thread = thread_number();
    call.correlations.reserve(2);
    call.correlations.push_back(data.correlationId);
    call.begun = next_in_sequence();
    call.begin = now();
  }
  add_preemption_before(call.begin);
  if (schedule::is_asked_for()) tell_schedule(call, id, data);
}

/// Whether it belongs in the record. Without a status it asked for a text: cudaGetErrorName and the like.
bool complete(seen_call& call, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const known_call& called = known_call_of(id, data.functionName);
  if (!called.recorded || data.functionReturnValue == nullptr) return false;
  const captures::no_objection here;
  const auto status = *static_cast<const cudaError_t*>(data.functionReturnValue);
  call.returned = next_in_sequence();
  call.name = called.name;
  call.per_thread = called.per_thread;
  call.status = status;
  if (status != cudaSuccess) call.error = cudaGetErrorName(status);
  if (called.read != nullptr) called.read(call, data.functionParams);
  if (call.what == action::launch && call.kernel.empty() && data.symbolName != nullptr) {
    call.kernel = signature_of(data.symbolName).name;
  }
  if (!called.not_placed.empty()) call.not_placed = called.not_placed;
  if (call.what == action::launch && !call.takes_stream) {
    call.not_placed = "launches a kernel whose stream and memory are not recorded";
  }
  if (status == cudaSuccess && submits_work(call.what) && captures::have_taken(call)) {
    call.is_captured = true;
    call.touches.clear();
  }
  captures::after(call);
  // Registered after the runtime's own, so that it runs before the runtime is gone.
  static const int registered = std::atexit([] { finish(true); });
  (void)registered;
  return true;
}

/// @param stack where the program is
[[noreturn]] void end_program(const std::string& sentence, std::uint32_t stack) {
  all().seen.ended_because = sentence;
  all().seen.ended_at = stack;
  dprintf(STDERR_FILENO, "lab: %s\n", sentence.c_str());
  finish(false);
  _exit(trace::own_failure);
}

void end_where_record_is_full(std::uint32_t stack) {
  constexpr std::size_t most_bytes = std::size_t{512} << 20, of_call = 320, of_other = 80;
  const auto& seen = all().seen;
  const std::size_t others = seen.clock_reads.size() + seen.pauses.size() + seen.host_accesses.size();
  if (seen.calls.size() * of_call + others * of_other < most_bytes) return;
  if (!enabled() || !seen.ended_because.empty()) return;  // what comes in while a record is ended
  end_program(
      "the record of the run is full: its CUDA calls, clock reads and memory accesses take 512 MiB; give the "
      "program less to do, or look for a loop that does not end.",
      stack);
}

void end_endless_program(const seen_call& last) {
  thread_local int failures_in_a_row = 0;
  const bool failed = last.status != cudaSuccess && last.status != cudaErrorNotReady;
  failures_in_a_row = failed ? failures_in_a_row + 1 : 0;
  if (failures_in_a_row >= trace::most_failures_in_a_row)
    end_program(trace::endless_failures(std::string(last.name), std::string(last.error)), last.stack);
  end_where_record_is_full(last.stack);
}

void end_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth > 1) {
    --depth;
    return;
  }
  seen_call& call = current_call();
  call.end = now();
  preemption::did_something(call.end, call.end - call.begin);
  bool recorded;
  {
    const std::lock_guard held(all().lock);
    recorded = complete(call, id, data);
  }
  if (schedule::is_asked_for()) schedule::call_ended(call);
  if (recorded) {
    const std::lock_guard held(all().lock);
    host_accesses::after(call);
    all().seen.calls.push_back(std::move(call));
    end_endless_program(all().seen.calls.back());
  }
  depth = 0;  // calls of ours in between are none of the program's
}

void begin_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (depth == 0) return;
  seen_call& call = current_call();
  call.correlations.push_back(data.correlationId);
  const bool of_graph = current_id == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000 ||
                        current_id == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000;
  if (of_graph) return;
  const driver_launch launch = read_driver_launch(id, data.functionParams);
  call.takes_stream = true;
  call.stream = number(launch.stream);
  if (launch.has_order_of_its_own) {
    call.not_placed =
        "launches a kernel with an order of its own (programmatic attributes), which is not recorded";
  }
  if (schedule::is_asked_for()) schedule::work_begins(call);
  if (data.symbolName == nullptr) return;
  const std::lock_guard held(all().lock);
  const kernel_signature& kernel = signature_of(data.symbolName, launch.kernel);
  call.kernel = kernel.name;
  call.is_annotated = kernel.annotation != nullptr;
  call.touches = memory_of_arguments(kernel, launch.arguments);
}

/// Device times are lost with what a reset destroys. To ask the driver leaves the runtime's last error alone.
void save_times_from_reset() {
  static auto* const synchronize = driver_function<CUresult()>("cuCtxSynchronize");
  if (synchronize != nullptr) synchronize();
  device_times::collect(true);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* details) {
  const auto& data = *static_cast<const CUpti_CallbackData*>(details);
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    enters ? begin_call(id, data) : end_call(id, data);
    if (enters && depth == 1 && id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020) save_times_from_reset();
  } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && enters) {
    begin_launch(id, data);
  }
}

/// "" where CUPTI does what is asked; else why not, and what helps.
std::string subscribe() {
  if (const auto result = cuptiSubscribe(&all().subscriber, &on_call, nullptr); result != CUPTI_SUCCESS) {
    return device_times::refusal("watch the program", result);
  }
  cuptiEnableDomain(1, all().subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  for (const auto launch : driver_launches) {
    cuptiEnableCallback(1, all().subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launch);
  }
  return device_times::start(&clock_now);
}

}  // namespace

trace::time_ns now() {
  return static_cast<trace::time_ns>(clock_now() - started);
}

bool enabled() {
  return all().descriptor >= 0;
}

int thread_number() {
  thread_local const int mine = threads++;
  return mine;
}

trace::sequence next_in_sequence() {
  return ++in_sequence;
}

std::uint32_t stack_here(const void* innermost) {
  const auto frames = call_stack(innermost);
  const std::lock_guard held(all().lock);
  const auto [entry, fresh] =
      all().known_stacks.try_emplace(frames, static_cast<std::uint32_t>(all().seen.stacks.size()));
  if (fresh) all().seen.stacks.push_back(frames);
  return entry->second;
}

void add(const seen_clock_read& read) {
  add_preemption_before(read.at);
  {
    const std::lock_guard held(all().lock);
    all().seen.clock_reads.push_back(read);
    end_where_record_is_full(read.stack);
  }
  preemption::did_something(now(), 0);
}
void add(const seen_pause& pause) {
  const std::lock_guard held(all().lock);
  all().seen.pauses.push_back(pause);
  end_where_record_is_full(pause.stack);
}
void add(const seen_host_access& access) {
  const std::lock_guard held(all().lock);
  all().seen.host_accesses.push_back(access);
  end_where_record_is_full(access.stack);
}
void add(address name, const host_function_run& run) {
  const std::lock_guard held(all().lock);
  all().seen.host_functions[name] = run;
}

bool inside_cuda() {
  return depth > 0;
}

void start() {
  const char* given = std::getenv("LAB_TRACE_FD");
  schedule::start(given != nullptr);
  if (given == nullptr) return;
  // Out of the way of programs that close or write to low descriptors.
  constexpr int high = 800;
  const int moved = fcntl(std::atoi(given), F_DUPFD_CLOEXEC, high);
  all().descriptor = moved < 0 ? std::atoi(given) : moved;
  if (moved >= 0) close(std::atoi(given));
  unsetenv("LAB_TRACE_FD");
  started = clock_now();
  thread_number();
  all().seen.trouble = subscribe();
}

namespace {

/// With the lock held.
void write_to(int descriptor, bool complete) {
  cudaDeviceProp properties{};
  auto& name = all().device;
  if (name.empty()) name = cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "a GPU";
  all().seen.device = name;
  if (schedule::is_asked_for()) all().seen.order_not_kept = schedule::not_kept();
  if (complete && !all().seen.calls.empty()) all().seen.variables = device_variables::all();
  all().seen.managed_variable = device_variables::managed();
  device_times::move_to(all().seen, started);
  trace::writer out(name);
  assemble(all().seen, out);
  out.write(descriptor, complete);
}

/// Calls that leave nothing behind but objects and memory. Any other may have changed what the next run
/// finds.
bool leaves_no_settings(const seen_call& call) {
  constexpr std::string_view harmless[] = {"cudaGetLastError",
                                           "cudaPeekAtLastError",
                                           "cudaGetDevice",
                                           "cudaGetDeviceCount",
                                           "cudaDeviceGetAttribute",
                                           "cudaGetDeviceProperties",
                                           "cudaPointerGetAttributes",
                                           "cudaMemGetInfo",
                                           "cudaStreamGetFlags",
                                           "cudaHostGetDevicePointer",
                                           "cudaRuntimeGetVersion",
                                           "cudaDriverGetVersion",
                                           "cudaOccupancyMaxActiveBlocksPerMultiprocessor"};
  if (call.what == action::reset_device) return false;
  return call.what != action::other ||
         std::find(std::begin(harmless), std::end(harmless), call.name) != std::end(harmless);
}

}  // namespace

void prepare() {
  depth = 1;  // what is called here is none of the program's
  cudaFree(nullptr);
  depth = 0;
}

bool is_empty() {
  return enabled() && all().seen.calls.empty() && all().seen.clock_reads.empty() && threads == 1;
}

bool begin_another_run() {
  if (!enabled() || !all().seen.trouble.empty() || threads != 1 || schedule::is_asked_for() ||
      captures::in_progress()) {
    return false;
  }
  const auto& calls = all().seen.calls;
  if (!std::all_of(calls.begin(), calls.end(), leaves_no_settings)) return false;
  depth = 1;  // what is called here is none of the program's
  host_accesses::end_stretch();
  const bool idle = cudaDeviceSynchronize() == cudaSuccess;
  if (idle) {
    device_times::collect(true);
    const std::lock_guard held(all().lock);
    write_to(dup(all().descriptor), true);
    all().seen = {};
    host_accesses::forget_memory();
    all().known_stacks = {{{}, 0}};
    in_sequence = 0;
    started = clock_now();
    preemption::forget();
    cudaGetLastError();
  }
  depth = 0;
  return idle;
}

void finish(bool complete) {
  if (!enabled()) return;
  depth = 1;  // what is called here is none of the program's
  host_accesses::end_stretch();
  if (schedule::is_asked_for()) schedule::program_ends();
  const bool wait = complete && all().seen.trouble.empty();
  if (wait) cudaDeviceSynchronize();  // what is still under way gets its times
  device_times::collect(wait);
  if (complete) cuptiUnsubscribe(all().subscriber);
  const std::lock_guard held(all().lock);
  write_to(std::exchange(all().descriptor, -1), complete);
}

}  // namespace lab::cupti::recorder

namespace lab::trace {

void prepare() {
  cupti::recorder::prepare();
}

bool is_empty() {
  return cupti::recorder::is_empty();
}

bool begin_another_run() {
  return cupti::recorder::begin_another_run();
}

}  // namespace lab::trace

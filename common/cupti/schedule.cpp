#include "schedule.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <trace/schedule.hpp>
#include <utility>

#include "captures.hpp"
#include "driver.hpp"
#include "gate.hpp"
#include "real.hpp"
#include "recorder.hpp"
#include "submissions.hpp"

namespace lab::cupti::schedule {
namespace {

using trace::time_ns;

constexpr time_ns patience = 2'000'000'000;  // for work that may itself wait for what the host does next
// A program may tell times in words as coarse as tenths of a second.
constexpr time_ns long_pause = 20'000'000, all_long_pauses = 400'000'000, short_pause = 1'000'000;

bool asked_for = false;
trace::schedule wanted;

struct driver_functions {
  driver_functions() {
    find_in_driver(wait_value, "cuStreamWaitValue32_v2");
    find_in_driver(write_value, "cuStreamWriteValue32_v2");
    find_in_driver(query, "cuStreamQuery");
    find_in_driver(current_context, "cuCtxGetCurrent");
    find_in_driver(allocate_host, "cuMemHostAlloc");
    find_in_driver(device_pointer, "cuMemHostGetDevicePointer_v2");
  }
  bool are_all_there() const {
    return wait_value != nullptr && write_value != nullptr && query != nullptr &&
           current_context != nullptr && allocate_host != nullptr && device_pointer != nullptr;
  }

  CUresult (*wait_value)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*write_value)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*query)(CUstream) = nullptr;
  CUresult (*current_context)(CUcontext*) = nullptr;
  CUresult (*allocate_host)(void**, std::size_t, unsigned) = nullptr;
  CUresult (*device_pointer)(CUdeviceptr*, void*, unsigned) = nullptr;
};

const driver_functions& driver() {
  static const driver_functions& functions = *new driver_functions;
  return functions;
}

struct state {
  std::mutex lock;
  submissions work{wanted.held};
  gate held{wanted.held};
  std::map<int, time_ns> inside_since;  // of the threads that are inside a call
  std::string not_kept;
  bool given_up = false;
  bool watched = false;
  time_ns paused = 0;

  std::atomic<std::uint32_t>* flag = nullptr;  // the gate is open where it is the number of the gate
  CUdeviceptr flag_on_device = 0;
  std::uint32_t gates = 0;  // a call that fails leaves its gate behind
};

/// Never destroyed: a thread watches it to the end.
state& all() {
  static state& instance = *new state;
  return instance;
}

/// Of the call in progress.
thread_local std::optional<submissions::submission> submitted;

CUstream handle_of(const submissions::stream_key& stream) {
  return reinterpret_cast<CUstream>(stream.handle);
}

void pause_for(time_ns time) {
  const timespec wanted_time{time / 1'000'000'000, time % 1'000'000'000};
  real::nanosleep(&wanted_time, nullptr);
}

// --- the gate. The first four with the lock held
// -----------------------------------------------------------------------

void say(const std::string& why) {
  if (all().not_kept.empty()) all().not_kept = why;
}

/// From here on the program runs as it would without a schedule.
void give_up(const std::string& why) {
  say(why);
  all().given_up = true;
  if (all().flag != nullptr) all().flag->store(all().gates);
  all().held.open();
  all().work.let_go();
}

bool is_open() {
  return !all().held.is_closed() || all().flag->load() == all().gates;
}

void open_because(gate::cause why) {
  if (is_open()) return;
  all().flag->store(all().gates);
  say(all().held.broken_by(why));
  all().held.open();
  all().work.let_go();
}

/// Nothing else could open the gate where the host is stuck.
void watch() {
  while (true) {
    pause_for(1'000'000);
    const std::lock_guard alone(all().lock);
    if (is_open()) continue;
    time_ns inside = trace::unfinished;
    for (const auto& [thread, since] : all().inside_since) {
      inside = inside == trace::unfinished ? since : std::min(inside, since);
    }
    if (const auto why = all().held.due(recorder::now(), inside)) open_because(*why);
  }
}

void start_watching() {
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);  // the program's signals are for its own threads
  std::thread(&watch).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// That host and device see.
CUresult make_flag() {
  if (all().flag != nullptr) return CUDA_SUCCESS;
  void* memory = nullptr;
  const auto made = driver().allocate_host(&memory, sizeof(*all().flag),
                                           CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (made != CUDA_SUCCESS) return made;
  const auto seen = driver().device_pointer(&all().flag_on_device, memory, 0);
  if (seen == CUDA_SUCCESS) all().flag = new (memory) std::atomic<std::uint32_t>(0);
  return seen;
}

void close_gate(const submissions::stream_key& stream) {
  CUresult result = make_flag();
  if (result == CUDA_SUCCESS) {
    result =
        driver().wait_value(handle_of(stream), all().flag_on_device, ++all().gates, CU_STREAM_WAIT_VALUE_GEQ);
  }
  const std::lock_guard alone(all().lock);
  if (result != CUDA_SUCCESS) {
    return give_up("this GPU cannot hold a stream back (error " + std::to_string(result) + " of the driver)");
  }
  all().held.close(recorder::now());
  if (!std::exchange(all().watched, true)) start_watching();
}

// --- submission order
// -----------------------------------------------------------------------

bool is_done_in_time(const submissions::stream_key& stream) {
  constexpr time_ns spinning = 200'000;
  const time_ns began = recorder::now();
  while (driver().query(handle_of(stream)) == CUDA_ERROR_NOT_READY) {
    const time_ns waited = recorder::now() - began;
    if (waited > patience) return false;
    if (waited > spinning) pause_for(20'000);
  }
  return true;
}

void wait_for(const submissions::submission& work) {
  const captures::no_objection here;
  if (!captures::may_ask(work.stream.handle)) {
    const std::lock_guard alone(all().lock);
    return say("a stream was being captured when the work that was in it before was to be waited for");
  }
  if (is_done_in_time(work.stream)) return;
  const std::lock_guard alone(all().lock);
  give_up("operation " + std::to_string(work.number) +
          " was not done two seconds after it was submitted; it may wait for what the host does next");
}

/// What is behind the gate is not waited for; once it is open all that was is.
void finish_first(const submissions::submission& work) {
  std::vector<submissions::stream_key> let_go;
  {
    const std::lock_guard alone(all().lock);
    if (all().given_up || (work.is_behind && !is_open())) return;
  }
  wait_for(work);
  {
    const std::lock_guard alone(all().lock);
    if (all().held.is_closed() && is_open()) {
      all().held.open();
      let_go = all().work.let_go();
    }
  }
  for (const auto& stream : let_go) wait_for({work.number, stream});
}

void pause() {
  const time_ns time = all().paused < all_long_pauses ? long_pause : short_pause;
  all().paused += time;
  pause_for(time);
}

[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr, "lab: LAB_SCHEDULE cannot be had here: %s.\n", why);
  _exit(125);
}

}  // namespace

void start(bool recorded) {
  asked_for = trace::take_schedule(wanted);
  if (!asked_for) return;
  if (!wanted.implicit_waits || wanted.failing_call != 0) {
    refuse("\"no-implicit-waits\" and \"fail N\" are for the emulated GPU, whose calls can be changed");
  }
  if (!recorded) refuse("on a real GPU a schedule is kept up by the recorder, and nobody asks for a record");
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);       // to load a kernel late waits for what runs
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);  // streams that share one wait for each other
}

bool is_asked_for() {
  return asked_for;
}

void call_begins(const seen_call& call) {
  {
    const std::lock_guard alone(all().lock);
    all().inside_since[call.thread] = recorder::now();
    if (call.name == "cudaDeviceReset") give_up("the program resets the device");
    if (call.what == action::destroy_stream) all().work.destroyed(call);
  }
  submitted.reset();
  if (submits_work(call.what) && call.what != action::launch) work_begins(call);
}

void work_begins(const seen_call& call) {
  if (captures::will_take(call)) return;
  bool closes = false;
  {
    const std::lock_guard alone(all().lock);
    if (!driver().are_all_there()) give_up("the driver lacks what holds a stream back");
    submitted = all().work.begin(call);
    if (submitted->is_opener && submitted->is_behind) {
      open_because(gate::cause::opener_waits_too);
    } else if (submitted->is_opener) {
      all().held.opener_comes();
    }
    closes = submitted->is_held && !all().given_up;
  }
  if (!closes) return;
  const captures::no_objection here;
  CUcontext context = nullptr;
  driver().current_context(&context);
  if (context == nullptr) cudaFree(nullptr);  // this thread's first use of CUDA
  close_gate(submitted->stream);
}

void call_ended(const seen_call& call) {
  std::unique_lock alone(all().lock);
  all().inside_since.erase(call.thread);
  const bool worked = call.status == 0;
  if (worked && call.what == action::create_stream) all().work.created(call);
  if (worked && !submitted && submits_work(call.what) && !call.is_captured)
    submitted = all().work.begin(call);
  const auto made = std::exchange(submitted, std::nullopt);
  if (!made) return;
  if (!worked) {
    all().work.failed();
    if (made->is_held && all().held.is_closed()) {
      all().flag->store(all().gates);
      all().held.open();
    }
    return;
  }
  const bool opens = made->is_opener && !is_open();
  const std::uint32_t number = all().gates;
  alone.unlock();
  if (opens)
    driver().write_value(handle_of(made->stream), all().flag_on_device, number,
                         CU_STREAM_WRITE_VALUE_DEFAULT);
  if (!wanted.by_submission) return;
  finish_first(*made);
  if (wanted.slowly) pause();
}

void program_ends() {
  if (all().flag == nullptr) return;
  constexpr int tries = 100;  // a signal may find its own thread inside
  for (int i = 0; i < tries; ++i) {
    const std::unique_lock alone(all().lock, std::try_to_lock);
    if (alone.owns_lock()) return open_because(gate::cause::program_ends);
    pause_for(1'000'000);
  }
  all().flag->store(all().gates);
}

std::string not_kept() {
  const std::unique_lock alone(all().lock, std::try_to_lock);
  return alone.owns_lock() ? all().not_kept : "";
}

}  // namespace lab::cupti::schedule

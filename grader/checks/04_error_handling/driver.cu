#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "exercise.hpp"
#include "exercise/scenario.hpp"
#include "exercise/situation.hpp"
#include "lab/check.hpp"
#include "lab/kernel_uses.hpp"
#include "lab/workload.hpp"

// Makes the student's code of lab 04 meet failures, and writes down what it made of them. The program must
// not end where the student's code fails, so nothing here checks a call that a planted failure can reach.

__global__ void the_work(long long cycles) {
  lab::spin_for(cycles);
}
static __device__ void spin_and_write(long long cycles, int* nowhere) {
  lab::spin_for(cycles);
  if (nowhere != nullptr) *nowhere = 1;
}
__global__ void broken(long long cycles, int* nowhere) {
  spin_and_write(cycles, nowhere);
}
KERNEL_USES(broken, (long long cycles, int* nowhere), writes(nowhere, 1));

// What the launcher launches has the names that it is told, so messages and pictures speak of the same.
static __global__ void load(long long cycles, int* nowhere) {
  spin_and_write(cycles, nowhere);
}
KERNEL_USES(load, (long long cycles, int* nowhere), writes(nowhere, 1));
static __global__ void scale(long long cycles, int* nowhere) {
  spin_and_write(cycles, nowhere);
}
KERNEL_USES(scale, (long long cycles, int* nowhere), writes(nowhere, 1));
static __global__ void sum(long long cycles, int* nowhere) {
  spin_and_write(cycles, nowhere);
}
KERNEL_USES(sum, (long long cycles, int* nowhere), writes(nowhere, 1));
static __global__ void store(long long cycles, int* nowhere) {
  spin_and_write(cycles, nowhere);
}
KERNEL_USES(store, (long long cycles, int* nowhere), writes(nowhere, 1));
__global__ void trapped(bool trap) {
  if (trap) __trap();
}

namespace {

using lab::exercise::cycles;
using lab::exercise::inputs;
using lab::exercise::outputs;

constexpr int too_many_threads = 1 << 20;
constexpr double unrelated_ms = 200;

int* nowhere() {
  return reinterpret_cast<int*>(64);
}

void sleep_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

using step_kernel = void (*)(long long cycles, int* nowhere);
constexpr std::pair<std::string_view, step_kernel> steps_by_name[] = {
    {"load", load}, {"scale", scale}, {"sum", sum}, {"store", store}};

step_kernel kernel_named(const std::string& name) {
  for (const auto& [known, kernel] : steps_by_name) {
    if (known == name) return kernel;
  }
  throw std::logic_error("there is no kernel " + name);
}

/// The first launch of a kernel loads it.
void load_kernels() {
  for (const auto& [name, kernel] : steps_by_name) kernel<<<1, 1>>>(0, nullptr);
  the_work<<<1, 1>>>(0);
  unrelated_work<<<1, 1>>>(0, nullptr);
  broken<<<1, 1>>>(0, nullptr);
  trapped<<<1, 1>>>(false);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// A stream that is left to the end of the process: its work may have failed.
cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/// A failed call that its caller does not look at.
void ignore_a_failure() {
  static_cast<void>(cudaMemsetAsync(nullptr, 0, 4));
}

/// So that the record shows it.
void let_the_work_end() {
  static_cast<void>(cudaDeviceSynchronize());  // fails where the work did
}

/// As long as that may take: a GPU tells a fault after a tenth of a second, and a trap after half a second.
/// Nothing is left behind of what the stream answered.
void let_come_to_an_end(cudaStream_t stream) {
  while (cudaStreamQuery(stream) == cudaErrorNotReady) sleep_ms(1);
  static_cast<void>(cudaGetLastError());
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// In the record, what the student's code called stands between two of these.
cudaError_t mark() {
  return cudaPeekAtLastError();
}

/// Runs `body` and writes how it ended, under names that end in `_AT`; whether it returned.
bool attempt(outputs& out, const std::string& at, const std::function<void()>& body) {
  const auto text = [&](const char* name, const std::string& value) {
    out.text((name + ("_" + at)).c_str(), value);
  };
  bool returned = false;
  mark();
  try {
    body();
    returned = true;
    text("ended", "returned");
  } catch (const cuda_failure& failure) {
    text("ended", "cuda_failure");
    text("status", cudaGetErrorName(failure.status()));
    text("suspects", joined(failure.suspects()));
    text("message", failure.what());
  } catch (const std::invalid_argument& problem) {
    text("ended", "std::invalid_argument");
    text("message", problem.what());
  } catch (const std::exception& problem) {
    text("ended", "another exception");
    text("message", problem.what());
  } catch (...) {
    text("ended", "something that is no std::exception");
    text("message", "");
  }
  text("left", cudaGetErrorName(mark()));
  return returned;
}

const char* name_of(reporter call) {
  switch (call) {
    case reporter::get_last_error:
      return "get_last_error";
    case reporter::event_record:
      return "event_record";
    case reporter::event_query:
      return "event_query";
    case reporter::event_synchronize:
      return "event_synchronize";
    case reporter::cuda_malloc:
      return "cuda_malloc";
    default:
      return "?";
  }
}

const char* name_of(last_error error) {
  switch (error) {
    case last_error::success:
      return "success";
    case last_error::not_ready:
      return "not_ready";
    default:
      return "?";
  }
}

const char* name_of(recovery from) {
  switch (from) {
    case recovery::from_neither:
      return "from_neither";
    case recovery::from_rejected_launch:
      return "from_rejected_launch";
    case recovery::from_illegal_address:
      return "from_illegal_address";
    case recovery::from_both:
      return "from_both";
    default:
      return "?";
  }
}

/// Launches a kernel that does nothing wrong, and says whether it ran.
bool good_launch_works(cudaStream_t stream) {
  static_cast<void>(cudaGetLastError());
  the_work<<<1, 1, 0, stream>>>(0);
  return cudaGetLastError() == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess;
}

}  // namespace

/// What the predictions are about, done as exercise.hpp says it.
SCENARIO(predictions) {
  out.text("predicted_reporter", name_of(predicted_reporter));
  out.text("predicted_last_error", name_of(predicted_last_error));
  out.text("predicted_recovery", name_of(predicted_recovery));

  load_kernels();
  cudaStream_t stream = make_stream();
  cudaEvent_t done = nullptr;
  CUDA_CHECK(cudaEventCreate(&done));

  // The calls behind it come while it runs, also where the machine has other things to do.
  const long long long_enough = cycles(50);
  the_work<<<1, 1, 0, stream>>>(long_enough);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(done, stream));
  out.integer("query_is_not_ready", cudaEventQuery(done) == cudaErrorNotReady);
  out.text("last_error", cudaGetLastError() == cudaErrorNotReady ? "not_ready" : "success");
  CUDA_CHECK(cudaStreamSynchronize(stream));

  the_work<<<1, too_many_threads, 0, stream>>>(0);
  const bool after_rejection = cudaGetLastError() != cudaSuccess && good_launch_works(stream);

  std::string reported_by = "?";
  const auto call = [&](reporter which, cudaError_t status) {
    const bool failed = status != cudaSuccess && status != cudaErrorNotReady;
    if (failed && reported_by == "?") reported_by = name_of(which);
  };
  void* data = nullptr;
  broken<<<1, 1, 0, stream>>>(long_enough, nowhere());
  call(reporter::get_last_error, cudaGetLastError());
  call(reporter::event_record, cudaEventRecord(done, stream));
  call(reporter::event_query, cudaEventQuery(done));
  call(reporter::event_synchronize, cudaEventSynchronize(done));
  call(reporter::cuda_malloc, cudaMalloc(&data, 4096));
  out.text("reporter", reported_by);

  const bool after_fault = good_launch_works(stream);
  out.text("recovery", name_of(after_rejection && after_fault ? recovery::from_both
                               : after_rejection              ? recovery::from_rejected_launch
                               : after_fault                  ? recovery::from_illegal_address
                                                              : recovery::from_neither));
}

/// CUDA_CHECK, twice, of what "use" says and is "status".
SCENARIO(use) {
  load_kernels();
  const std::string use = in.text("use");
  const auto status = static_cast<cudaError_t>(in.integer("status"));
  if (in.integer("ignored_failure") != 0) ignore_a_failure();
  int first = 0, second = 0;
  const auto check = [&] {
    if (use == "a call") {
      void* memory = nullptr;
      uses::of_a_call(&memory, status == cudaSuccess ? std::size_t{4096} : std::size_t{1} << 50);
    } else if (use == "a choice") {
      uses::of_a_choice(in.integer("first") != 0, in.integer("first") != 0 ? status : cudaSuccess,
                        in.integer("first") != 0 ? cudaSuccess : status);
    } else if (use == "an if") {
      const auto counted = [status](int& count) {
        return [status, &count] {
          ++count;
          return status;
        };
      };
      uses::in_an_if(in.integer("first") != 0, counted(first), counted(second));
    } else if (use == "a template") {
      uses::of_a_template(status);
    } else {
      uses::of_a_variable(use, status);
    }
  };
  attempt(out, "use", check);
  out.integer("first_evaluated", first);
  out.integer("second_evaluated", second);
  attempt(out, "again", check);
}

/// CUDA_CHECK of variables of these "names", each of which is "status": the first that did not tell it, and
/// what came of that.
SCENARIO(variables) {
  const auto status = static_cast<cudaError_t>(in.integer("status"));
  std::string wrong, what;
  std::istringstream names(in.text("names"));
  for (std::string name; wrong.empty() && names >> name;) {
    std::string ended = "returned";
    try {
      uses::of_a_variable(name, status);
    } catch (const cuda_failure& failure) {
      if (failure.status() == status) continue;
      ended = std::string("threw a cuda_failure with ") + cudaGetErrorName(failure.status());
    }
    wrong = name;
    what = ended;
  }
  out.text("wrong", wrong);
  out.text("what", what);
}

/// A launcher, and what "steps" has it do: words, of which `wait` waits, `ignored_failure`,
/// `ignored_shortage` and `foreign_fault` are somebody else's, `pause` lets the device come to an end, `busy`
/// keeps another stream busy, `unread` has an error of the work returned to somebody who does not look, and
/// any other is a launch of load, scale, sum or store: NAME, NAME!rejected, NAME!homeless (in a stream that
/// is gone), NAME!faulty or NAME!trapped.
SCENARIO(launches) {
  load_kernels();
  cudaStream_t stream = make_stream();
  cudaStream_t other_stream = make_stream();
  cudaStream_t gone = make_stream();
  CUDA_CHECK(cudaStreamDestroy(gone));
  const long long long_time = cycles(in.number("kernel_ms"));
  lab::exercise::somebody_elses_work unrelated;
  launcher launches(stream, in.integer("debug") != 0);

  std::istringstream steps(in.text("steps"));
  int number = 0;
  for (std::string step; steps >> step; ++number) {
    const std::string at = std::to_string(number);
    if (step == "pause") {
      let_come_to_an_end(stream);
      let_come_to_an_end(other_stream);
    } else if (step == "ignored_failure") {
      ignore_a_failure();
    } else if (step == "ignored_shortage") {
      void* too_much = nullptr;
      static_cast<void>(cudaMalloc(&too_much, std::size_t{1} << 50));
    } else if (step == "busy") {
      unrelated.launch(unrelated_ms, other_stream);
    } else if (step == "unread") {
      let_the_work_end();
    } else if (step == "foreign_fault") {
      broken<<<1, 1, 0, other_stream>>>(0, nowhere());
    } else if (step == "wait") {
      attempt(out, at, [&] { launches.wait(); });
    } else {
      const std::string name = step.substr(0, step.find('!'));
      const std::string failure = name == step ? "" : step.substr(name.size() + 1);
      const step_kernel launched_kernel = kernel_named(name);
      int launched = 0;
      bool elsewhere = false;
      const kernel_launch kernel = [&](cudaStream_t where) {
        ++launched;
        elsewhere = where != stream;
        if (failure == "trapped") {
          trapped<<<1, 1, 0, where>>>(true);
        } else {
          const int threads = failure == "rejected" ? too_many_threads : 1;
          launched_kernel<<<1, threads, 0, failure == "homeless" ? gone : where>>>(
              long_time, failure == "faulty" ? nowhere() : nullptr);
        }
      };
      attempt(out, at, [&] { launches.launch(name, kernel); });
      out.integer(("launched_" + at).c_str(), launched);
      out.integer(("elsewhere_" + at).c_str(), elsewhere);
    }
  }
  unrelated.end();
  let_the_work_end();
}

/// Asks is_done until it has another answer than "no".
SCENARIO(poll) {
  load_kernels();
  cudaStream_t stream = make_stream();
  cudaEvent_t done = nullptr;
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  if (in.text("work") == "faulty") {
    broken<<<1, 1, 0, stream>>>(cycles(in.number("kernel_ms")), nowhere());
  } else {
    the_work<<<1, 1, 0, stream>>>(cycles(in.number("kernel_ms")));
  }
  CUDA_CHECK(cudaEventRecord(done, stream));
  if (in.integer("ignored_failure") != 0) ignore_a_failure();

  bool is_there = false;
  const auto asked = std::chrono::steady_clock::now();
  const bool answered = attempt(out, "first", [&] { is_there = is_done(done); });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - asked;
  out.number("answer_took_ms", took.count());
  out.integer("first", is_there);
  if (!answered || is_there) return let_the_work_end();
  const int most_polls = 300;
  const double between_polls_ms = in.number("kernel_ms") / 30;
  attempt(out, "last", [&] {
    for (int poll = 0; poll < most_polls && !is_there; ++poll) {
      sleep_ms(between_polls_ms);
      is_there = is_done(done);
    }
  });
  out.integer("last", is_there);
  let_the_work_end();
}

/// elapsed_ms of a pair of events around work, right after the second record.
SCENARIO(elapsed) {
  load_kernels();
  cudaStream_t stream = make_stream();
  const auto make = [](const std::string& kind) {
    event made{nullptr, kind != "sync_only"};
    CUDA_CHECK(
        cudaEventCreateWithFlags(&made.handle, made.timed ? cudaEventDefault : cudaEventDisableTiming));
    return made;
  };
  const event start = make(in.text("start"));
  const event stop = make(in.text("stop"));
  lab::exercise::somebody_elses_work unrelated;
  unrelated.launch(unrelated_ms, make_stream());
  if (in.text("start") != "unrecorded") CUDA_CHECK(cudaEventRecord(start.handle, stream));
  if (in.text("work") == "faulty") {
    broken<<<1, 1, 0, stream>>>(cycles(in.number("kernel_ms")), nowhere());
  } else {
    the_work<<<1, 1, 0, stream>>>(cycles(in.number("kernel_ms")));
  }
  if (in.text("stop") != "unrecorded") CUDA_CHECK(cudaEventRecord(stop.handle, stream));
  if (in.integer("ignored_failure") != 0) ignore_a_failure();
  double reported_ms = 0;
  attempt(out, "elapsed", [&] { reported_ms = elapsed_ms(start, stop); });
  out.number("reported_ms", reported_ms);
  unrelated.end();
  let_the_work_end();
}

/// The end of a `resources` that holds "parts"; "state" says what is wrong then: "good", "fault" or
/// "bad_pointer".
SCENARIO(give_back) {
  load_kernels();
  const std::string state = in.text("state");
  const auto has = [&](const char* part) { return in.text("parts").find(part) != std::string::npos; };
  cudaStream_t elsewhere = make_stream();
  attempt(out, "scope", [&] {
    resources held;
    if (has("stream")) CUDA_CHECK(cudaStreamCreate(&held.stream));
    if (has("start")) CUDA_CHECK(cudaEventCreate(&held.start));
    if (has("stop")) CUDA_CHECK(cudaEventCreate(&held.stop));
    if (has("data")) CUDA_CHECK(cudaMalloc(&held.data, 4096));
    if (state == "fault") {
      broken<<<1, 1, 0, elsewhere>>>(0, nowhere());
      static_cast<void>(cudaDeviceSynchronize());
      static_cast<void>(cudaGetLastError());
    }
    if (state == "bad_pointer") ++held.data;  // not what cudaMalloc gave
    if (in.integer("ignored_failure") != 0) ignore_a_failure();
    std::fflush(stdout);
    std::fprintf(stderr, "[destructor begins]\n");
    mark();
    if (in.integer("unwinding") != 0) throw std::runtime_error("thrown by the driver");
  });
  std::fprintf(stderr, "[destructor has ended]\n");
}

#include <cuda_runtime.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "exercise.hpp"
#include "exercise/scenario.hpp"
#include "exercise/situation.hpp"
#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/event.hpp"
#include "lab/kernel_uses.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/workload.hpp"

// Calls the timers of lab 01 in the situations that the checks choose. Each kernel is named after its part,
// so that traces and messages speak of "the_work" and of "earlier_work".

__global__ void the_work(long long cycles) {
  lab::spin_for(cycles);
}
__global__ void earlier_work(long long cycles) {
  lab::spin_for(cycles);
}
__global__ void next_work(long long cycles) {
  lab::spin_for(cycles);
}
__global__ void first_run_only(long long cycles) {
  lab::spin_for(cycles);
}
__global__ void failing_work(int* nowhere) {
  if (nowhere != nullptr) *nowhere = 1;
}
KERNEL_USES(failing_work, (int* nowhere), writes(nowhere, 1));

namespace {

using lab::exercise::callers_stream;
using lab::exercise::cycles;
using lab::exercise::inputs;
using lab::exercise::outputs;

/// The first launch of a kernel loads it, and the first question for the clock rate takes long: neither is
/// what is timed here.
void load_kernels() {
  static_cast<void>(cycles(0));
  the_work<<<1, 1>>>(0);
  earlier_work<<<1, 1>>>(0);
  next_work<<<1, 1>>>(0);
  unrelated_work<<<1, 1>>>(0, nullptr);
  first_run_only<<<1, 1>>>(0);
  failing_work<<<1, 1>>>(nullptr);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// Launches one thread, or too many. Gives what the launch itself came to, and not, as cudaGetLastError
/// would, an error that a call of the timer's has left behind: that is judged by itself.
cudaError_t launch(void (*kernel)(long long), int threads, cudaStream_t stream, long long cycles) {
  void* arguments[] = {&cycles};
  const cudaError_t status = cudaLaunchKernel(kernel, dim3(1), dim3(threads), arguments, 0, stream);
  if (status != cudaSuccess)
    static_cast<void>(cudaGetLastError());  // it is told: nobody else takes it for his
  return status;
}

/// What a timer finds when it is called, and the work that it is given.
class situation {
 public:
  explicit situation(const inputs& in)
      : in_(in),
        kernel_ms_(in.number("kernel_ms")),
        failure_(in.text("failure")),
        stream_(in.text("stream")),
        other_stream_(in.text("other_stream")) {
    load_kernels();
    const double unrelated_ms = in.number("unrelated_ms");
    const double earlier_ms = in.number("earlier_ms");
    if (unrelated_ms > 0) unrelated_.launch(unrelated_ms, other_stream_.get());
    if (earlier_ms > 0) earlier_work<<<1, 1, 0, stream_.get()>>>(cycles(earlier_ms));
    CUDA_CHECK(cudaGetLastError());
  }

  /// The same timer, called before for other work: what it keeps from one call to the next shows.
  void call_before(const std::string& timer, double kernel_ms) {
    kernel_ms_ = kernel_ms;
    failure_ = in_.text("failure_before");
    static_cast<void>(call(timer));
    CUDA_CHECK(cudaDeviceSynchronize());
    kernel_ms_ = in_.number("kernel_ms");
    failure_ = in_.text("failure");
    runs_ = neighbour_runs_ = 0;
  }

  std::optional<double> call(const std::string& timer) {
    const work submit = [this](cudaStream_t stream) { return submit_work(stream); };
    if (timer == "host_ms") return host_ms(submit, stream_.get());
    if (timer == "event_ms") return event_ms(submit, stream_.get());
    if (timer == "warm_ms") return warm_ms(submit, stream_.get());
    const long long neighbour = cycles(in_.number("neighbour_ms"));
    const int threads = in_.text("neighbour_failure") == "rejected" ? 1 << 20 : 1;
    if (timer == "host_ms_after") {
      const work submit_previous = [this, neighbour, threads](cudaStream_t stream) {
        ++neighbour_runs_;
        return launch(earlier_work, threads, stream, neighbour);
      };
      return host_ms_after(submit_previous, submit, stream_.get());
    }
    const work submit_next = [this, neighbour, threads](cudaStream_t stream) {
      ++neighbour_runs_;
      return launch(next_work, threads, stream, neighbour);
    };
    return event_ms_before(submit, submit_next, stream_.get());
  }

  int runs() const { return runs_; }
  int neighbour_runs() const { return neighbour_runs_; }
  bool stream_is_busy() const { return stream_.is_busy(); }
  bool other_stream_is_busy() const { return other_stream_.is_busy(); }
  void end_unrelated_work() { unrelated_.end(); }

 private:
  cudaError_t submit_work(cudaStream_t stream) {
    ++runs_;
    if (runs_ == 1 && in_.number("first_run_ms") > 0) {
      first_run_only<<<1, 1, 0, stream>>>(cycles(in_.number("first_run_ms")));
    }
    const bool fails = runs_ == in_.integer("failing_run");
    const int threads = fails && failure_ == "rejected" ? 1 << 20 : 1;
    const std::chrono::duration<double, std::milli> pause(in_.number("pause_ms"));
    cudaError_t status = cudaSuccess;
    for (int launches = 0; launches < in_.integer("launches") && status == cudaSuccess; ++launches) {
      if (launches > 0 && pause.count() > 0) std::this_thread::sleep_for(pause);
      status = launch(the_work, threads, stream, cycles(kernel_ms_));
    }
    if (fails && failure_ == "fault") failing_work<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(64));
    return status;
  }

  const inputs& in_;
  double kernel_ms_;
  std::string failure_;
  callers_stream stream_;
  callers_stream other_stream_;
  lab::exercise::somebody_elses_work unrelated_;
  int runs_ = 0;
  int neighbour_runs_ = 0;
};

/// host_ms as the starter has it: what the predictions are about.
double unrepaired_host_ms(const work& submit, cudaStream_t stream) {
  CUDA_CHECK(cudaStreamSynchronize(stream));
  const auto begin = std::chrono::steady_clock::now();
  CUDA_CHECK(submit(stream));
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

const char* name_of(last_call call) {
  switch (call) {
    case last_call::event_record:
      return "event_record";
    case last_call::memset_async:
      return "memset_async";
    case last_call::copy_back_async:
      return "copy_back_async";
    case last_call::copy_back:
      return "copy_back";
    default:
      return "?";
  }
}

}  // namespace

/// One call of one timer.
SCENARIO(time) {
  situation around(in);
  if (in.number("called_before_ms") > 0) around.call_before(in.text("timer"), in.number("called_before_ms"));
  const std::optional<double> reported_ms = around.call(in.text("timer"));
  out.integer("stream_is_busy", around.stream_is_busy());
  out.integer("other_stream_is_busy", around.other_stream_is_busy());
  around.end_unrelated_work();
  out.integer("runs", around.runs());
  out.integer("neighbour_runs", around.neighbour_runs());
  out.integer("has_time", reported_ms.has_value());
  if (reported_ms) out.number("reported_ms", *reported_ms);
  static_cast<void>(cudaDeviceSynchronize());  // fails where the work did
}

/// The unrepaired timer around a kernel and, in turn, each call that may be behind it.
SCENARIO(predictions) {
  out.number("predicted_host_ms", predicted_host_ms);
  out.text("predicted_lucky_call", name_of(predicted_lucky_call));

  load_kernels();
  const callers_stream callers("blocking");
  const std::size_t bytes = 4096;
  lab::event event;
  lab::device_buffer<char> device(bytes);
  lab::pinned_buffer<char> pinned(bytes);
  std::vector<char> pageable(bytes);
  CUDA_CHECK(cudaMemset(device.data(), 0, bytes));

  const auto timed = [&](const std::function<cudaError_t(cudaStream_t)>& last_call) {
    const work submit = [&](cudaStream_t stream) {
      the_work<<<1, 1, 0, stream>>>(cycles(in.number("kernel_ms")));
      return last_call(stream);
    };
    const double reported_ms = unrepaired_host_ms(submit, callers.get());
    CUDA_CHECK(cudaDeviceSynchronize());
    return reported_ms;
  };
  out.number("after_nothing_ms", timed([](cudaStream_t) { return cudaGetLastError(); }));
  out.number("after_event_record_ms",
             timed([&](cudaStream_t stream) { return cudaEventRecord(event.get(), stream); }));
  out.number("after_memset_async_ms",
             timed([&](cudaStream_t stream) { return cudaMemsetAsync(device.data(), 0, bytes, stream); }));
  out.number("after_copy_back_async_ms", timed([&](cudaStream_t stream) {
               return cudaMemcpyAsync(pinned.data(), device.data(), bytes, cudaMemcpyDeviceToHost, stream);
             }));
  out.number("after_copy_back_ms", timed([&](cudaStream_t) {
               return cudaMemcpy(pageable.data(), device.data(), bytes, cudaMemcpyDeviceToHost);
             }));
}

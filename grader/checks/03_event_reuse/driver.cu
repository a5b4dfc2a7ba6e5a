#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exercise.hpp"
#include "exercise/scenario.hpp"
#include "exercise/situation.hpp"
#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/event.hpp"
#include "lab/kernel_uses.hpp"
#include "lab/pinned_buffer.hpp"

// Runs the function of lab 03 in the situations that the checks choose. Kernels that are not the student's
// are named after their part.

static __global__ void earlier_work(long long cycles) {
  lab::spin_for(cycles);
}
static __global__ void work_a(long long cycles) {
  lab::spin_for(cycles);
}
static __global__ void work_b(long long cycles) {
  lab::spin_for(cycles);
}
static __global__ void waiting_work() {}
static __global__ void read_results(const float* results, float* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    to[i] = results[i];
}
KERNEL_USES(read_results, (const float* results, float* to, int count), reads(results, count),
            writes(to, count));
static __global__ void next_work(float* data, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) data[i] = 0;
}
KERNEL_USES(next_work, (float* data, int count), writes(data, count));

namespace {

using lab::exercise::callers_stream;
using lab::exercise::cycles;
using lab::exercise::inputs;
using lab::exercise::outputs;

void load_kernels() {
  earlier_work<<<1, 1>>>(0);
  unrelated_work<<<1, 1>>>(0, nullptr);
  work_a<<<1, 1>>>(0);
  work_b<<<1, 1>>>(0);
  waiting_work<<<1, 1>>>();
  read_results<<<1, 1>>>(nullptr, nullptr, 0);
  next_work<<<1, 1>>>(nullptr, 0);
  brighten<<<1, 1>>>(nullptr, nullptr, 0, 0);
  outline<<<1, 1>>>(nullptr, nullptr, 0);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace

/// One call of the function.
SCENARIO(process) {
  const auto depth = static_cast<int>(in.integer("depth"));
  const auto frames = static_cast<int>(in.integer("frames"));
  const auto pixels = static_cast<int>(in.integer("pixels"));
  const auto of_a_frame = static_cast<std::size_t>(pixels);
  const std::size_t of_all = static_cast<std::size_t>(frames) * of_a_frame;
  lab::pinned_buffer<float> staging(static_cast<std::size_t>(depth) * of_a_frame);
  lab::device_buffer<float> device(static_cast<std::size_t>(depth) * of_a_frame);
  lab::device_buffer<float> bright(of_all), lines(of_all);
  lab::pinned_buffer<float> of_brighten(of_all), of_outline(of_all);
  std::vector<frame_slot> slots;
  for (int i = 0; i < depth; ++i) {
    const bool no_memory = i == in.integer("slot_without_memory");
    const std::size_t offset = static_cast<std::size_t>(i) * of_a_frame;
    slots.push_back({staging.data() + offset, no_memory ? nullptr : device.data() + offset});
  }
  if (frames > 0) {  // not a number, until the function writes there
    CUDA_CHECK(cudaMemset(bright.data(), 0xFF, of_all * sizeof(float)));
    CUDA_CHECK(cudaMemset(lines.data(), 0xFF, of_all * sizeof(float)));
  }
  load_kernels();

  // The checks know the streams by the order in which they are made.
  const std::string kind = in.text("streams");
  const callers_stream copies(kind), brightening(kind), outlining(kind), other(kind);
  const callers_stream next("non_blocking");
  const auto keep_busy = [](const callers_stream& stream, double ms) {
    if (ms > 0) earlier_work<<<1, 1, 0, stream.get()>>>(cycles(ms));
  };
  keep_busy(copies, in.number("copies_busy_ms"));
  keep_busy(brightening, in.number("brightening_busy_ms"));
  keep_busy(outlining, in.number("outlining_busy_ms"));
  lab::exercise::somebody_elses_work unrelated;
  if (in.number("unrelated_ms") > 0) unrelated.launch(in.number("unrelated_ms"), other.get());
  CUDA_CHECK(cudaGetLastError());

  const frame_job job{slots.data(),
                      depth,
                      frames,
                      pixels,
                      static_cast<float>(in.number("gain")),
                      bright.data(),
                      lines.data(),
                      copies.get(),
                      brightening.get(),
                      outlining.get()};
  const cudaError_t status = process_frames(job);

  out.text("status", cudaGetErrorName(status));
  if (status == cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // what it may have left there is judged by its calls
    // A caller goes on at once, with the results and with all that was lent.
    const auto use = [&](lab::device_buffer<float>& memory, std::size_t count) {
      next_work<<<1, 256, 0, next.get()>>>(memory.data(), static_cast<int>(count));
    };
    read_results<<<1, 256, 0, next.get()>>>(bright.data(), of_brighten.data(), static_cast<int>(of_all));
    read_results<<<1, 256, 0, next.get()>>>(lines.data(), of_outline.data(), static_cast<int>(of_all));
    use(device, staging.size());
    use(bright, of_all);
    use(lines, of_all);
    std::fill(staging.begin(), staging.end(), 0.0F);
    for (const callers_stream* each : {&copies, &brightening, &outlining}) {
      next_work<<<1, 1, 0, each->get()>>>(nullptr, 0);
    }
    CUDA_CHECK(cudaGetLastError());
    out.integer("other_stream_is_busy", other.is_busy());  // behind all uses: it is no wait of the function's
    CUDA_CHECK(cudaStreamSynchronize(next.get()));
    out.buffer("bright", of_brighten.data(), of_all);
    out.buffer("lines", of_outline.data(), of_all);
  }
  unrelated.end();
  static_cast<void>(cudaDeviceSynchronize());
}

/// What the predictions ask.
SCENARIO(predictions) {
  const char* const records[] = {"?", "first", "second", "neither"};
  const char* const answers[] = {"?", "cudaSuccess", "cudaErrorNotReady", "cudaErrorInvalidResourceHandle"};
  out.text("predicted_for_the_stream", records[static_cast<int>(predicted_for_the_stream)]);
  out.text("predicted_for_the_cpu", records[static_cast<int>(predicted_for_the_cpu)]);
  out.text("predicted_query", answers[static_cast<int>(predicted_query)]);

  load_kernels();
  const callers_stream stream("non_blocking"), other("non_blocking");
  const lab::event event;
  out.text("query", cudaGetErrorName(cudaEventQuery(event.get())));

  work_a<<<1, 1, 0, stream.get()>>>(cycles(10));
  CUDA_CHECK(cudaEventRecord(event.get(), stream.get()));
  CUDA_CHECK(cudaStreamWaitEvent(other.get(), event.get()));
  work_b<<<1, 1, 0, stream.get()>>>(cycles(20));
  CUDA_CHECK(cudaEventRecord(event.get(), stream.get()));
  waiting_work<<<1, 1, 0, other.get()>>>();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventSynchronize(event.get()));
  CUDA_CHECK(cudaDeviceSynchronize());
}

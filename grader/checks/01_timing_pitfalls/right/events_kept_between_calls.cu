// One pair of events, created at first use, recorded again by every call, destroyed with the program.
#include <chrono>

#include "exercise.hpp"

const double predicted_host_ms = 0.01;
const last_call predicted_lucky_call = last_call::copy_back;

namespace {

struct event_pair {
  event_pair() : status(cudaEventCreate(&start)) {
    if (status == cudaSuccess) status = cudaEventCreate(&stop);
  }
  ~event_pair() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  cudaError_t status;
};

event_pair& events() {
  static event_pair pair;
  return pair;
}

std::optional<double> elapsed() {
  float ms = 0;
  if (cudaEventSynchronize(events().stop) != cudaSuccess) return std::nullopt;
  if (cudaEventElapsedTime(&ms, events().start, events().stop) != cudaSuccess) return std::nullopt;
  return ms;
}

bool enclose(const work& submit, cudaStream_t stream) {
  return events().status == cudaSuccess && cudaEventRecord(events().start, stream) == cudaSuccess &&
         submit(stream) == cudaSuccess && cudaEventRecord(events().stop, stream) == cudaSuccess;
}

bool drained(cudaStream_t stream) {
  return cudaStreamSynchronize(stream) == cudaSuccess;
}

}  // namespace

std::optional<double> host_ms(const work& submit, cudaStream_t stream) {
  if (!drained(stream)) return std::nullopt;
  const auto begin = std::chrono::system_clock::now();
  if (submit(stream) != cudaSuccess || !drained(stream)) return std::nullopt;
  const auto time = std::chrono::system_clock::now() - begin;
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count() / 1000.0;
}

std::optional<double> host_ms_after(const work& submit_previous, const work& submit, cudaStream_t stream) {
  if (submit_previous(stream) != cudaSuccess) return std::nullopt;
  return host_ms(submit, stream);
}

std::optional<double> event_ms(const work& submit, cudaStream_t stream) {
  if (!enclose(submit, stream)) return std::nullopt;
  return elapsed();
}

std::optional<double> event_ms_before(const work& submit, const work& submit_next, cudaStream_t stream) {
  if (!enclose(submit, stream) || submit_next(stream) != cudaSuccess) return std::nullopt;
  return elapsed();
}

std::optional<double> warm_ms(const work& submit, cudaStream_t stream) {
  if (submit(stream) != cudaSuccess) return std::nullopt;
  return host_ms(submit, stream);
}

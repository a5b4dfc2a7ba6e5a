// Owning types, and exceptions inside: each failure leaves by throw.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "exercise.hpp"

const double predicted_host_ms = 0.004;
const last_call predicted_lucky_call = last_call::copy_back;

namespace {

struct failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void must(cudaError_t status) {
  if (status != cudaSuccess) throw failed(cudaGetErrorString(status));
}

class timing_event {
 public:
  timing_event() {
    cudaEvent_t created = nullptr;
    must(cudaEventCreateWithFlags(&created, cudaEventBlockingSync));
    handle_.reset(created);
  }
  void record(cudaStream_t stream) { must(cudaEventRecord(handle_.get(), stream)); }
  void wait() const { must(cudaEventSynchronize(handle_.get())); }
  float operator-(const timing_event& start) const {
    float ms = 0;
    must(cudaEventElapsedTime(&ms, start.handle_.get(), handle_.get()));
    return ms;
  }

 private:
  struct destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy> handle_;
};

template <class Measure>
std::optional<double> unless_failed(Measure&& measure) try {
  return measure();
} catch (const failed&) {
  return std::nullopt;
}

double host_time(const work& submit, cudaStream_t stream) {
  must(cudaStreamSynchronize(stream));
  const auto begin = std::chrono::high_resolution_clock::now();
  must(submit(stream));
  must(cudaStreamSynchronize(stream));
  return std::chrono::duration<double, std::milli>(std::chrono::high_resolution_clock::now() - begin).count();
}

}  // namespace

std::optional<double> host_ms(const work& submit, cudaStream_t stream) {
  return unless_failed([&] { return host_time(submit, stream); });
}

std::optional<double> host_ms_after(const work& submit_previous, const work& submit, cudaStream_t stream) {
  return unless_failed([&] {
    must(submit_previous(stream));
    return host_time(submit, stream);
  });
}

std::optional<double> event_ms(const work& submit, cudaStream_t stream) {
  return unless_failed([&] {
    timing_event start, stop;
    start.record(stream);
    must(submit(stream));
    stop.record(stream);
    stop.wait();
    return stop - start;
  });
}

std::optional<double> event_ms_before(const work& submit, const work& submit_next, cudaStream_t stream) {
  return unless_failed([&] {
    timing_event start, stop;
    start.record(stream);
    must(submit(stream));
    stop.record(stream);
    must(submit_next(stream));
    stop.wait();
    return stop - start;
  });
}

std::optional<double> warm_ms(const work& submit, cudaStream_t stream) {
  return unless_failed([&] {
    must(submit(stream));
    return host_time(submit, stream);
  });
}

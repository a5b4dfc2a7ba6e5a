// In the style of C: clock_gettime and gettimeofday, one exit by goto.
#include <sys/time.h>
#include <time.h>

#include "exercise.hpp"

const double predicted_host_ms = 5e-3;
const last_call predicted_lucky_call = last_call::copy_back;

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

std::optional<double> host_ms(const work& submit, cudaStream_t stream) {
  double begin;
  if (cudaStreamSynchronize(stream)) return {};
  begin = now_ms();
  if (submit(stream) || cudaStreamSynchronize(stream)) return {};
  return now_ms() - begin;
}

std::optional<double> host_ms_after(const work& submit_previous, const work& submit, cudaStream_t stream) {
  struct timeval begin, end;
  if (submit_previous(stream) || cudaStreamSynchronize(stream)) return {};
  gettimeofday(&begin, NULL);
  if (submit(stream) || cudaStreamSynchronize(stream)) return {};
  gettimeofday(&end, NULL);
  return (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_usec - begin.tv_usec) / 1e3;
}

static std::optional<double> between_events(const work& submit, const work* submit_next,
                                            cudaStream_t stream) {
  std::optional<double> result;
  cudaEvent_t start = NULL, stop = NULL;
  float ms;
  if (cudaEventCreate(&start)) goto out;
  if (cudaEventCreate(&stop)) goto out;
  if (cudaEventRecord(start, stream)) goto out;
  if (submit(stream)) goto out;
  if (cudaEventRecord(stop, stream)) goto out;
  if (submit_next && (*submit_next)(stream)) goto out;
  if (cudaEventSynchronize(stop)) goto out;
  if (cudaEventElapsedTime(&ms, start, stop)) goto out;
  result = ms;
out:
  if (start) cudaEventDestroy(start);
  if (stop) cudaEventDestroy(stop);
  return result;
}

std::optional<double> event_ms(const work& submit, cudaStream_t stream) {
  return between_events(submit, NULL, stream);
}

std::optional<double> event_ms_before(const work& submit, const work& submit_next, cudaStream_t stream) {
  return between_events(submit, &submit_next, stream);
}

std::optional<double> warm_ms(const work& submit, cudaStream_t stream) {
  if (submit(stream)) return {};
  return host_ms(submit, stream);
}

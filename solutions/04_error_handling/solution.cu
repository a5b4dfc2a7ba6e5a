// Lab 04: whose error is this?
//
// A launch returns before its kernel has run, so what a kernel does wrong is told by some later call, which
// did nothing wrong. And what a call did wrong stays behind until somebody reads it. Here is what most
// programs do about that; exercise.hpp says what they should.

#include <cstdio>
#include <cstdlib>

#include "exercise.hpp"

// Predict first, then repair. A prediction is compared with what the calls really do.

/// The first call that returns the error of a kernel which fails after 50 ms.
const reporter predicted_reporter = reporter::event_synchronize;  // the first that comes after the 5 ms

/// What `cudaGetLastError` gives behind a `cudaErrorNotReady`.
const last_error predicted_last_error = last_error::success;  // "not ready" is an answer, no failure

/// The failures that a program recovers from.
const recovery predicted_recovery = recovery::from_rejected_launch;  // a fault takes the context with it

namespace {

std::string described(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + " (" + cudaGetErrorString(status) + ")";
}

// A function, so that the expression is a parameter: evaluated once, and no name of ours is near it.
void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // told here, so no later call is blamed for it
  throw cuda_failure(
      status, std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " + described(status));
}

}  // namespace

#define CUDA_CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

void launcher::launch(const std::string& name, const kernel_launch& kernel) {
  if (failure_) throw *failure_;
  // Read before the launch, or it could not be told from the launch's own.
  if (const cudaError_t old = cudaGetLastError(); old != cudaSuccess) {
    throw cuda_failure(old, described(old) + " was left behind by a call before the launch of " + name);
  }
  kernel(stream_);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    unproven_.push_back(name);
    if (debug_) wait();
    return;
  }
  // A launch is also refused where the work before it has failed; then the stream says so.
  const cudaError_t earlier_work = cudaStreamQuery(stream_);
  if (earlier_work != cudaSuccess && earlier_work != cudaErrorNotReady) wait();
  throw cuda_failure(status, "the launch of " + name + " was rejected: " + described(status), {name});
}

void launcher::wait() {
  if (failure_) throw *failure_;
  const cudaError_t status = cudaStreamSynchronize(stream_);
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    std::string message = described(status) + " in one of the launches since the last wait:";
    for (const auto& name : unproven_) message += " " + name;
    failure_ = cuda_failure(status, message, unproven_);
    throw *failure_;
  }
  unproven_.clear();  // all of these have ended, and ended well
}

bool is_done(cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  if (status == cudaErrorNotReady) return false;  // the one failure that means: ask again
  CUDA_CHECK(status);
  return true;
}

double elapsed_ms(const event& start, const event& stop) {
  // The runtime would give the same answer as for an event that was never recorded.
  if (!start.timed) throw std::invalid_argument("elapsed_ms: the start event was made without timing");
  if (!stop.timed) throw std::invalid_argument("elapsed_ms: the stop event was made without timing");
  CUDA_CHECK(cudaEventSynchronize(stop.handle));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.handle, stop.handle));
  return milliseconds;
}

namespace {

// Where nothing can be thrown: told, and then the next one.
void warn(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  std::fprintf(stderr, "%s: %s\n", call, described(status).c_str());
}

}  // namespace

resources::~resources() {
  if (data != nullptr) warn(cudaFree(data), "cudaFree");
  if (stop != nullptr) warn(cudaEventDestroy(stop), "cudaEventDestroy");
  if (start != nullptr) warn(cudaEventDestroy(start), "cudaEventDestroy");
  if (stream != nullptr) warn(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

#include "uses.hpp"  // the checks call CUDA_CHECK through it: it stays here

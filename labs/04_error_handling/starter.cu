// Lab 04: whose error is this?
//
// A launch returns before its kernel has run, so what a kernel does wrong is told by some later call, which
// did nothing wrong. And what a call did wrong stays behind until somebody reads it. Here is what most
// programs do about that; exercise.hpp says what they should.

#include <cstdio>
#include <cstdlib>

#include "exercise.hpp"
#include "lab/todo.hpp"

// Predict first, then repair. A prediction is compared with what the calls really do.

/// The first call that returns the error of a kernel which fails after 50 ms.
const reporter predicted_reporter = lab::todo;

/// What `cudaGetLastError` gives behind a `cudaErrorNotReady`.
const last_error predicted_last_error = lab::todo;

/// The failures that a program recovers from.
const recovery predicted_recovery = lab::todo;

// TODO: one line of macro, and a function that it calls: the expression is evaluated once, and a failure is
// thrown that tells file, line, expression and error name, and leaves nothing behind (about 8 lines).
#define CUDA_CHECK(...)                                                      \
  do {                                                                       \
    if ((__VA_ARGS__) != cudaSuccess) {                                      \
      std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString((__VA_ARGS__))); \
      std::exit(EXIT_FAILURE);                                               \
    }                                                                        \
  } while (0)

// TODO: both functions know whose error they find: an earlier call's, this launch's, or that of one of the
// launches since the last successful wait. After the latter, nothing is launched any more (about 20 lines).
void launcher::launch(const std::string& name, const kernel_launch& kernel) {
  kernel(stream_);
  if (debug_) wait();
}

void launcher::wait() {
  const cudaError_t status = cudaStreamSynchronize(stream_);
  if (status != cudaSuccess) throw cuda_failure(status, "something failed", unproven_);
}

bool is_done(cudaEvent_t event) {
  // TODO: false is "ask again"; a failure is no reason to ask again (3 lines).
  return cudaEventQuery(event) == cudaSuccess;
}

double elapsed_ms(const event& start, const event& stop) {
  // TODO: only what is there, and is a time, is returned (about 4 lines).
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start.handle, stop.handle);
  return milliseconds;
}

resources::~resources() {
  // TODO: each one is given back, whatever became of the one before, and each failure is written (about 10
  // lines).
  CUDA_CHECK(cudaFree(data));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

#include "uses.hpp"  // the checks call CUDA_CHECK through it: it stays here

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "host_accesses.hpp"
#include "recorder.hpp"

/// The beginning and the end of a recorded program, and the host functions that run in between.
namespace lab::cupti {
namespace {

void finish_well() {
  recorder::finish(true);
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  alarm(3);  // it may have happened inside CUPTI, which then never answers
  recorder::finish(false);
  std::raise(signal);
}

__attribute__((constructor(101))) void begin() {
  recorder::start();
  if (!recorder::enabled()) return;
  for (const int signal : {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, &end_by);
  std::atexit(&finish_well);
}

struct wrapped_host_function {
  cudaHostFn_t function;
  void* argument;
};

void CUDART_CB run_host_function(void* wrapped) {
  const auto* work = static_cast<const wrapped_host_function*>(wrapped);
  host_function_run run;
  run.thread = recorder::thread_number();
  run.begun = recorder::next_in_sequence();
  run.when.begin = recorder::now();
  work->function(work->argument);
  host_accesses::end_stretch();
  run.when.end = recorder::now();
  run.returned = recorder::next_in_sequence();
  recorder::add(reinterpret_cast<address>(wrapped), run);
}

/// Never given back: the record names the run by its place.
template <class Launch>
cudaError_t launch(Launch real, cudaStream_t stream, cudaHostFn_t function, void* argument) {
  if (function == nullptr || !recorder::enabled()) return real(stream, function, argument);
  return real(stream, &run_host_function, new wrapped_host_function{function, argument});
}

}  // namespace
}  // namespace lab::cupti

extern "C" {

extern thread_local const void* lab_call_site;

cudaError_t __real_cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
cudaError_t __real_cudaLaunchHostFunc_ptsz(cudaStream_t, cudaHostFn_t, void*);

cudaError_t __wrap_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  lab_call_site = __builtin_return_address(0);
  return lab::cupti::launch(&__real_cudaLaunchHostFunc, stream, function, argument);
}
cudaError_t __wrap_cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  lab_call_site = __builtin_return_address(0);
  return lab::cupti::launch(&__real_cudaLaunchHostFunc_ptsz, stream, function, argument);
}

}  // extern "C"

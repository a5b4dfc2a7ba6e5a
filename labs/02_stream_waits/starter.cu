// Lab 02: who waits, the CPU or the other stream?
//
// A stream keeps order within itself, and between two of them there is none. An event is how one stream tells
// another how far it is: recorded in the one, waited for by the other, while the CPU goes on.

#include "exercise.hpp"
#include "lab/todo.hpp"

// Predict first.

/// In ms, while the event's kernel still runs for 80 ms.
const double predicted_wait_ms = lab::todo;

/// The call that makes the CPU wait.
const waiting_call predicted_waiting_call = lab::todo;

cudaError_t scale_on_two_streams(const scale_job& job) {
  if (job.count == 0) return cudaSuccess;  // a launch of no blocks would be an error
  const std::size_t bytes = static_cast<std::size_t>(job.count) * sizeof(float);
  const int block = 256;
  const int grid = (job.count + block - 1) / block;
  cudaEvent_t uploaded = nullptr;
  cudaEvent_t scaled = nullptr;
  cudaEvent_t downloaded = nullptr;
  // TODO: these events only order work; they need not keep time (3 lines change).
  cudaError_t status = cudaEventCreate(&uploaded);
  if (status == cudaSuccess) status = cudaEventCreate(&scaled);
  if (status == cudaSuccess) status = cudaEventCreate(&downloaded);

  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(job.device, job.input, bytes, cudaMemcpyHostToDevice, job.copies);
  }
  // TODO: the stream `compute` goes on when the upload is done (2 lines).

  if (status == cudaSuccess) {
    scale<<<grid, block, 0, job.compute>>>(job.device, job.count, job.factor);
    status = cudaGetLastError();
  }
  // TODO: the stream `copies` goes on when the kernel is done (2 lines).

  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(job.output, job.device, bytes, cudaMemcpyDeviceToHost, job.copies);
  }
  // TODO: the CPU waits, for the download alone (2 lines).

  cudaEventDestroy(uploaded);
  cudaEventDestroy(scaled);
  cudaEventDestroy(downloaded);
  return status;
}

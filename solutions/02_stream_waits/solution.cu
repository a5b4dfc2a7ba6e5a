// Lab 02: who waits, the CPU or the other stream?
//
// A stream keeps order within itself, and between two of them there is none. An event is how one stream tells
// another how far it is: recorded in the one, waited for by the other, while the CPU goes on.

#include "exercise.hpp"

/// In ms, while the event's kernel still runs for 80 ms.
const double predicted_wait_ms = 0.001;  // it is a note for the stream: the CPU does not wait

/// The only one that is about the CPU; the others put something into a queue, or ask.
const waiting_call predicted_waiting_call = waiting_call::event_synchronize;

cudaError_t scale_on_two_streams(const scale_job& job) {
  if (job.count == 0) return cudaSuccess;  // a launch of no blocks would be an error
  const std::size_t bytes = static_cast<std::size_t>(job.count) * sizeof(float);
  const int block = 256;
  const int grid = (job.count + block - 1) / block;
  cudaEvent_t uploaded = nullptr;
  cudaEvent_t scaled = nullptr;
  cudaEvent_t downloaded = nullptr;
  cudaError_t status = cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);
  if (status == cudaSuccess) status = cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming);
  if (status == cudaSuccess) status = cudaEventCreateWithFlags(&downloaded, cudaEventDisableTiming);

  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(job.device, job.input, bytes, cudaMemcpyHostToDevice, job.copies);
  }
  // Behind the upload, and recorded before anybody is told to wait for it: a wait means the record that is
  // there when it is issued.
  if (status == cudaSuccess) status = cudaEventRecord(uploaded, job.copies);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.compute, uploaded);

  if (status == cudaSuccess) {
    scale<<<grid, block, 0, job.compute>>>(job.device, job.count, job.factor);
    status = cudaGetLastError();
  }
  // An event of its own: the other one still stands for the upload.
  if (status == cudaSuccess) status = cudaEventRecord(scaled, job.compute);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.copies, scaled);

  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(job.output, job.device, bytes, cudaMemcpyDeviceToHost, job.copies);
  }
  if (status == cudaSuccess) status = cudaEventRecord(downloaded, job.copies);
  // Everything is submitted: now the CPU waits, once, for the one thing that it needs.
  if (status == cudaSuccess) status = cudaEventSynchronize(downloaded);

  cudaEventDestroy(uploaded);
  cudaEventDestroy(scaled);
  cudaEventDestroy(downloaded);
  return status;
}

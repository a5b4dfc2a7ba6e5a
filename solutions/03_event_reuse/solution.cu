// Lab 03: which "done" does an event mean?
//
// An event can be recorded as often as one likes, and means its newest record. A wait that was issued keeps
// the record that was there when it was issued. So a few events do for any number of frames, as long as each
// wait stands between the record that it means and the next one.

#include <vector>

#include "exercise.hpp"

/// The wait was bound when it was issued.
const which_record predicted_for_the_stream = which_record::first;

/// The newest record there is.
const which_record predicted_for_the_cpu = which_record::second;

/// Nothing was recorded, so there is nothing that it would have to wait for.
const answer predicted_query = answer::success;

namespace {

/// How far the newest frame in a slot is.
struct slot_events {
  cudaEvent_t uploaded = nullptr;  // the kernels may read `device`, the CPU may write to `staging`
  // Two streams read `device`. An event recorded in both would mean the second of the two records only.
  cudaEvent_t brightened = nullptr;
  cudaEvent_t outlined = nullptr;
};

cudaError_t create(slot_events& events) {
  cudaError_t status = cudaEventCreateWithFlags(&events.uploaded, cudaEventDisableTiming);
  if (status == cudaSuccess) status = cudaEventCreateWithFlags(&events.brightened, cudaEventDisableTiming);
  if (status == cudaSuccess) status = cudaEventCreateWithFlags(&events.outlined, cudaEventDisableTiming);
  return status;
}

void destroy(const slot_events& events) {
  cudaEventDestroy(events.uploaded);
  cudaEventDestroy(events.brightened);
  cudaEventDestroy(events.outlined);
}

cudaError_t submit(const frame_job& job, int frame, const slot_events& events) {
  const frame_slot& slot = job.slots[frame % job.depth];
  const auto offset = static_cast<std::size_t>(frame) * static_cast<std::size_t>(job.pixels);
  const std::size_t bytes = static_cast<std::size_t>(job.pixels) * sizeof(float);
  const int block = 256;
  const int grid = (job.pixels + block - 1) / block;

  cudaError_t status = cudaSuccess;
  // All three events still stand for the frame that was in this slot before. In the first round they were
  // never recorded, and these waits wait for nothing: the slot is free.
  if (status == cudaSuccess) status = cudaEventSynchronize(events.uploaded);
  if (status == cudaSuccess) read_frame(slot.staging, job.pixels, frame);

  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.copies, events.brightened);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.copies, events.outlined);
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(slot.device, slot.staging, bytes, cudaMemcpyHostToDevice, job.copies);
  }
  // From here on `uploaded` stands for this frame.
  if (status == cudaSuccess) status = cudaEventRecord(events.uploaded, job.copies);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.brightening, events.uploaded);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.outlining, events.uploaded);

  if (status == cudaSuccess) {
    brighten<<<grid, block, 0, job.brightening>>>(slot.device, job.bright + offset, job.pixels, job.gain);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaEventRecord(events.brightened, job.brightening);
  if (status == cudaSuccess) {
    outline<<<grid, block, 0, job.outlining>>>(slot.device, job.lines + offset, job.pixels);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaEventRecord(events.outlined, job.outlining);
  return status;
}

}  // namespace

cudaError_t process_frames(const frame_job& job) {
  std::vector<slot_events> events(static_cast<std::size_t>(job.depth));
  cudaError_t status = cudaSuccess;
  for (slot_events& each : events) {
    if (status == cudaSuccess) status = create(each);
  }
  for (int frame = 0; frame < job.frames && status == cudaSuccess; ++frame) {
    status = submit(job, frame, events[static_cast<std::size_t>(frame % job.depth)]);
  }
  if (status == cudaSuccess) status = cudaStreamSynchronize(job.brightening);
  if (status == cudaSuccess) status = cudaStreamSynchronize(job.outlining);
  for (const slot_events& each : events) destroy(each);
  return status;
}

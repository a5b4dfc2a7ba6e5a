// check: the frames overlap as far as there are slots
// phrase: waits for the upload
// One event tells of all uploads, and is recorded for the next frame before the kernels of this one wait.

#include <vector>

#include "exercise.hpp"

const which_record predicted_for_the_stream = which_record::first;
const which_record predicted_for_the_cpu = which_record::second;
const answer predicted_query = answer::success;

namespace {

struct slot_events {
  cudaEvent_t refillable = nullptr;
  cudaEvent_t brightened = nullptr;
  cudaEvent_t outlined = nullptr;
};

cudaError_t upload(const frame_job& job, int frame, const slot_events& events, cudaEvent_t uploaded) {
  const frame_slot& slot = job.slots[frame % job.depth];
  const std::size_t bytes = static_cast<std::size_t>(job.pixels) * sizeof(float);
  cudaError_t status = cudaEventSynchronize(events.refillable);
  if (status == cudaSuccess) read_frame(slot.staging, job.pixels, frame);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.copies, events.brightened);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.copies, events.outlined);
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(slot.device, slot.staging, bytes, cudaMemcpyHostToDevice, job.copies);
  }
  if (status == cudaSuccess) status = cudaEventRecord(events.refillable, job.copies);
  if (status == cudaSuccess) status = cudaEventRecord(uploaded, job.copies);
  return status;
}

cudaError_t process(const frame_job& job, int frame, const slot_events& events, cudaEvent_t uploaded) {
  const frame_slot& slot = job.slots[frame % job.depth];
  const auto offset = static_cast<std::size_t>(frame) * static_cast<std::size_t>(job.pixels);
  const int grid = (job.pixels + 255) / 256;
  cudaError_t status = cudaStreamWaitEvent(job.brightening, uploaded);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(job.outlining, uploaded);
  if (status == cudaSuccess) {
    brighten<<<grid, 256, 0, job.brightening>>>(slot.device, job.bright + offset, job.pixels, job.gain);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaEventRecord(events.brightened, job.brightening);
  if (status == cudaSuccess) {
    outline<<<grid, 256, 0, job.outlining>>>(slot.device, job.lines + offset, job.pixels);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaEventRecord(events.outlined, job.outlining);
  return status;
}

}  // namespace

cudaError_t process_frames(const frame_job& job) {
  cudaEvent_t uploaded = nullptr;
  std::vector<slot_events> events(static_cast<std::size_t>(job.depth));
  cudaError_t status = cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);
  for (slot_events& each : events) {
    for (cudaEvent_t* event : {&each.refillable, &each.brightened, &each.outlined}) {
      if (status == cudaSuccess) status = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    }
  }
  const auto of = [&](int frame) { return events[static_cast<std::size_t>(frame % job.depth)]; };
  const int late = job.depth == 1 ? 0 : 1;
  for (int frame = 0; frame < job.frames + late && status == cudaSuccess; ++frame) {
    if (frame < job.frames) status = upload(job, frame, of(frame), uploaded);
    if (frame >= late && status == cudaSuccess)
      status = process(job, frame - late, of(frame - late), uploaded);
  }
  if (status == cudaSuccess) status = cudaStreamSynchronize(job.brightening);
  if (status == cudaSuccess) status = cudaStreamSynchronize(job.outlining);
  for (const slot_events& each : events) {
    for (cudaEvent_t event : {each.refillable, each.brightened, each.outlined}) cudaEventDestroy(event);
  }
  cudaEventDestroy(uploaded);
  return status;
}

// Lab 03: which "done" does an event mean?
//
// An event can be recorded as often as one likes, and means its newest record. A wait that was issued keeps
// the record that was there when it was issued. So a few events do for any number of frames, as long as each
// wait stands between the record that it means and the next one.

#include <vector>

#include "exercise.hpp"
#include "lab/todo.hpp"

// Predict first.

/// The record that a wait keeps which was issued between the two.
const which_record predicted_for_the_stream = lab::todo;

/// The record that the CPU waits for behind both.
const which_record predicted_for_the_cpu = lab::todo;

/// What a query says of an event that was never recorded.
const answer predicted_query = lab::todo;

namespace {

/// How far the newest frame in a slot is.
struct slot_events {
  cudaEvent_t uploaded = nullptr;  // the kernels may read `device`, the CPU may write to `staging`
  // TODO: what says that `device` may be overwritten? Two kernels read it, each in a stream of its own
  // (2 lines here, 2 lines each in `create` and `destroy`).
};

cudaError_t create(slot_events& events) {
  cudaError_t status = cudaEventCreateWithFlags(&events.uploaded, cudaEventDisableTiming);
  return status;
}

void destroy(const slot_events& events) {
  cudaEventDestroy(events.uploaded);
}

cudaError_t submit(const frame_job& job, int frame, [[maybe_unused]] const slot_events& events) {
  const frame_slot& slot = job.slots[frame % job.depth];
  const auto offset = static_cast<std::size_t>(frame) * static_cast<std::size_t>(job.pixels);
  const std::size_t bytes = static_cast<std::size_t>(job.pixels) * sizeof(float);
  const int block = 256;
  const int grid = (job.pixels + block - 1) / block;

  cudaError_t status = cudaSuccess;
  // TODO: the CPU goes on when the frame that was in `staging` before is uploaded (1 line).
  if (status == cudaSuccess) read_frame(slot.staging, job.pixels, frame);

  // TODO: the upload begins when both kernels are done with the frame that was in `device` before (2 lines).
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(slot.device, slot.staging, bytes, cudaMemcpyHostToDevice, job.copies);
  }
  // TODO: both kernels begin when this frame is uploaded (3 lines).

  // TODO: the slot's events say when each of the kernels is done with this frame (2 lines).
  if (status == cudaSuccess) {
    brighten<<<grid, block, 0, job.brightening>>>(slot.device, job.bright + offset, job.pixels, job.gain);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) {
    outline<<<grid, block, 0, job.outlining>>>(slot.device, job.lines + offset, job.pixels);
    status = cudaGetLastError();
  }
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

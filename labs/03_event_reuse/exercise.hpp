#pragma once

#include <cuda_runtime.h>

#include "lab/kernel_uses.hpp"

/// @file
/// What your file must define: three predictions and one function.

/// `bright[i] = frame[i] * gain` for each of `pixels` elements.
static __global__ void brighten(const float* frame, float* bright, int pixels, float gain) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < pixels) bright[i] = frame[i] * gain;
}
KERNEL_USES(brighten, (const float* frame, float* bright, int pixels, float gain), reads(frame, pixels),
            writes(bright, pixels));

/// How far each pixel is from the one before it.
static __global__ void outline(const float* frame, float* lines, int pixels) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < pixels) lines[i] = i == 0 ? 0 : frame[i] - frame[i - 1];
}
KERNEL_USES(outline, (const float* frame, float* lines, int pixels), reads(frame, pixels),
            writes(lines, pixels));

/// Reads frame number `frame` from the camera into host memory; the CPU does it, and returns when it is done.
inline void read_frame(float* memory, int pixels, int frame) {
  for (int i = 0; i < pixels; ++i) memory[i] = static_cast<float>((frame + 1) * (i % 1000 + 1));
}

/// What the first two predictions choose from. An event is recorded in a stream behind work A, then once more
/// behind work B in the same stream, while A still runs.
enum class which_record {
  not_predicted,  ///< no answer yet
  first,          ///< the one behind A
  second,         ///< the one behind B
  neither,        ///< none: it waits for nothing
};

/// Prediction 1: `cudaStreamWaitEvent(other, event)` was called *between* the two records. Which record does
/// work wait for that is submitted to `other` after the second one?
extern const which_record predicted_for_the_stream;

/// Prediction 2: `cudaEventSynchronize(event)` is called *behind* both records. Which one does the CPU
/// wait for?
extern const which_record predicted_for_the_cpu;

/// What the third prediction chooses from.
enum class answer {
  not_predicted,   ///< no answer yet
  success,         ///< `cudaSuccess`: the event is done
  not_ready,       ///< `cudaErrorNotReady`
  invalid_handle,  ///< `cudaErrorInvalidResourceHandle`
};

/// Prediction 3: what does `cudaEventQuery` say of an event that was created and never recorded?
extern const answer predicted_query;

/// Memory for one frame on its way, `pixels` floats each.
struct frame_slot {
  float* staging;  ///< pinned host memory, which the CPU fills
  float* device;   ///< device memory, which both kernels read
};

/// Frames to process, through a ring of `depth` slots. All memory and all streams are the caller's; nobody
/// else uses the memory meanwhile.
struct frame_job {
  const frame_slot* slots;   ///< `depth` of them
  int depth;                 ///< 1 or more
  int frames;                ///< 0 or more
  int pixels;                ///< of each frame, 1 or more
  float gain;                ///< of brighten
  float* bright;             ///< device memory, frames × pixels: what brighten makes, frame by frame
  float* lines;              ///< device memory, frames × pixels: what outline makes, frame by frame
  cudaStream_t copies;       ///< for the uploads; work of others may be queued there, as in the next two
  cudaStream_t brightening;  ///< for the kernel brighten
  cudaStream_t outlining;    ///< for the kernel outline
};

/// Processes the frames 0, 1, 2… in turn. Frame f goes through slot f % depth: the CPU reads it into the
/// slot's `staging` (`read_frame`), it is uploaded to the slot's `device` in the stream `copies`, and from
/// there `brighten` in the stream `brightening` and `outline` in the stream `outlining` make its parts of
/// `bright` and `lines`. Each frame takes one copy and one launch of each kernel.
///
/// - A slot is used again as soon as possible, and no sooner. The CPU reads a frame into `staging` when the
///   frame that was there is uploaded. An upload waits until both kernels are done with what is in `device`.
///   Both kernels wait for the upload of their frame.
/// - Nothing waits for more than that: with two slots, one is filled while the other is read; neither kernel
///   waits for the other one, nor for a later frame.
/// - The CPU waits for nothing else, until everything is submitted. Then it waits until all is done: when the
///   function returns, `bright` and `lines` are there, and the caller may use all memory and all streams for
///   something else. It waits for nobody else's work: other streams may be busy for long.
/// - Its events are created once for each slot, however many frames there are. They keep no time
///   (`cudaEventDisableTiming`), and are destroyed, also when something failed.
/// - Returns the first error that a call gave (a launch leaves it for `cudaGetLastError`), else
///   `cudaSuccess`; nothing is submitted after an error. What destroying an event gives does not count.
cudaError_t process_frames(const frame_job& job);

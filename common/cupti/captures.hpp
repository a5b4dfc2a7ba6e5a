#pragma once

#include <cuda.h>

#include "seen.hpp"

/// Captures: from cudaStreamBeginCapture to cudaStreamEndCapture what is asked of a stream goes into a graph
/// instead of to the GPU, and what the recorder calls itself must not spoil that.
namespace lab::cupti::captures {

/// Whether there is one, of any thread's.
bool in_progress();

/// A call has returned: it may begin a capture or end one, or record an event in one.
void after(const seen_call& call);

/// Whether the call, which has returned, went into a graph: whether its stream is being captured now. Asks
/// the driver, while there is a capture; never about the legacy stream, which cannot be.
bool have_taken(const seen_call& call);

/// Whether the call that is about to be made will: to wait for an event of a capture takes a stream into it.
bool will_take(const seen_call& call);

/// Whether one may ask if the stream's work is done, which spoils its capture and those that it would have to
/// wait for.
bool may_ask(address stream);

/// While it lives its thread may call what is forbidden during captures because they do not see it:
/// to allocate memory, to ask about other streams.
class no_objection {
 public:
  no_objection();
  ~no_objection();
  no_objection(const no_objection&) = delete;
  no_objection& operator=(const no_objection&) = delete;

 private:
  const bool needed_ = in_progress();
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  ///< the thread's other one
};

}  // namespace lab::cupti::captures

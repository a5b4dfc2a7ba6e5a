#pragma once

#include <unordered_set>

#include "device.hpp"
#include "driver_types.h"

/// What cudaStream_t points to. Never freed, so that a call with a destroyed handle can be told from one with
/// garbage.
struct CUstream_st {
  lab::trace::id id;
  lab::emulator::stream_state* state;
  unsigned flags;
  const char* destroyed_by = nullptr;  ///< the call that did
};

/// What cudaEvent_t points to. `record` is the newest one: an event is a name for it, and a wait binds to
/// what the name meant when the wait was issued.
struct CUevent_st {
  lab::trace::id id;
  bool timing;
  bool blocking_sync;
  const char* destroyed_by = nullptr;  ///< the call that did
  lab::emulator::operation_ref record;
};

namespace lab::emulator {

/// All handles of one kind that were ever given out.
template <class Object>
class handles {
 public:
  Object* make(Object object) {
    auto* fresh = new Object(std::move(object));
    given_out_.insert(fresh);
    return fresh;
  }
  bool knows(const Object* handle) const { return given_out_.count(const_cast<Object*>(handle)) != 0; }

  template <class Action>
  void for_each_alive(Action action) const {
    for (Object* handle : given_out_) {
      if (handle->destroyed_by == nullptr) action(*handle);
    }
  }

 private:
  std::unordered_set<Object*> given_out_;
};

/// Whether the handle names a default stream, and no object.
inline bool names_default_stream(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

handles<CUstream_st>& stream_handles();
handles<CUevent_st>& event_handles();

/// What cudaStreamDestroy and cudaEventDestroy do, and cudaDeviceReset; `call` is named to whoever uses the
/// handle afterwards.
void destroy(CUstream_st& stream, const char* call);
void destroy(CUevent_st& event, const char* call);

}  // namespace lab::emulator

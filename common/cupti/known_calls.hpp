#pragma once

#include "seen.hpp"

namespace lab::cupti {

/// What is known of a function of the runtime API.
struct known_call {
  std::string_view name;    ///< as the manual has it
  bool per_thread = false;  ///< the variant whose stream 0 is the thread's own
  /// Notes what the call means, from its arguments as CUPTI hands them over; null: its name is all.
  void (*read)(seen_call& call, const void* arguments) = nullptr;
  std::string_view not_placed;  ///< what of its effect the record lacks
  bool recorded = true;
};

/// @param id, name CUPTI's own for it, of CUDA 12 or 13. One thread at a time may ask
const known_call& known_call_of(std::uint32_t id, const char* name);

}  // namespace lab::cupti

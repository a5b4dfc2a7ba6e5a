#pragma once

#include <trace/writer.hpp>

#include "seen.hpp"

namespace lab::cupti {

/// Puts the record together: gives streams, events, memory and work their ids in the order of creation and
/// submission, binds waits to records, and gives work its device times. Work whose time the GPU does not tell
/// (records before CUDA 13, waits) gets the earliest at which it can have happened.
///
/// A record with lost device times is no record: it gets a finding that says so.
void assemble(const everything_seen& seen, trace::writer& to);

}  // namespace lab::cupti

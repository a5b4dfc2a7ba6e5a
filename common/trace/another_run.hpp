#pragma once

/// What a recorder offers that can record one run of a program after the other, in the same process. Only the
/// one on a real GPU does: where these are null, each run is a process.
namespace lab::trace {

/// Whether the program has done nothing yet that is in the record.
[[gnu::weak]] bool is_empty();

/// Writes the record and begins another one, as if the program had just started. False, with nothing written,
/// where the run has left something that the next one would feel: work that failed, settings of the device,
/// threads. Blocks until the device is idle.
[[gnu::weak]] bool begin_another_run();

}  // namespace lab::trace

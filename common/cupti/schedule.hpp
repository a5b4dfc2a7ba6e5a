#pragma once

#include <string>

#include "seen.hpp"

/// Keeps up, on a real GPU, the schedule that the environment asks for (trace/schedule.hpp).
///
/// What is to be held back gets a gate into its stream, in front of it: a wait for a flag in host memory. The
/// GPU itself opens it behind what it is held back for; else a thread does that does nothing else (gate.hpp).
/// In submission order the host waits for each piece of work but what is behind the gate. What that calls is
/// none of the program's.
namespace lab::cupti::schedule {

/// Before anybody uses CUDA. Ends the program where the schedule makes no sense, or cannot be had here.
/// @param recorded the program's calls will be told here
void start(bool recorded);

/// Whether there is one; the others are to be called only then.
bool is_asked_for();

/// The program is about to make the call, whose arguments are known, but for a launch's stream.
void call_begins(const seen_call& call);
/// What the call submits is about to be handed over; for a launch, where its stream is known.
void work_begins(const seen_call& call);
/// The call has returned. Blocks in submission order.
void call_ended(const seen_call& call);

/// The program ends: what is held back goes on.
void program_ends();

/// Why it could not be kept up, in a sentence without its full stop; "" where it was.
std::string not_kept();

}  // namespace lab::cupti::schedule

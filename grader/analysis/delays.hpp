#pragma once

#include "recording.hpp"

/// What a machine that has other things to do adds to a right measurement, as far as the record shows it:
/// calls that took long, work that the device began late, waits that came back late, threads that were
/// preempted. What a program itself does between its calls is no part of it.
namespace lab::analysis {

/// From the moment that the host asks for `first`, and the device has done what is before it in its stream,
/// to the end of `last`.
span asked_for(const recording& of, const work& first, const work& last);

/// How long, in milliseconds, threads of the program were preempted in `within`, between two of their calls
/// or clock reads. Several at once count once.
double preempted_ms(const recording& of, const span& within);

/// How much of `within`, in milliseconds, passed in calls that took unusually long, of those that a program
/// makes to learn that work is done: launches, records, waits, questions and the like; of a wait what comes
/// after the end of all that it can have waited for. Where a thread was preempted, or a host function was
/// called late, that counts too.
double late_ms(const recording& of, const span& within);

/// How many milliseconds more than the device's time for `first` to `last` the records next to the two,
/// before and behind them in their stream, may lie apart: for a while the host was inside the calls that
/// recorded them or launched the work, or preempted between these, or the device was slow to begin.
double recorded_apart_ms(const recording& of, const work& first, const work& last);

}  // namespace lab::analysis

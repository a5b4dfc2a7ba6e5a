#pragma once

#include "recording.hpp"

/// What a machine that has other things to do adds to a right measurement, as far as the record shows it:
/// calls that took long, work that the device began late, waits that came back late. What a program itself
/// does between its calls is no part of it.
namespace lab::analysis {

/// From the moment that the host asks for `first`, and the device has done what is before it in its stream,
/// to the end of `last`.
span asked_for(const recording& of, const work& first, const work& last);

/// For how many milliseconds after the end of `last` the host was inside its launch, or in calls that ask or
/// wait, until one of them told it so. That other work came to its end meanwhile may be what was waited for:
/// what lies before that is no delay.
double told_late_ms(const recording& of, const work& last);

/// How many milliseconds more than the device's time for `first` to `last` the records next to the two,
/// before and behind them in their stream, may lie apart: for a while the host was inside the calls that
/// recorded them or launched the work, or the device was slow to begin.
double recorded_apart_ms(const recording& of, const work& first, const work& last);

}  // namespace lab::analysis

#pragma once

#include <trace/model.hpp>

/// LAB_EMULATED_LOAD=N, for tests of the checks: the machine has other things to do, and so has the GPU. Now
/// and then a call takes long, or comes back late, or work begins late, or a thread is preempted before its
/// next call or clock read; N, a number above 0, chooses when.
/// Without it nothing is ever late.
namespace lab::emulator::load {

/// Reads the variable. Ends the program, with a sentence, where it makes no sense.
void begin();

/// How much later than usual the next thing happens; mostly 0.
trace::time_ns delay();

}  // namespace lab::emulator::load

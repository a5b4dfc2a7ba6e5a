#pragma once

/// Real time inside an emulated program, whose own clocks are virtual; and plain code to compare with.
/// Compiled without instrumentation.
namespace benchmark {

/// Milliseconds of CPU time that the process has really taken: other programs on the machine matter least to
/// it.
double cpu_ms();

/// What a vector add costs without an emulator: one loop, -O2.
void plain_add(const float* a, const float* b, float* c, int count);

/// Likewise a sum.
float plain_sum(const float* a, int count);

}  // namespace benchmark

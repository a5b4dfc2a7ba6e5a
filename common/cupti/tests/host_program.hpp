#pragma once

#include <cstddef>

/// What a program's host code does to memory: compiled as programs for a real GPU are.
namespace host_program {

void fill(float* to, int count);
float sum(const float* of, int count);
void clear(void* memory, std::size_t bytes);
void copy(float* to, const float* from, int count);
bool equal(const float* one, const float* other, int count);
void raise_flag(volatile int* flag);
int add_to_counter(int* counter);

}  // namespace host_program

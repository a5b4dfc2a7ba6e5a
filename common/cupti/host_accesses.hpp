#pragma once

#include <cstddef>

#include "seen.hpp"

/// What host code reads and writes of memory that work of the device may be using.
namespace lab::cupti::host_accesses {

/// An instrumented instruction, or a function of the C library that the program called, reads or writes the
/// bytes. Costs next to nothing where they are not watched.
void note(const volatile void* pointer, std::size_t bytes, bool write, bool atomic, const void* caller);

/// The calling thread's accesses so far lie before what it does next.
void end_stretch();

/// Takes note of what a call that has returned means for host memory.
void after(const seen_call& call);

/// Of the memory so far nothing is watched any more.
void forget_memory();

}  // namespace lab::cupti::host_accesses

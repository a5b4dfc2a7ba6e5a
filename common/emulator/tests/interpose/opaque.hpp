#pragma once

/// `value`, hidden from the compiler, which otherwise works out a library function's result without calling
/// it, and knows that nobody may look at fresh or freed memory.
template <typename T>
T opaque(T value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}

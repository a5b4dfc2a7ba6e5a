#pragma once

#define READ_TIMER(t) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t))
#define NEVER_USED() asm volatile("membar.gl;" ::: "memory")

__device__ inline unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

#define FENCE() asm volatile("membar.gl;" ::: "memory")

__global__ void fence() {
  FENCE();
}

__global__ void size_at_run_time(int* out, int n) {
  __shared__ int tile[n];
  tile[0] = n;
  *out = tile[0];
}

// Recursion without an end, on the host.
#include "report.hpp"

static int depth(volatile int* levels) {
  volatile char locals[1000];
  locals[*levels % 1000] = 1;
  *levels = *levels + 1;
  return *levels < 0 ? 0 : depth(levels) + locals[*levels % 1000];
}

int main() {
  int levels = 0;
  SHOW(cudaDeviceSynchronize());
  std::printf("%d\n", depth(&levels));
}

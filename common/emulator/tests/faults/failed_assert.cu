// An assertion fails in one thread of a kernel.
#include <cassert>

#include "report.hpp"

struct ledger {
  int balances[4];
};

__global__ void check(ledger all) {
  assert(all.balances[threadIdx.x] >= 0 && "no debts");
}

int main() {
  check<<<1, 4>>>({{1, 2, -3, 4}});
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaFree(nullptr));
}

// The host waits in a loop for a flag that no kernel sets.
#include "report.hpp"

int main() {
  volatile int* flag = nullptr;
  SHOW(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  while (*flag == 0) {
  }
}

// The host gives up.
#include <cassert>

#include "report.hpp"

int main() {
  int count = 0;
  SHOW(cudaGetDeviceCount(&count));
  assert(count == 2 && "two devices are wanted");
}

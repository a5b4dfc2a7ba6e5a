// The host fills the device's array with memset.
#include <cstring>

#include "report.hpp"

int main() {
  int* data = nullptr;
  SHOW(cudaMalloc(&data, 4096));
  std::memset(data, 0, 4096);
  std::printf("not reached\n");
}

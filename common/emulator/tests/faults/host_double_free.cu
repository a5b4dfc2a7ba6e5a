// The host frees its own memory twice.
#include <cstdlib>

#include "report.hpp"

int main() {
  char* volatile text = static_cast<char*>(std::malloc(100));
  SHOW(cudaDeviceSynchronize());
  std::free(text);
  std::free(text);
  std::printf("not reached\n");
}

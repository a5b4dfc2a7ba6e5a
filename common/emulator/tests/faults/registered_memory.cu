// Memory that is registered twice, in part again, unregistered twice, and freed while it is registered.
#include <cstdlib>

#include "report.hpp"

int main() {
  constexpr std::size_t bytes = 4096;
  auto* memory = static_cast<char*>(std::malloc(2 * bytes));
  SHOW(cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
  SHOW(cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
  SHOW(cudaHostRegister(memory + bytes / 2, bytes, cudaHostRegisterDefault));
  SHOW(cudaHostUnregister(memory));
  SHOW(cudaHostUnregister(memory));
  SHOW(cudaHostRegister(memory + bytes, bytes, cudaHostRegisterDefault));
  std::free(memory);
}

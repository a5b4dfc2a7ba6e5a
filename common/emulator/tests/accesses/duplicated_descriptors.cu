// Edges through copies of a pipe's ends: what is written to one is read from the other, whatever it is
// called.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <unistd.h>

#include <thread>

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const int in = dup(ends[0]), out = dup2(ends[1], 100), again = fcntl(out, F_DUPFD_CLOEXEC, 200);
  close(ends[0]);
  close(ends[1]);
  std::thread worker([&] {
    char byte = 1;
    pinned[0] = 1;
    if (write(out, &byte, 1) != 1) return;
    pinned[1] = 1;
    if (write(again, &byte, 1) != 1) return;
  });
  char byte = 0;
  bool right = out == 100 && again == 200 && read(in, &byte, 1) == 1 && pinned[0] == 1;
  right = read(in, &byte, 1) == 1 && pinned[1] == 1 && right;
  worker.join();
  cudaFreeHost(pinned);
  return right ? 0 : 1;
}

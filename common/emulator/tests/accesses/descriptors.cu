// Edges by what one thread writes and another reads: a pipe, the two directions of a socket pair, an eventfd.
#include <cuda_runtime.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  int ends[2], sockets[2];
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  const int event = eventfd(0, 0);
  std::thread worker([&] {
    char byte = 1;
    pinned[0] = 1;
    if (write(ends[1], &byte, 1) != 1) return;
    if (read(sockets[1], &byte, 1) != 1) return;
    pinned[1] = 1;
    if (write(sockets[1], &byte, 1) != 1) return;
    pinned[2] = 1;
    const std::uint64_t once = 1;
    if (write(event, &once, sizeof once) != sizeof once) return;
  });
  char byte = 0;
  std::uint64_t times = 0;
  bool right = read(ends[0], &byte, 1) == 1 && pinned[0] == 1;
  pinned[1] = 0;
  right = right && write(sockets[0], &byte, 1) == 1 && read(sockets[0], &byte, 1) == 1 && pinned[1] == 1;
  right = right && read(event, &times, sizeof times) == sizeof times && pinned[2] == 1;
  worker.join();
  cudaFreeHost(pinned);
  return right ? 0 : 1;
}

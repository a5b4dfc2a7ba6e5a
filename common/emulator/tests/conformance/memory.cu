// Memory: allocating, freeing and registering it, and what waits for what.

#include "device_work.hpp"

using namespace conformance;

CASE("allocating nothing gives a null pointer and success") {
  void* data = &data;
  OK(cudaMalloc(&data, 0));
  EXPECT(data == nullptr);
}

CASE("freeing a null pointer succeeds") {
  OK(cudaFree(nullptr));
  OK(cudaFreeHost(nullptr));
}

CASE("freeing twice is an invalid value") {
  int* data = device_ints();
  OK(cudaFree(data));
  RETURNS(cudaErrorInvalidValue, cudaFree(data));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
}

CASE("freeing host memory, or the middle of an allocation, is an invalid value") {
  int host = 0;
  RETURNS(cudaErrorInvalidValue, cudaFree(&host));
  RETURNS(cudaErrorInvalidValue, cudaFree(device_ints(4) + 1));
  RETURNS(cudaErrorInvalidValue, cudaFreeHost(&host));
}

CASE("cudaFree waits for the whole device, non-blocking streams included") {
  gate closed;
  int* data = device_ints();
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(waits_for(closed, [&] { OK(cudaFree(data)); }));
}

CASE("cudaFreeHost waits for the whole device too") {
  gate closed;
  int* host = pinned_ints();
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(waits_for(closed, [&] { OK(cudaFreeHost(host)); }));
}

CASE("cudaFree of a null pointer waits for nothing") {
  gate closed;
  closed.hold(new_stream());
  EXPECT(returns_before(closed, [] { OK(cudaFree(nullptr)); }));
}

CASE("cudaMalloc, cudaMallocHost and cudaHostAlloc return while a stream is held") {
  gate closed;
  void* device = nullptr;
  void* host = nullptr;
  void* mapped = nullptr;
  closed.hold(new_stream(cudaStreamNonBlocking));
  EXPECT(returns_before(closed, [&] {
    OK(cudaMalloc(&device, 1 << 20));
    OK(cudaMallocHost(&host, 1 << 20));
    OK(cudaHostAlloc(&mapped, 1 << 20, cudaHostAllocMapped));
  }));
  EXPECT(device != nullptr && host != nullptr && mapped != nullptr);
}

CASE("more memory than the device has is an allocation error, and not a lasting one") {
  std::size_t free = 0, total = 0;
  void* data = nullptr;
  OK(cudaMemGetInfo(&free, &total));
  EXPECT(free <= total);
  RETURNS(cudaErrorMemoryAllocation, cudaMalloc(&data, total + total / 2));
  RETURNS(cudaErrorMemoryAllocation, cudaGetLastError());
  OK(cudaGetLastError());
  OK(cudaMalloc(&data, 1 << 20));
}

CASE("allocated memory is missing from the free memory until it is freed") {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  std::size_t before = 0, between = 0, after = 0, total = 0;
  void* data = nullptr;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&data, bytes));
  OK(cudaMemGetInfo(&between, &total));
  OK(cudaFree(data));
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(before - between >= bytes);
  EXPECT(after - between >= bytes);
}

CASE("device memory is aligned to 256 bytes, and so are the rows of a pitched allocation") {
  void* first = nullptr;
  void* second = nullptr;
  std::size_t pitch = 0;
  OK(cudaMalloc(&first, 1));
  OK(cudaMalloc(&second, 1));
  EXPECT(reinterpret_cast<std::size_t>(first) % 256 == 0);
  EXPECT(reinterpret_cast<std::size_t>(second) % 256 == 0);
  OK(cudaMallocPitch(&first, &pitch, 100, 3));
  EXPECT(pitch >= 100 && pitch % 256 == 0);
}

CASE("a null output pointer is an invalid value") {
  RETURNS(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 4));
  RETURNS(cudaErrorInvalidValue, cudaMallocHost(static_cast<void**>(nullptr), 4));
}

CASE("pointer attributes tell device, pinned, registered and ordinary memory apart") {
  cudaPointerAttributes attributes{};
  int* device = device_ints(4);
  OK(cudaPointerGetAttributes(&attributes, device + 1));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  EXPECT(attributes.device == 0);
  EXPECT(attributes.devicePointer == device + 1);
  int* pinned = pinned_ints(4);
  OK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  EXPECT(attributes.hostPointer == pinned);
  static int ordinary[1024];
  OK(cudaPointerGetAttributes(&attributes, ordinary));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  OK(cudaHostRegister(ordinary, sizeof ordinary, cudaHostRegisterDefault));
  OK(cudaPointerGetAttributes(&attributes, ordinary));
  EXPECT(attributes.type == cudaMemoryTypeHost);
}

CASE("kernels reach pinned memory through its device pointer") {
  int* host = pinned_ints();
  int* device = nullptr;
  OK(cudaHostGetDevicePointer(&device, host, 0));
  set_value<<<1, 1>>>(device, 21);
  OK(cudaDeviceSynchronize());
  EXPECT(*host == 21);
}

CASE("registered memory behaves as pinned: kernels reach it and copies do not wait") {
  gate closed;
  const auto stream = new_stream();
  std::vector<int> host(1 << 18, 1);
  int* device = nullptr;
  OK(cudaHostRegister(host.data(), host.size() * sizeof(int), cudaHostRegisterMapped));
  OK(cudaHostGetDevicePointer(&device, host.data(), 0));
  set_value<<<1, 1, 0, stream>>>(device, 33);
  OK(cudaStreamSynchronize(stream));
  EXPECT(host[0] == 33);
  int* data = device_ints(host.size());
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    OK(cudaMemcpyAsync(data, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  }));
  host.back() = 44;
  closed.open();
  OK(cudaStreamSynchronize(stream));
  EXPECT(read(data + host.size() - 1) == 44);
  OK(cudaHostUnregister(host.data()));
}

CASE("memory is registered once and unregistered once") {
  static int memory[4096];
  OK(cudaHostRegister(memory, sizeof memory, cudaHostRegisterDefault));
  RETURNS(cudaErrorHostMemoryAlreadyRegistered,
          cudaHostRegister(memory, sizeof memory, cudaHostRegisterDefault));
  OK(cudaHostUnregister(memory));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory));
}

CASE("registering nothing is an invalid value") {
  static int memory[16];
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(nullptr, 64, cudaHostRegisterDefault));
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(memory, 0, cudaHostRegisterDefault));
}

CASE("pinned memory tells the flags it was allocated with") {
  unsigned flags = 0;
  int* data = nullptr;
  OK(cudaHostAlloc(&data, 64, cudaHostAllocPortable | cudaHostAllocMapped));
  OK(cudaHostGetFlags(&flags, data));
  EXPECT((flags & cudaHostAllocPortable) != 0);
  EXPECT((flags & cudaHostAllocMapped) != 0);
}

CASE("a kernel and the host talk through mapped memory while the kernel runs") {
  gate closed;
  const auto stream = new_stream();
  int* value = pinned_ints();
  set_value<<<1, 1, 0, stream>>>(value, 1);
  closed.hold(stream);
  while (peek(value) == 0) {
  }
  EXPECT(closed.is_closed());
  closed.open();
  OK(cudaStreamSynchronize(stream));
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

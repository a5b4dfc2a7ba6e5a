// Stream-ordered allocation: cudaMallocAsync and cudaFreeAsync, and the pool they take from.

#include "device_work.hpp"

using namespace conformance;

namespace {

cudaMemPool_t default_pool() {
  cudaMemPool_t pool = nullptr;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

unsigned long long number(cudaMemPoolAttr attribute) {
  unsigned long long value = ~0ull;
  OK(cudaMemPoolGetAttribute(default_pool(), attribute, &value));
  return value;
}

int* allocate(cudaStream_t stream, std::size_t count = 1) {
  int* data = nullptr;
  OK(cudaMallocAsync(&data, count * sizeof(int), stream));
  EXPECT(data != nullptr);
  return data;
}

}  // namespace

CASE("cudaMallocAsync and cudaFreeAsync return at once, the pointer in hand, while their stream is held") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  closed.hold(stream);
  int* data = nullptr;
  EXPECT(returns_before(closed, [&] {
    data = allocate(stream);
    OK(cudaFreeAsync(data, stream));
  }));
  EXPECT(data != nullptr);
  closed.open();
  OK(cudaStreamSynchronize(stream));
}

CASE("the memory serves all work of its stream between the two") {
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* result = pinned_ints();
  int* data = allocate(stream);
  OK(cudaMemsetAsync(data, 0, sizeof(int), stream));
  set_value<<<1, 1, 0, stream>>>(data, 6);
  OK(cudaMemcpyAsync(result, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(data, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(*result == 6);
}

CASE("another stream may use and free the memory behind an event") {
  const auto home = new_stream(cudaStreamNonBlocking), away = new_stream(cudaStreamNonBlocking);
  const auto allocated = new_event();
  int* result = pinned_ints();
  int* data = allocate(home);
  OK(cudaEventRecord(allocated, home));
  OK(cudaStreamWaitEvent(away, allocated, 0));
  set_value<<<1, 1, 0, away>>>(data, 7);
  copy_value<<<1, 1, 0, away>>>(result, data);
  OK(cudaFreeAsync(data, away));
  OK(cudaStreamSynchronize(away));
  EXPECT(*result == 7);
}

CASE("what one stream allocates while another's free is held back lies elsewhere") {
  gate closed;
  const auto held = new_stream(cudaStreamNonBlocking), other = new_stream(cudaStreamNonBlocking);
  int* first = allocate(held);
  OK(cudaStreamSynchronize(held));
  closed.hold(held);
  OK(cudaFreeAsync(first, held));
  EXPECT(allocate(other) != first);
  EXPECT(closed.is_closed());
}

CASE("much memory, allocated and freed in turn in one stream, needs no wait") {
  const auto stream = new_stream(cudaStreamNonBlocking);
  std::size_t free = 0, total = 0;
  OK(cudaMemGetInfo(&free, &total));
  gate closed;
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] {
    for (int i = 0; i < 6; ++i) {
      void* data = nullptr;
      OK(cudaMallocAsync(&data, free / 2, stream));
      OK(cudaFreeAsync(data, stream));
    }
  }));
  closed.open();
  OK(cudaStreamSynchronize(stream));
}

CASE("memory is freed once, by a call that knows it") {
  const auto stream = new_stream();
  int on_host = 0;
  int* data = allocate(stream, 4);
  OK(cudaStreamSynchronize(stream));
  RETURNS(cudaErrorInvalidValue, cudaFreeAsync(data + 1, stream));
  RETURNS(cudaErrorInvalidValue, cudaFreeAsync(&on_host, stream));
  OK(cudaFreeAsync(data, stream));
  RETURNS(cudaErrorInvalidValue, cudaFreeAsync(data, stream));
  RETURNS(cudaErrorInvalidValue, cudaFree(data));
  RETURNS(cudaErrorInvalidValue, cudaMemsetAsync(data, 0, sizeof(int), stream));
}

CASE("freeing a null pointer in a stream succeeds") {
  OK(cudaFreeAsync(nullptr, new_stream()));
}

CASE("allocating nothing in a stream gives a null pointer and success") {
  int on_host = 0;
  int* data = &on_host;
  OK(cudaMallocAsync(&data, 0, new_stream()));
  EXPECT(data == nullptr);
}

CASE("cudaFreeAsync takes memory of cudaMalloc too") {
  const auto stream = new_stream();
  int* data = device_ints();
  OK(cudaFreeAsync(data, stream));
  OK(cudaStreamSynchronize(stream));
  RETURNS(cudaErrorInvalidValue, cudaFree(data));
}

CASE("cudaFree of memory from the pool waits for nothing") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  int* data = allocate(stream);
  OK(cudaStreamSynchronize(stream));
  closed.hold(stream);
  EXPECT(returns_before(closed, [&] { OK(cudaFree(data)); }));
}

CASE("more memory than the device has is an allocation error in a stream too") {
  void* data = nullptr;
  const auto stream = new_stream();
  RETURNS(cudaErrorMemoryAllocation, cudaMallocAsync(&data, std::size_t{1} << 50, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMallocAsync(&data, 64, stream));
}

CASE("null pointers and null pools are invalid values") {
  void* data = nullptr;
  unsigned long long value = 0;
  cudaMemPool_t pool = nullptr;
  RETURNS(cudaErrorInvalidValue, cudaMallocAsync(static_cast<void**>(nullptr), 4, new_stream()));
  RETURNS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&data, 4, nullptr, new_stream()));
  RETURNS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 1000));
  RETURNS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &value));
  RETURNS(cudaErrorInvalidValue,
          cudaMemPoolGetAttribute(default_pool(), static_cast<cudaMemPoolAttr>(99), &value));
}

CASE("memory comes from the default pool by name as well") {
  const auto stream = new_stream();
  int* data = nullptr;
  OK(cudaMallocFromPoolAsync(&data, sizeof(int), default_pool(), stream));
  EXPECT(number(cudaMemPoolAttrUsedMemCurrent) == sizeof(int));
  OK(cudaFreeAsync(data, stream));
}

CASE("memory from the pool is device memory, 256 bytes aligned") {
  cudaPointerAttributes attributes;
  int* data = allocate(new_stream());
  OK(cudaPointerGetAttributes(&attributes, data));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  EXPECT(reinterpret_cast<std::size_t>(data) % 256 == 0);
}

CASE("the pool counts what is in use when the calls are made, whatever their stream does") {
  gate closed;
  const auto stream = new_stream(cudaStreamNonBlocking);
  closed.hold(stream);
  void* data = nullptr;
  OK(cudaMallocAsync(&data, 1000, stream));
  EXPECT(number(cudaMemPoolAttrUsedMemCurrent) == 1000);
  OK(cudaFreeAsync(data, stream));
  EXPECT(number(cudaMemPoolAttrUsedMemCurrent) == 0);
  EXPECT(number(cudaMemPoolAttrUsedMemHigh) == 1000);
  EXPECT(number(cudaMemPoolAttrReservedMemCurrent) >= 1000);
  EXPECT(closed.is_closed());
}

CASE("a wait of the host takes from the pool what it holds beyond its release threshold") {
  const auto stream = new_stream();
  EXPECT(number(cudaMemPoolAttrReleaseThreshold) == 0);
  void* data = nullptr;
  OK(cudaMallocAsync(&data, 100 << 20, stream));
  OK(cudaFreeAsync(data, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(number(cudaMemPoolAttrReservedMemCurrent) == 0);

  unsigned long long everything = ~0ull;
  OK(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrReleaseThreshold, &everything));
  OK(cudaMallocAsync(&data, 100 << 20, stream));
  OK(cudaFreeAsync(data, stream));
  OK(cudaStreamSynchronize(stream));
  const auto kept = number(cudaMemPoolAttrReservedMemCurrent);
  EXPECT(kept >= 100 << 20);

  std::size_t before = 0, after = 0, total = 0;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMemPoolTrimTo(default_pool(), 0));
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(number(cudaMemPoolAttrReservedMemCurrent) == 0);
  EXPECT(after - before == kept);
  EXPECT(number(cudaMemPoolAttrReservedMemHigh) == kept);
}

CASE("a pool's highest marks go back to what is current, and nothing else can be set") {
  const auto stream = new_stream();
  allocate(stream);
  OK(cudaFreeAsync(allocate(stream, 100), stream));
  EXPECT(number(cudaMemPoolAttrUsedMemHigh) == 101 * sizeof(int));
  unsigned long long value = 1;
  RETURNS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrUsedMemHigh, &value));
  value = 0;
  OK(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrUsedMemHigh, &value));
  EXPECT(number(cudaMemPoolAttrUsedMemHigh) == sizeof(int));
  RETURNS(cudaErrorInvalidValue,
          cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrUsedMemCurrent, &value));
}

int main(int argc, char** argv) {
  return run(argc, argv);
}

#pragma once

#include "conformance.hpp"

/// What the cases give the device to do: kernels, and a gate that holds a stream for as long as a case likes.
namespace conformance {

__global__ void set_value(volatile int* to, int value) {
  *to = value;
}

__global__ void copy_value(volatile int* to, const volatile int* from) {
  *to = *from;
}

/// Takes the next number: who runs first has the lower one.
__global__ void take_number(int* counter, volatile int* mine) {
  *mine = atomicAdd(counter, 1);
}

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void wait_at_gate(volatile int* open, volatile int* gave_up) {
  constexpr long long two_seconds = 4000000000LL;  // of a clock of 2 GHz
  const long long start = clock64();
  while (*open == 0) {
    if (clock64() - start > two_seconds) {
      *gave_up = 1;
      return;
    }
    __nanosleep(1000);
  }
}

inline cudaStream_t new_stream(unsigned flags = cudaStreamDefault) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

inline cudaEvent_t new_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event = nullptr;
  OK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

/// `count` zeros in device memory.
inline int* device_ints(std::size_t count = 1) {
  int* data = nullptr;
  OK(cudaMalloc(&data, count * sizeof(int)));
  OK(cudaMemset(data, 0, count * sizeof(int)));
  OK(cudaDeviceSynchronize());
  return data;
}

/// `count` zeros in pinned host memory, which kernels reach too.
inline int* pinned_ints(std::size_t count = 1) {
  int* data = nullptr;
  OK(cudaHostAlloc(&data, count * sizeof(int), cudaHostAllocMapped));
  for (std::size_t i = 0; i < count; ++i) data[i] = 0;
  return data;
}

inline int read(const int* device) {
  int value = -1;
  OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// What a kernel may be writing right now.
inline int peek(const int* pinned) {
  return *static_cast<const volatile int*>(pinned);
}

/// A kernel that waits until it is let through: it holds a stream. It gives up after two seconds, so that
/// whatever waits for it comes back late, not never.
class gate {
 public:
  gate() : flags_(pinned_ints(2)) {}
  ~gate() { open(); }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  void hold(cudaStream_t stream) {
    wait_at_gate<<<1, 1, 0, stream>>>(flags_, flags_ + 1);
    OK(cudaGetLastError());
  }
  void open() { static_cast<volatile int*>(flags_)[0] = 1; }
  bool is_closed() const { return peek(flags_) == 0 && peek(flags_ + 1) == 0; }

 private:
  int* flags_;
};

/// Whether `call` returns though the gate is closed.
template <class Call>
bool returns_before(const gate& closed, Call call) {
  call();
  return closed.is_closed();
}

/// Whether `call` waits for the gate; opens it in the end. A call that does not wait has 100 ms to show it.
template <class Call>
bool waits_for(gate& closed, Call call) {
  std::atomic<bool> returned{false};
  std::thread caller([&] {
    call();
    returned = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const bool waits = !returned && closed.is_closed();
  closed.open();
  caller.join();
  return waits;
}

/// Time in which wrongly ordered work would show.
inline void let_the_device_run() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace conformance

#pragma once

template <typename T>
__global__ void store(T* target, T value) {
  *target = value;
}

inline void store_seven(int* target) {
  store<<<1, 1>>>(target, 7);
}

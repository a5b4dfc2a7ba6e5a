#include "host_program.hpp"

#include <algorithm>
#include <cstring>

namespace host_program {

void fill(float* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = static_cast<float>(i);
}
float sum(const float* of, int count) {
  float result = 0;
  for (int i = 0; i < count; ++i) result += of[i];
  return result;
}
void clear(void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
}
void copy(float* to, const float* from, int count) {
  std::copy(from, from + count, to);
}
bool equal(const float* one, const float* other, int count) {
  return std::memcmp(one, other, static_cast<std::size_t>(count) * sizeof(float)) == 0;
}
void raise_flag(volatile int* flag) {
  *flag = 1;
}
int add_to_counter(int* counter) {
  return __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

}  // namespace host_program

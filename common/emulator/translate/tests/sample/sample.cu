#include <cstdio>
#include <cstring>
#include <vector>

#include "plain.hpp"
#include "two_routes.hpp"

// Every form of launch and shared memory in one program; it returns the number of surprises.

namespace lab::emulator {
extern std::vector<launch_configuration> launched;
extern const char* launched_text;
}  // namespace lab::emulator

static int surprises = 0;

#define EXPECT(condition)                                                 \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++surprises;                                                        \
    }                                                                     \
  } while (0)

static int count = 0;
static int value = 0;

__global__ void bump(int by) {
  count += by;
}
__global__ void take_pointer(const int* p, double d) {
  value = (p == nullptr ? 1 : 2) + static_cast<int>(d);
}
__global__ void with_default(int a, int b = 40) {
  value = a + b;
}
__global__ void overloaded(int) {
  value = 1;
}
__global__ void overloaded(const char*) {
  value = 2;
}

namespace deep::er {
template <typename T, int N = 4, bool B = (N > 2)>
__global__ void __launch_bounds__(256, 2) fill(T* target, const T* source, int n) {
  __shared__ T tile[N][2], *pointer;
  __shared__ typename std::vector<T>::size_type dependent;
  extern __shared__ T dynamic[];
  pointer = &tile[N - 1][1];
  dependent = sizeof(tile) / sizeof(T);
  *pointer = source == nullptr ? static_cast<T>(n) : *source;
  dynamic[0] = *pointer;
  *target = dynamic[0] + static_cast<T>(dependent) + (B ? 100 : 0);
}
}  // namespace deep::er

template <class A>
struct box {
  using type = A;
  static constexpr int one = 1;
};
template <class A>
__global__ void boxed(int x) {
  value = x;
}

extern __shared__ int outside[];
extern __shared__ int outside[];
namespace deep {
extern __shared__ __align__(16) float outside_rows[][4];
}
__global__ void use_outside() {
  outside[2] = 5;
  value = outside[2];
  deep::outside_rows[1][3] = 1;
  EXPECT(deep::outside_rows + 1 == reinterpret_cast<float(*)[4]>(outside + 4));
}

struct alignas(4) four {
  int x;
};

#define SHARED volatile __shared__
#define ALIGN_TO(n) __align__(n)

template <typename T, int N>
__global__ void dependent_shared(T with) {
  __shared__ alignas(T) unsigned char bytes[sizeof(T) * N];
  __shared__ union {
    T as_t;
    int as_int;
  } both, *second;
  __shared__ void (*actions[2])(int, T);
  SHARED typename box<T>::type last;
  EXPECT(reinterpret_cast<size_t>(bytes) % alignof(T) == 0 && sizeof(bytes) == sizeof(T) * N);
  second = &both;
  second->as_t = with;
  actions[1] = [](int a, T b) { value = a + static_cast<int>(b); };
  last = both.as_t;
  actions[1](1, last);
}

__global__ void all_kinds_of_shared() {
  __shared__ __align__(64) float aligned[3];
  volatile __shared__ int loud[2];
  static __shared__ struct { int a, b; } unnamed;
  __shared__ four array[2][3];
  __shared__ int(*rows)[3];
  __shared__ alignas(double) char raw[8];
  __shared__ ALIGN_TO(32) int more, *most[2];
  __shared__ struct inner : four { int y; } derived;
  DECLARE_TILE(from_macro, 5);
  static_assert(sizeof(aligned) == 12 && sizeof(array) == 24 && sizeof(from_macro) == 20,
                "sizes are the declared ones");
  EXPECT(reinterpret_cast<size_t>(&aligned) % 64 == 0);
  EXPECT(reinterpret_cast<size_t>(&raw) % alignof(double) == 0);
  static int plain[2][3];
  rows = plain;
  EXPECT(reinterpret_cast<size_t>(&more) % 32 == 0);
  more = derived.y = 0;
  most[1] = &more;
  rows[1][2] = 4 + *most[1];
  loud[1] = 3;
  unnamed.b = 2;
  array[1][2].x = 1;
  from_macro[4] = 1;
  value = loud[1] + unnamed.b + array[1][2].x + rows[1][2] + static_cast<int>(from_macro[4]);
}

struct holder {
  void (*member)(int);
};

void test_callees() {
  void (*pointer)(int) = bump;
  void (*table[2])(int) = {nullptr, bump};
  holder h{bump};
  holder* ph = &h;
  bump<<<1, 1>>>(1);
  (*pointer)<<<1, 1>>>(1);
  if (count == 2) (*pointer)<<<1, 1>>>(1);
  table[1]<<<1, 1>>>(1);
  h.member<<<1, 1>>>(1), ph->member<<<1, 1>>>(1);
  LAUNCH_ONE(bump, 1);
  EXPECT(count == 7);
  boxed<box<box<int>>><<<box<box<box<int>>>::one, box<int>::one>>>(8);
  EXPECT(value == 8);
  LAUNCH_ONE(boxed<int>, 9);
  EXPECT(value == 9);
}

#define LAUNCH_PAIR(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_WITH(kernel, args) kernel<<<1, 1>>> args
#define LAUNCH_THROUGH(args, kernel) LAUNCH_WITH(kernel, args)

void test_arguments() {
  int deduced = 0;
  LAUNCH_PAIR(store, &deduced, 6);
  LAUNCH_PAIR(take_pointer, nullptr, 3);
  EXPECT(deduced == 6 && value == 4);
  LAUNCH_THROUGH((&deduced, 8), store);
  LAUNCH_WITH(with_default, (2));
  EXPECT(deduced == 8 && value == 42);
  take_pointer<<<1, 1>>>(0, 3);
  EXPECT(value == 4);
  with_default<<<1, 1>>>(2);
  EXPECT(value == 42);
  with_default<<<1, 1>>>(2, 3);
  EXPECT(value == 5);
  overloaded<<<1, 1>>>("text");
  EXPECT(value == 2);
  float result = 0, source = 1;
  deep::er::fill<<<1, 1>>>(&result, &source, 3);
  EXPECT(result == 109);
  deep::er::fill<float><<<1, 1>>>(&result, 0, 3);
  EXPECT(result == 111 && std::strcmp(lab::emulator::launched_text, "deep::er::fill<float>") == 0);
  deep::er::fill<float, 1, (1 > 2)><<<1, 1>>>(&result, 0, 3);
  EXPECT(result == 5);
  int seven = 0;
  store_seven(&seven);
  EXPECT(seven == 7);
}

void test_configuration(int n) {
  count = 0;
  bump<<<{2, 3}, dim3(2), sizeof(int) * 2, cudaStream_t{}>>>(1);
  EXPECT(count == 12 && lab::emulator::launched.back().shared_bytes == 8);
  // clang-format takes this configuration for comparisons:
  // clang-format off
  bump<<<n < 4 ? 1 : 2, n >> 1>>>(1 << 2);
  // clang-format on
  EXPECT(count == 16 && lab::emulator::launched.back().grid.x == 1);
}

// Shared memory and lines; the numbers below are those of this file.
#line 1000
void test_shared() {
  all_kinds_of_shared<<<1, 1>>>();
  EXPECT(value == 11);
  use_outside<<<1, 1>>>();
  EXPECT(value == 5);
  dependent_shared<double, 3><<<1, 1>>>(6);
  EXPECT(value == 7);
}
void test_lines() {
  // A launch of three lines:
  // clang-format off
  bump<<<1,
         1>>>(
      0); EXPECT(__LINE__ == 1013);
  // clang-format on
  EXPECT(line_of_header() == 12);
  EXPECT(std::strcmp(__FILE__, "sample.cu") == 0);
}

int main() {
  test_callees();
  test_arguments();
  test_configuration(2);
  test_shared();
  test_lines();
  return surprises;
}

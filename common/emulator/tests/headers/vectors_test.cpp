#include <doctest/doctest.h>

#include <type_traits>

#include "vector_functions.h"

namespace {

template <class T>
bool laid_out(std::size_t size, std::size_t alignment) {
  return sizeof(T) == size && alignof(T) == alignment && std::is_trivially_copyable_v<T>;
}

}  // namespace

TEST_CASE("vector types have the size and alignment of the device's") {
  CHECK(laid_out<char1>(1, 1));
  CHECK(laid_out<uchar2>(2, 2));
  CHECK(laid_out<char3>(3, 1));
  CHECK(laid_out<uchar4>(4, 4));
  CHECK(laid_out<short2>(4, 4));
  CHECK(laid_out<ushort3>(6, 2));
  CHECK(laid_out<short4>(8, 8));
  CHECK(laid_out<int1>(4, 4));
  CHECK(laid_out<int2>(8, 8));
  CHECK(laid_out<uint3>(12, 4));
  CHECK(laid_out<int4>(16, 16));
  CHECK(laid_out<float2>(8, 8));
  CHECK(laid_out<float3>(12, 4));
  CHECK(laid_out<float4>(16, 16));
  CHECK(laid_out<long1>(8, 8));
  CHECK(laid_out<longlong2>(16, 16));
  CHECK(laid_out<ulong3>(24, 8));
  CHECK(laid_out<double2>(16, 16));
  CHECK(laid_out<double3>(24, 8));
  CHECK(laid_out<double4>(32, 16));
  CHECK(laid_out<double4_16a>(32, 16));
  CHECK(laid_out<double4_32a>(32, 32));
  CHECK(laid_out<ulonglong4_32a>(32, 32));
}

TEST_CASE("make functions put the components in order") {
  const float4 f = make_float4(1, 2, 3, 4);
  CHECK(f.x == 1);
  CHECK(f.y == 2);
  CHECK(f.z == 3);
  CHECK(f.w == 4);
  const uchar3 u = make_uchar3(7, 8, 255);
  CHECK(u.x == 7);
  CHECK(u.z == 255);
  CHECK(make_longlong1(-5).x == -5);
  CHECK(make_double4_32a(1, 2, 3, 4).w == 4);
}

TEST_CASE("a dim3 fills up with ones and comes from numbers and uint3") {
  const dim3 none;
  CHECK(none.x == 1);
  CHECK(none.y == 1);
  CHECK(none.z == 1);
  const dim3 one = 32;
  CHECK(one.x == 32);
  CHECK(one.y == 1);
  const dim3 copied = make_uint3(2, 3, 4);
  CHECK(copied.z == 4);
  const uint3 back = dim3(5, 6, 7);
  CHECK(back.y == 6);
  static_assert(std::is_convertible_v<int, dim3>);
  static_assert(sizeof(dim3) == 12);
}

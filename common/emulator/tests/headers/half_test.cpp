#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "cuda_fp16.h"

namespace {

__half from_bits(unsigned bits) {
  return __half_raw{static_cast<unsigned short>(bits)};
}

constexpr unsigned infinity = 0x7c00;

}  // namespace

TEST_CASE("half is two bytes, half2 four") {
  CHECK(sizeof(__half) == 2);
  CHECK(alignof(__half) == 2);
  CHECK(sizeof(__half2) == 4);
  CHECK(alignof(__half2) == 4);
}

TEST_CASE("every half survives the way through float") {
  int changed = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const __half value = from_bits(bits);
    if (__hisnan(value))
      changed += !std::isnan(__half2float(value)) || !__hisnan(__float2half(__half2float(value)));
    else
      changed += __float2half(__half2float(value)).__x != bits;
  }
  CHECK(changed == 0);
  CHECK(__half2float(from_bits(0x3c00)) == 1.0f);
  CHECK(__half2float(from_bits(0x0001)) == std::ldexp(1.0f, -24));
  CHECK(__half2float(from_bits(0x7bff)) == 65504.0f);
  CHECK(std::isinf(__half2float(from_bits(infinity))));
}

// Between two neighbours the nearer one; in the middle the one whose last bit is 0.
TEST_CASE("float and double round to the nearest half, ties to even") {
  int wrong = 0;
  for (unsigned bits = 0; bits < infinity; ++bits) {
    const double low = __half2float(from_bits(bits));
    const double high =
        bits + 1 == infinity ? 65536.0 : static_cast<double>(__half2float(from_bits(bits + 1)));
    const double middle = (low + high) / 2;
    const auto middle_float = static_cast<float>(middle);  // exact: one bit more than a half
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    wrong += __float2half(middle_float).__x != even;
    wrong += __float2half(-middle_float).__x != (even | 0x8000u);
    wrong += __float2half(std::nextafter(middle_float, 0.0f)).__x != bits;
    wrong += __float2half(std::nextafter(middle_float, 1e6f)).__x != bits + 1;
    // These would go wrong by way of the nearest float.
    wrong += __double2half(std::nextafter(middle, 0.0)).__x != bits;
    wrong += __double2half(std::nextafter(middle, 1e6)).__x != bits + 1;
  }
  CHECK(wrong == 0);
  CHECK(__float2half(1e10f).__x == infinity);
  CHECK(__float2half(-0.0f).__x == 0x8000);
  CHECK(__half(100000LL).__x == infinity);
  CHECK(__half2float(__half(7)) == 7.0f);
}

TEST_CASE("half arithmetic rounds once") {
  const __half a = 1.5f, b = 0.25f;
  CHECK(__half2float(a + b) == 1.75f);
  CHECK(__half2float(a - b) == 1.25f);
  CHECK(__half2float(__hmul(a, b)) == 0.375f);
  CHECK(__half2float(__hdiv(a, b)) == 6.0f);
  CHECK(__half2float(__half(2048) + __half(1)) == 2048.0f);  // 2049 is a tie
  CHECK(__hisinf(__half(65504) + __half(32)) == 1);
  CHECK((-a).__x == 0xbe00);
  // 1023/1024 * 1025/1024 = 1 - 2^-20: the fused form keeps what is left of it.
  const __half c = 1023.0f / 1024, d = 1025.0f / 1024;
  CHECK(__half2float(__hfma(c, d, __half(-1))) == -std::ldexp(1.0f, -20));
  CHECK(__half2float(c * d + __half(-1)) == 0.0f);
  CHECK(a > b);
  CHECK(__heq(a, a));
  CHECK(!__heq(from_bits(0x7e00), from_bits(0x7e00)));
  CHECK(__half2float(__hmax(a, from_bits(0x7e00))) == 1.5f);
  CHECK(__half2float(hsqrt(__half(2.25f))) == 1.5f);
  const float2 pair = __half22float2(__hadd2(__floats2half2_rn(1, 2), __float2half2_rn(0.5f)));
  CHECK(pair.x == 1.5f);
  CHECK(pair.y == 2.5f);
}

#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <type_traits>

#include "cuda_runtime.h"

TEST_CASE("bits are counted as the device counts them, zero included") {
  CHECK(__clz(0) == 32);
  CHECK(__clz(1) == 31);
  CHECK(__clz(-1) == 0);
  CHECK(__clzll(0) == 64);
  CHECK(__clzll(1LL << 40) == 23);
  CHECK(__popc(0xf0f0f0f0u) == 16);
  CHECK(__popcll(~0ull) == 64);
  CHECK(__ffs(0) == 0);
  CHECK(__ffs(8) == 4);
  CHECK(__ffsll(1LL << 40) == 41);
}

TEST_CASE("bits and bytes are reversed, picked and funnelled") {
  CHECK(__brev(1u) == 0x80000000u);
  CHECK(__brev(0x12345678u) == 0x1e6a2c48u);
  CHECK(__brevll(1ull) == 1ull << 63);
  CHECK(__brevll(0x00000001ffff0000ull) == 0x0000ffff80000000ull);
  CHECK(__byte_perm(0x33221100, 0x77665544, 0x3210) == 0x33221100u);
  CHECK(__byte_perm(0x33221100, 0x77665544, 0x4567) == 0x44556677u);
  CHECK(__byte_perm(0x00008000, 0, 0x0009) == 0x000000ffu);
  CHECK(__byte_perm(0x00007f00, 0, 0x9999) == 0u);
  CHECK(__funnelshift_l(0x80000000u, 1u, 1) == 3u);
  CHECK(__funnelshift_l(5u, 7u, 32) == 7u);
  CHECK(__funnelshift_lc(5u, 7u, 32) == 5u);
  CHECK(__funnelshift_r(2u, 1u, 1) == 0x80000001u);
  CHECK(__funnelshift_r(5u, 7u, 32) == 5u);
  CHECK(__funnelshift_rc(5u, 7u, 40) == 7u);
}

TEST_CASE("products keep the half they are named after") {
  CHECK(__mul24(-3, 5) == -15);
  CHECK(__mul24(0x01000002, 3) == 6);
  CHECK(__mul24(0x00ffffff, 1) == -1);
  CHECK(__umul24(0xff000002u, 3u) == 6u);
  CHECK(__mulhi(INT_MIN, INT_MIN) == 1 << 30);
  CHECK(__mulhi(-1, 1) == -1);
  CHECK(__umulhi(UINT_MAX, UINT_MAX) == UINT_MAX - 1);
  CHECK(__mul64hi(-1, 1) == -1);
  CHECK(__umul64hi(ULLONG_MAX, ULLONG_MAX) == ULLONG_MAX - 1);
}

TEST_CASE("sums do not overflow on the way") {
  CHECK(__hadd(INT_MAX, INT_MAX) == INT_MAX);
  CHECK(__hadd(-3, 0) == -2);
  CHECK(__rhadd(-3, 0) == -1);
  CHECK(__uhadd(UINT_MAX, UINT_MAX) == UINT_MAX);
  CHECK(__urhadd(1u, 2u) == 2u);
  CHECK(__sad(INT_MIN, INT_MAX, 1u) == 0u);
  CHECK(__usad(3u, 10u, 1u) == 8u);
  CHECK(__dp4a(0x01ff02fe, 0x01010101, 10) == 10 + 1 - 1 + 2 - 2);
  CHECK(__dp4a(0x01ff02feu, 0x01010101u, 0u) == 1u + 255 + 2 + 254);
}

TEST_CASE("min and max mix types as CUDA's do") {
  static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(max(1L, 2UL)), unsigned long>);
  static_assert(std::is_same_v<decltype(min(1.0f, 2.0)), double>);
  static_assert(std::is_same_v<decltype(min(1.0f, 2.0f)), float>);
  static_assert(std::is_same_v<decltype(min(short{1}, short{2})), int>);
  CHECK(min(-1, 2) == -1);
  CHECK(min(-1, 2u) == 2u);  // -1 compares as the largest unsigned
  CHECK(max(-5LL, 3LL) == 3LL);
  CHECK(max(std::size_t{3}, std::size_t{4}) == 4);
  CHECK(umax(1u, 2u) == 2u);
  const float nan = __int_as_float(0x7fffffff);
  CHECK(max(nan, 1.0f) == 1.0f);
  CHECK(min(2.0, static_cast<double>(nan)) == 2.0);
}

TEST_CASE("loads and stores with a cache hint are loads and stores") {
  float value = 1.5f;
  CHECK(__ldg(&value) == 1.5f);
  __stcs(&value, 2.5f);
  CHECK(__ldcg(&value) == 2.5f);
}

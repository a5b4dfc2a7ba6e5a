#include <doctest/doctest.h>

#include <climits>
#include <cmath>

#include "cuda_runtime.h"

TEST_CASE("sinpi and cospi are exact where they can be") {
  for (int i = -9; i <= 9; ++i) {
    const double x = i * 0.5;
    const bool whole = i % 2 == 0;
    CHECK(sinpi(x) == (whole ? 0.0 : (i % 4 == 1 || i % 4 == -3) ? 1.0 : -1.0));
    CHECK(cospi(x) == (!whole ? 0.0 : i % 4 == 0 ? 1.0 : -1.0));
    CHECK(sinpif(static_cast<float>(x)) == static_cast<float>(sinpi(x)));
  }
  for (double x = -2.2; x < 2.2; x += 0.037) {
    CHECK(sinpi(x) == doctest::Approx(std::sin(x * M_PI)).epsilon(1e-12));
    CHECK(cospi(x) == doctest::Approx(std::cos(x * M_PI)).epsilon(1e-12));
  }
  CHECK(std::signbit(sinpi(-0.0)));
  CHECK(std::isnan(sinpi(INFINITY)));
}

TEST_CASE("what <math.h> lacks agrees with what it has") {
  CHECK(rsqrtf(4.0f) == 0.5f);
  CHECK(rsqrt(0.25) == 2.0);
  CHECK(rcbrt(8.0) == doctest::Approx(0.5));
  CHECK(__saturatef(-1.0f) == 0.0f);
  CHECK(__saturatef(0.25f) == 0.25f);
  CHECK(__saturatef(7.0f) == 1.0f);
  CHECK(__saturatef(NAN) == 0.0f);
  CHECK(norm3d(1, 2, 2) == doctest::Approx(3));
  CHECK(norm4df(1, 1, 1, 1) == doctest::Approx(2));
  CHECK(normcdf(0.0) == 0.5);
  CHECK(__sinf(0.5f) == std::sin(0.5f));
  CHECK(__expf(1.0f) == std::exp(1.0f));
  CHECK(__powf(2.0f, 10.0f) == 1024.0f);
  CHECK(__fdividef(1.0f, 4.0f) == 0.25f);
  CHECK(__fmaf_rn(2.0f, 3.0f, 1.0f) == 7.0f);
  CHECK(__frcp_rn(4.0f) == 0.25f);
  CHECK(__dadd_rn(0.1, 0.2) == 0.1 + 0.2);
}

TEST_CASE("conversions round by name, saturate, and take NaN for zero") {
  CHECK(__float2int_rn(2.5f) == 2);
  CHECK(__float2int_rn(3.5f) == 4);
  CHECK(__float2int_rz(-2.7f) == -2);
  CHECK(__float2int_rd(-2.1f) == -3);
  CHECK(__float2int_ru(-2.9f) == -2);
  CHECK(__float2int_rz(1e20f) == INT_MAX);
  CHECK(__float2int_rz(-1e20f) == INT_MIN);
  CHECK(__float2int_rz(NAN) == 0);
  CHECK(__float2uint_rz(-5.0f) == 0u);
  CHECK(__float2uint_rz(4294967040.0f) == 4294967040u);
  CHECK(__float2uint_rz(5e9f) == UINT_MAX);
  CHECK(__double2ll_rn(9.3e18) == LLONG_MAX);
  CHECK(__double2ull_rz(1.8e19) == 18000000000000000000ull);
  CHECK(__double2ull_rz(1e30) == ULLONG_MAX);
  CHECK(__int2float_rn(16777217) == 16777216.0f);
}

TEST_CASE("bits survive the way there and back") {
  CHECK(__float_as_int(1.0f) == 0x3f800000);
  CHECK(__int_as_float(0x40490fdb) == doctest::Approx(3.14159265f));
  CHECK(__uint_as_float(__float_as_uint(-0.0f)) == 0.0f);
  CHECK(__double_as_longlong(1.0) == 0x3ff0000000000000);
  CHECK(__hiloint2double(__double2hiint(-1.25e-300), __double2loint(-1.25e-300)) == -1.25e-300);
}

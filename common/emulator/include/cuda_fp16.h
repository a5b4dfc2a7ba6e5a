#pragma once

#include <math.h>
#include <stdint.h>

#include <type_traits>

#include "vector_types.h"

/// Half precision in software: storage, conversions, and arithmetic that computes in float and rounds once,
/// which is exact for + - * / and sqrt. Storage is two bytes, as on the device.

#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#endif

struct __half_raw {
  unsigned short x;
};
struct __align__(4) __half2_raw {
  unsigned short x, y;
};

namespace lab::cuda {

inline uint32_t float_bits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// IEEE binary16 from binary32: to nearest, ties to even.
inline unsigned short half_bits(float value) {
  const uint32_t bits = float_bits(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;  // the device's own NaN
  if (magnitude >= 0x477ff000u)
    return static_cast<unsigned short>(sign | 0x7c00u);  // 65520 and up round to infinity
  uint32_t result, rest, half_way;
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return static_cast<unsigned short>(sign);  // below 2^-25
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t shift = 126 - exponent;
    result = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1);
    half_way = 1u << (shift - 1);
  } else {
    result = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1fffu;
    half_way = 0x1000u;
  }
  if (rest > half_way || (rest == half_way && (result & 1))) ++result;
  return static_cast<unsigned short>(sign | result);
}

/// A float that rounds on to half as `exact` itself would: where float cannot hold it, the neighbour with an
/// odd last bit.
inline float round_to_odd(double exact) {
  const float nearest = static_cast<float>(exact);
  if (static_cast<double>(nearest) == exact || exact != exact || (float_bits(nearest) & 1)) return nearest;
  return nextafterf(nearest, exact > static_cast<double>(nearest) ? HUGE_VALF : -HUGE_VALF);
}

inline float half_value(unsigned short half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = half >> 10 & 0x1fu, mantissa = half & 0x3ffu;
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  const uint32_t bits = sign | (exponent == 0x1f ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace lab::cuda

struct __half {
  __half() = default;
  __half(__half_raw raw) : __x(raw.x) {}
  __half(float value) : __x(lab::cuda::half_bits(value)) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  __half(Number value) : __half(lab::cuda::round_to_odd(static_cast<double>(value))) {}

  operator float() const { return lab::cuda::half_value(__x); }
  operator __half_raw() const { return {__x}; }

  __half& operator+=(__half other);
  __half& operator-=(__half other);
  __half& operator*=(__half other);
  __half& operator/=(__half other);

  unsigned short __x;
};

struct __align__(4) __half2 {
  __half2() = default;
  __half2(__half a, __half b) : x(a), y(b) {}

  __half x, y;
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// Conversions
inline __half __float2half(float x) {
  return __half(x);
}
inline __half __float2half_rn(float x) {
  return __half(x);
}
inline __half __double2half(double x) {
  return __half(x);
}
inline float __half2float(__half x) {
  return x;
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float2half2_rn(float x) {
  return {__half(x), __half(x)};
}
inline __half2 __float22half2_rn(float2 x) {
  return {__half(x.x), __half(x.y)};
}
inline float2 __half22float2(__half2 x) {
  return {x.x, x.y};
}
inline float __low2float(__half2 x) {
  return x.x;
}
inline float __high2float(__half2 x) {
  return x.y;
}
inline __half __low2half(__half2 x) {
  return x.x;
}
inline __half __high2half(__half2 x) {
  return x.y;
}
inline __half2 __half2half2(__half x) {
  return {x, x};
}
inline __half2 __halves2half2(__half x, __half y) {
  return {x, y};
}
inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half __int2half_rn(int x) {
  return __half(x);
}
inline int __half2int_rz(__half x) {
  return static_cast<int>(static_cast<float>(x));
}
inline unsigned short __half_as_ushort(__half x) {
  return x.__x;
}
inline __half __ushort_as_half(unsigned short x) {
  return __half_raw{x};
}

#include "lab_cuda/half_arithmetic.hpp"

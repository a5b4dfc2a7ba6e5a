#pragma once

#include <math.h>

#include <limits>
#include <type_traits>

/// Conversions between numbers, with the rounding in the name (_rn nearest even, _rz towards zero, _ru up,
/// _rd down), and between numbers and their bits. To an integer they saturate, and a NaN becomes 0, as on the
/// device.

namespace lab::cuda {

template <class Integer, class Real>
Integer saturate(Real rounded) {
  using limits = std::numeric_limits<Integer>;
  if (rounded != rounded) return 0;
  // 2^bits is exact in either real type, the largest integer need not be
  const Real end = static_cast<Real>(limits::max() / 2 + 1) * 2;
  if (rounded >= end) return limits::max();
  if (rounded < static_cast<Real>(limits::min())) return limits::min();
  return static_cast<Integer>(rounded);
}

template <class To, class From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From>);
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace lab::cuda

#define LAB_REAL_TO_INTEGER(real, integer, name)             \
  inline integer __##name##_rn(real x) {                     \
    return lab::cuda::saturate<integer>(__builtin_rint(x));  \
  }                                                          \
  inline integer __##name##_rz(real x) {                     \
    return lab::cuda::saturate<integer>(__builtin_trunc(x)); \
  }                                                          \
  inline integer __##name##_ru(real x) {                     \
    return lab::cuda::saturate<integer>(__builtin_ceil(x));  \
  }                                                          \
  inline integer __##name##_rd(real x) {                     \
    return lab::cuda::saturate<integer>(__builtin_floor(x)); \
  }

LAB_REAL_TO_INTEGER(float, int, float2int)
LAB_REAL_TO_INTEGER(float, unsigned int, float2uint)
LAB_REAL_TO_INTEGER(float, long long, float2ll)
LAB_REAL_TO_INTEGER(float, unsigned long long, float2ull)
LAB_REAL_TO_INTEGER(double, int, double2int)
LAB_REAL_TO_INTEGER(double, unsigned int, double2uint)
LAB_REAL_TO_INTEGER(double, long long, double2ll)
LAB_REAL_TO_INTEGER(double, unsigned long long, double2ull)
#undef LAB_REAL_TO_INTEGER

inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned int x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned int x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}

inline int __float_as_int(float x) {
  return lab::cuda::bit_cast<int>(x);
}
inline unsigned int __float_as_uint(float x) {
  return lab::cuda::bit_cast<unsigned int>(x);
}
inline float __int_as_float(int x) {
  return lab::cuda::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned int x) {
  return lab::cuda::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return lab::cuda::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return lab::cuda::bit_cast<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32 | static_cast<unsigned int>(lo)));
}

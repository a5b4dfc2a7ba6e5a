#pragma once

#include <math.h>

/// Arithmetic on half and half2; included by cuda_fp16.h.

#define LAB_HALF_ARITHMETIC(op, name)                              \
  inline __half operator op(__half a, __half b) {                  \
    return __half(static_cast<float>(a) op static_cast<float>(b)); \
  }                                                                \
  inline __half& __half::operator op##=(__half other) {            \
    return *this = *this op other;                                 \
  }                                                                \
  inline __half2 operator op(__half2 a, __half2 b) {               \
    return {a.x op b.x, a.y op b.y};                               \
  }                                                                \
  inline __half2& operator op##=(__half2& a, __half2 b) {          \
    return a = a op b;                                             \
  }                                                                \
  inline __half name(__half a, __half b) {                         \
    return a op b;                                                 \
  }                                                                \
  inline __half2 name##2(__half2 a, __half2 b) {                   \
    return a op b;                                                 \
  }

LAB_HALF_ARITHMETIC(+, __hadd)
LAB_HALF_ARITHMETIC(-, __hsub)
LAB_HALF_ARITHMETIC(*, __hmul)
LAB_HALF_ARITHMETIC(/, __hdiv)
#undef LAB_HALF_ARITHMETIC

inline __half operator-(__half a) {
  return __half_raw{static_cast<unsigned short>(a.__x ^ 0x8000u)};
}
inline __half operator+(__half a) {
  return a;
}
inline __half2 operator-(__half2 a) {
  return {-a.x, -a.y};
}
inline __half __hneg(__half a) {
  return -a;
}
inline __half2 __hneg2(__half2 a) {
  return -a;
}
inline __half __habs(__half a) {
  return __half_raw{static_cast<unsigned short>(a.__x & 0x7fffu)};
}
inline __half2 __habs2(__half2 a) {
  return {__habs(a.x), __habs(a.y)};
}

/// a * b + c, rounded once: the product is exact in double, and where the sum is not, it is too far from a
/// tie to matter.
inline __half __hfma(__half a, __half b, __half c) {
  const double product =
      static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
  return __half(product + static_cast<double>(static_cast<float>(c)));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define LAB_HALF_COMPARISON(op, name)                      \
  inline bool operator op(__half a, __half b) {            \
    return static_cast<float>(a) op static_cast<float>(b); \
  }                                                        \
  inline bool name(__half a, __half b) {                   \
    return a op b;                                         \
  }

LAB_HALF_COMPARISON(==, __heq)
LAB_HALF_COMPARISON(!=, __hne)
LAB_HALF_COMPARISON(<, __hlt)
LAB_HALF_COMPARISON(<=, __hle)
LAB_HALF_COMPARISON(>, __hgt)
LAB_HALF_COMPARISON(>=, __hge)
#undef LAB_HALF_COMPARISON

inline bool __hisnan(__half a) {
  return (a.__x & 0x7fffu) > 0x7c00u;
}
inline int __hisinf(__half a) {
  return a.__x == 0x7c00u ? 1 : a.__x == 0xfc00u ? -1 : 0;
}
inline __half __hmin(__half a, __half b) {
  return __half(fminf(a, b));
}
inline __half __hmax(__half a, __half b) {
  return __half(fmaxf(a, b));
}
inline __half2 __hmin2(__half2 a, __half2 b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
inline __half2 __hmax2(__half2 a, __half2 b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}

#define LAB_HALF_FUNCTION(name, expression) \
  inline __half h##name(__half a) {         \
    const float x = a;                      \
    return __half(expression);              \
  }                                         \
  inline __half2 h2##name(__half2 a) {      \
    return {h##name(a.x), h##name(a.y)};    \
  }

LAB_HALF_FUNCTION(sqrt, sqrtf(x))
LAB_HALF_FUNCTION(rsqrt, 1.0f / sqrtf(x))
LAB_HALF_FUNCTION(rcp, 1.0f / x)
LAB_HALF_FUNCTION(exp, expf(x))
LAB_HALF_FUNCTION(exp2, exp2f(x))
LAB_HALF_FUNCTION(log, logf(x))
LAB_HALF_FUNCTION(log2, log2f(x))
LAB_HALF_FUNCTION(sin, sinf(x))
LAB_HALF_FUNCTION(cos, cosf(x))
LAB_HALF_FUNCTION(floor, floorf(x))
LAB_HALF_FUNCTION(ceil, ceilf(x))
LAB_HALF_FUNCTION(rint, rintf(x))
LAB_HALF_FUNCTION(trunc, truncf(x))
#undef LAB_HALF_FUNCTION

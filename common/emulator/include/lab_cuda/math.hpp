#pragma once

#include <math.h>

/// Mathematical functions that CUDA has and <math.h> has not: the overloads for float and double come from
/// there. Results are the host's, which agree with a GPU's to a few units in the last place; the fast ones
/// (__sinf, …) are as exact as the others here.

inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / ::sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / ::cbrt(x);
}
inline float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float fdividef(float a, float b) {
  return a / b;
}
inline double fdivide(double a, double b) {
  return a / b;
}

/// sin and cos of pi * x, exact at multiples of one half.
inline double sinpi(double x) {
  const double r = ::remainder(x, 2.0);  // in [-1, 1]
  if (r == 0.0 || r == 1.0 || r == -1.0) return ::copysign(0.0, x);
  return r > 0.5 ? ::sin(M_PI * (1.0 - r)) : r < -0.5 ? -::sin(M_PI * (1.0 + r)) : ::sin(M_PI * r);
}
inline double cospi(double x) {
  const double r = ::fabs(::remainder(x, 2.0));  // in [0, 1]
  if (r == 0.5) return 0.0;
  return r < 0.25 ? ::cos(M_PI * r) : r > 0.75 ? -::cos(M_PI * (1.0 - r)) : ::sin(M_PI * (0.5 - r));
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
inline float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

// Lengths.
inline double rhypot(double a, double b) {
  return 1.0 / ::hypot(a, b);
}
inline float rhypotf(float a, float b) {
  return 1.0f / hypotf(a, b);
}
inline double norm3d(double a, double b, double c) {
  return ::hypot(::hypot(a, b), c);
}
inline float norm3df(float a, float b, float c) {
  return hypotf(hypotf(a, b), c);
}
inline double rnorm3d(double a, double b, double c) {
  return 1.0 / norm3d(a, b, c);
}
inline float rnorm3df(float a, float b, float c) {
  return 1.0f / norm3df(a, b, c);
}
inline double norm4d(double a, double b, double c, double d) {
  return ::hypot(norm3d(a, b, c), d);
}
inline float norm4df(float a, float b, float c, float d) {
  return hypotf(norm3df(a, b, c), d);
}

/// The standard normal distribution.
inline double normcdf(double x) {
  return 0.5 * ::erfc(-x * M_SQRT1_2);
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}

// Fast forms. glibc's <math.h> declares some of these names, for itself, as extern "C" and never throwing; it
// does not export them.
extern "C" {
inline float __sinf(float x) noexcept {
  return sinf(x);
}
inline float __cosf(float x) noexcept {
  return cosf(x);
}
inline float __tanf(float x) noexcept {
  return tanf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __expf(float x) noexcept {
  return expf(x);
}
inline float __exp10f(float x) noexcept {
  return powf(10.0f, x);
}
inline float __logf(float x) noexcept {
  return logf(x);
}
inline float __log2f(float x) noexcept {
  return log2f(x);
}
inline float __log10f(float x) noexcept {
  return log10f(x);
}
inline float __powf(float x, float y) noexcept {
  return powf(x, y);
}
inline float __tanhf(float x) noexcept {
  return tanhf(x);
}
}

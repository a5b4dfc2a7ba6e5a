#pragma once

#include <math.h>

#include "lab_cuda/not_emulated.h"

/// Arithmetic with the rounding in the name. The host computes to nearest even, which is _rn; the directed
/// roundings fail by name.

#define LAB_ROUNDED(type, name, parameters, expression)                             \
  inline type __##name##_rn parameters {                                            \
    return expression;                                                              \
  }                                                                                 \
  LAB_NOT_EMULATED_FUNCTION(__##name##_rz, rounding) type __##name##_rz parameters; \
  LAB_NOT_EMULATED_FUNCTION(__##name##_ru, rounding) type __##name##_ru parameters; \
  LAB_NOT_EMULATED_FUNCTION(__##name##_rd, rounding) type __##name##_rd parameters;

LAB_ROUNDED(float, fadd, (float a, float b), a + b)
LAB_ROUNDED(float, fsub, (float a, float b), a - b)
LAB_ROUNDED(float, fmul, (float a, float b), (a * b))
LAB_ROUNDED(float, fdiv, (float a, float b), a / b)
LAB_ROUNDED(float, fmaf, (float a, float b, float c), fmaf(a, b, c))
LAB_ROUNDED(float, frcp, (float x), 1.0f / x)
LAB_ROUNDED(float, fsqrt, (float x), sqrtf(x))
LAB_ROUNDED(double, dadd, (double a, double b), a + b)
LAB_ROUNDED(double, dsub, (double a, double b), a - b)
LAB_ROUNDED(double, dmul, (double a, double b), (a * b))
LAB_ROUNDED(double, ddiv, (double a, double b), a / b)
LAB_ROUNDED(double, fma, (double a, double b, double c), ::fma(a, b, c))
LAB_ROUNDED(double, drcp, (double x), 1.0 / x)
LAB_ROUNDED(double, dsqrt, (double x), ::sqrt(x))
#undef LAB_ROUNDED

inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x)));
}

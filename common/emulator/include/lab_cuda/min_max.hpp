#pragma once

#include <math.h>

/// CUDA's min and max: by value, and for the mixtures of types that CUDA has. A mixture of signed and
/// unsigned compares unsigned, one of float and double compares double; of a NaN and a number the number
/// wins.

#define LAB_MIN_MAX(result, first, second)                                           \
  inline result min(first a, second b) {                                             \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }                                                                                  \
  inline result max(first a, second b) {                                             \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a)  \
                                                           : static_cast<result>(b); \
  }

#define LAB_INTEGER_MIN_MAX(type)                          \
  LAB_MIN_MAX(type, type, type)                            \
  LAB_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  LAB_MIN_MAX(unsigned type, type, unsigned type)          \
  LAB_MIN_MAX(unsigned type, unsigned type, type)

LAB_INTEGER_MIN_MAX(int)
LAB_INTEGER_MIN_MAX(long)
LAB_INTEGER_MIN_MAX(long long)
#undef LAB_INTEGER_MIN_MAX
#undef LAB_MIN_MAX

inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}

#define LAB_DOUBLE_MIN_MAX(first, second) \
  inline double min(first a, second b) {  \
    return ::fmin(double{a}, double{b});  \
  }                                       \
  inline double max(first a, second b) {  \
    return ::fmax(double{a}, double{b});  \
  }

LAB_DOUBLE_MIN_MAX(double, double)
LAB_DOUBLE_MIN_MAX(float, double)
LAB_DOUBLE_MIN_MAX(double, float)
#undef LAB_DOUBLE_MIN_MAX

inline unsigned int umin(unsigned int a, unsigned int b) {
  return a < b ? a : b;
}
inline unsigned int umax(unsigned int a, unsigned int b) {
  return a > b ? a : b;
}
inline long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
inline long long llmax(long long a, long long b) {
  return a > b ? a : b;
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

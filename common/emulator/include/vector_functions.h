#pragma once

#include "vector_types.h"

/// make_char1 … make_double4.

#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__
#endif

#define LAB_MAKE_VECTORS(type, name)                              \
  inline name##1 make_##name##1(type x) {                         \
    return name##1 {x};                                           \
  }                                                               \
  inline name##2 make_##name##2(type x, type y) {                 \
    return name##2 {x, y};                                        \
  }                                                               \
  inline name##3 make_##name##3(type x, type y, type z) {         \
    return name##3 {x, y, z};                                     \
  }                                                               \
  inline name##4 make_##name##4(type x, type y, type z, type w) { \
    return name##4 {x, y, z, w};                                  \
  }

LAB_MAKE_VECTORS(signed char, char)
LAB_MAKE_VECTORS(unsigned char, uchar)
LAB_MAKE_VECTORS(short, short)
LAB_MAKE_VECTORS(unsigned short, ushort)
LAB_MAKE_VECTORS(int, int)
LAB_MAKE_VECTORS(unsigned int, uint)
LAB_MAKE_VECTORS(long, long)
LAB_MAKE_VECTORS(unsigned long, ulong)
LAB_MAKE_VECTORS(long long, longlong)
LAB_MAKE_VECTORS(unsigned long long, ulonglong)
LAB_MAKE_VECTORS(float, float)
LAB_MAKE_VECTORS(double, double)
#undef LAB_MAKE_VECTORS

#define LAB_MAKE_WIDE_VECTORS(type, name)                                 \
  inline name##4_16a make_##name##4_16a(type x, type y, type z, type w) { \
    return name##4_16a {x, y, z, w};                                      \
  }                                                                       \
  inline name##4_32a make_##name##4_32a(type x, type y, type z, type w) { \
    return name##4_32a {x, y, z, w};                                      \
  }

LAB_MAKE_WIDE_VECTORS(long, long)
LAB_MAKE_WIDE_VECTORS(unsigned long, ulong)
LAB_MAKE_WIDE_VECTORS(long long, longlong)
LAB_MAKE_WIDE_VECTORS(unsigned long long, ulonglong)
LAB_MAKE_WIDE_VECTORS(double, double)
#undef LAB_MAKE_WIDE_VECTORS

#pragma once

#include "host_defines.h"

/// char1 … double4, dim3: sizes and alignments as on the device, so that structs keep their layout.

#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
#endif

// Declares name1 … name4 of `type`. One- and three-component vectors align as their component; the others to
// their size, up to 16 bytes: the widest load there is on a T4.
#define LAB_VECTOR_TYPES(type, name, align2, align4) \
  struct name##1 {                                   \
    type x;                                          \
  };                                                 \
  struct __align__(align2) name##2 {                 \
    type x, y;                                       \
  };                                                 \
  struct name##3 {                                   \
    type x, y, z;                                    \
  };                                                 \
  struct __align__(align4) name##4 {                 \
    type x, y, z, w;                                 \
  };

LAB_VECTOR_TYPES(signed char, char, 2, 4)
LAB_VECTOR_TYPES(unsigned char, uchar, 2, 4)
LAB_VECTOR_TYPES(short, short, 4, 8)
LAB_VECTOR_TYPES(unsigned short, ushort, 4, 8)
LAB_VECTOR_TYPES(int, int, 8, 16)
LAB_VECTOR_TYPES(unsigned int, uint, 8, 16)
LAB_VECTOR_TYPES(long, long, 16, 16)
LAB_VECTOR_TYPES(unsigned long, ulong, 16, 16)
LAB_VECTOR_TYPES(long long, longlong, 16, 16)
LAB_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
LAB_VECTOR_TYPES(float, float, 8, 16)
LAB_VECTOR_TYPES(double, double, 16, 16)
#undef LAB_VECTOR_TYPES

// CUDA 13 names the alignment of the 32-byte vectors.
#define LAB_WIDE_VECTOR_TYPES(type, name) \
  struct __align__(16) name##4_16a {      \
    type x, y, z, w;                      \
  };                                      \
  struct __align__(32) name##4_32a {      \
    type x, y, z, w;                      \
  };

LAB_WIDE_VECTOR_TYPES(long, long)
LAB_WIDE_VECTOR_TYPES(unsigned long, ulong)
LAB_WIDE_VECTOR_TYPES(long long, longlong)
LAB_WIDE_VECTOR_TYPES(unsigned long long, ulonglong)
LAB_WIDE_VECTOR_TYPES(double, double)
#undef LAB_WIDE_VECTOR_TYPES

/// The shape of a grid or block; what is not given is 1.
struct dim3 {
  unsigned int x, y, z;

  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

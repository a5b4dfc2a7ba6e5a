#pragma once

#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__
#endif

enum cudaRoundMode {
  cudaRoundNearest = 0,
  cudaRoundZero = 1,
  cudaRoundPosInf = 2,
  cudaRoundMinInf = 3,
};

#pragma once

#include "host_defines.h"

/// Loads and stores with a cache hint. The emulated GPU has no caches, so each is a plain access, counted as
/// one.

#define LAB_LOAD(name)                       \
  template <class T>                         \
  __forceinline__ T name(const T* address) { \
    return *address;                         \
  }
#define LAB_STORE(name)                            \
  template <class T>                               \
  __forceinline__ void name(T* address, T value) { \
    *address = value;                              \
  }

LAB_LOAD(__ldg)
LAB_LOAD(__ldca)
LAB_LOAD(__ldcg)
LAB_LOAD(__ldcs)
LAB_LOAD(__ldlu)
LAB_LOAD(__ldcv)
LAB_STORE(__stwb)
LAB_STORE(__stcg)
LAB_STORE(__stcs)
LAB_STORE(__stwt)
#undef LAB_LOAD
#undef LAB_STORE

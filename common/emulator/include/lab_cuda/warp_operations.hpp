#pragma once

#include "lab_cuda/not_emulated.h"

/// Warp operations, which the emulated GPU does not have yet: declared so that a kernel which uses one fails
/// by name.

#define LAB_WARP_OPERATION(result, name, parameters) \
  LAB_NOT_EMULATED_FUNCTION(name, warp) result name parameters

template <class T>
LAB_WARP_OPERATION(T, __shfl_sync, (unsigned int mask, T value, int source_lane, int width = 32));
template <class T>
LAB_WARP_OPERATION(T, __shfl_up_sync, (unsigned int mask, T value, unsigned int delta, int width = 32));
template <class T>
LAB_WARP_OPERATION(T, __shfl_down_sync, (unsigned int mask, T value, unsigned int delta, int width = 32));
template <class T>
LAB_WARP_OPERATION(T, __shfl_xor_sync, (unsigned int mask, T value, int lane_mask, int width = 32));
template <class T>
LAB_WARP_OPERATION(unsigned int, __match_any_sync, (unsigned int mask, T value));
template <class T>
LAB_WARP_OPERATION(unsigned int, __match_all_sync, (unsigned int mask, T value, int* all));
LAB_WARP_OPERATION(unsigned int, __ballot_sync, (unsigned int mask, int predicate));
LAB_WARP_OPERATION(int, __any_sync, (unsigned int mask, int predicate));
LAB_WARP_OPERATION(int, __all_sync, (unsigned int mask, int predicate));
LAB_WARP_OPERATION(int, __uni_sync, (unsigned int mask, int predicate));
LAB_WARP_OPERATION(unsigned int, __activemask, ());
LAB_WARP_OPERATION(void, __syncwarp, (unsigned int mask = 0xffffffff));
LAB_WARP_OPERATION(int, __reduce_add_sync, (unsigned int mask, int value));
LAB_WARP_OPERATION(int, __reduce_min_sync, (unsigned int mask, int value));
LAB_WARP_OPERATION(int, __reduce_max_sync, (unsigned int mask, int value));
LAB_WARP_OPERATION(unsigned int, __reduce_add_sync, (unsigned int mask, unsigned int value));
LAB_WARP_OPERATION(unsigned int, __reduce_min_sync, (unsigned int mask, unsigned int value));
LAB_WARP_OPERATION(unsigned int, __reduce_max_sync, (unsigned int mask, unsigned int value));
LAB_WARP_OPERATION(unsigned int, __reduce_and_sync, (unsigned int mask, unsigned int value));
LAB_WARP_OPERATION(unsigned int, __reduce_or_sync, (unsigned int mask, unsigned int value));
LAB_WARP_OPERATION(unsigned int, __reduce_xor_sync, (unsigned int mask, unsigned int value));
#undef LAB_WARP_OPERATION

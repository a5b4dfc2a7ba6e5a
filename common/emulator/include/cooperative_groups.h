#pragma once

#error \
    "cooperative_groups.h is not emulated yet: the emulated GPU has no cooperative groups; use __shared__ memory and __syncthreads()."

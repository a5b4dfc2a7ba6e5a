#pragma once

#error \
    "curand_kernel.h is not emulated yet: make random numbers on the host with <random>, or hash the index in the kernel."

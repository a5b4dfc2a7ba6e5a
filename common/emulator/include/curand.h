#pragma once

#error \
    "curand.h is not emulated yet: make random numbers on the host with <random>, or hash the index in the kernel."

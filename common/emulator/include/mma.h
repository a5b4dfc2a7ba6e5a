#pragma once

#error \
    "mma.h is not emulated yet: the emulated GPU has no warp matrix operations; cublas_v2.h has the matrix products."

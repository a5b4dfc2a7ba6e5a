#pragma once

#error "cublasLt.h is not emulated yet: only the matrix products of cublas_v2.h are emulated."

// clang-format off: the order is what is tested
#include "all_cuda_headers.hpp"
#include "program_parts.hpp"
#include "standard_headers.hpp"

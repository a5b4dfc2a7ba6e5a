#pragma once

#include <vector>

#include "seen.hpp"

/// The program's `__device__`, `__constant__` and `__managed__` variables, as nvcc registers them before
/// main.
namespace lab::cupti::device_variables {

/// Where the variable lies in the GPU's memory, or 0 where CUDA does not say. Calls CUDA.
/// @param symbol as cudaMemcpyToSymbol takes it
address address_of(const void* symbol);

/// Those that CUDA can say of where they lie. Calls CUDA.
std::vector<seen_variable> all();

/// The name of one that lies in managed memory; "": none does.
const std::string& managed();

}  // namespace lab::cupti::device_variables

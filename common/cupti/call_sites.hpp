#pragma once

#include <cstdint>
#include <vector>

/// Where calls come from: the place of the call itself, and the functions around it.
namespace lab::cupti {

/// Where the thread last called the CUDA API; taken by the callback that the call leads to. Null where it
/// came from code that was not compiled with the program: a library's.
const void* take_call_site();

/// Where the function in progress was called; 0: from nowhere that is known.
std::uintptr_t called_from();

/// The innermost place and the functions in progress, as code addresses, the innermost first.
std::vector<std::uint64_t> call_stack(const void* innermost);

/// Whether a function was called by the program's own code: not by a library's, also where that was linked
/// into it.
bool called_by_program(const void* return_address);

}  // namespace lab::cupti

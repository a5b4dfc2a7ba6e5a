#pragma once

#include "fragment.hpp"

namespace lab::emulator::translate {

/// Where the expression that ends before token `end` begins; `end` itself if nothing there can be launched.
///
/// Goes back over names, qualification, template arguments, calls, subscripts and members, as C++ binds them.
std::uint32_t start_of_callee(const fragment& in, std::uint32_t end);

}  // namespace lab::emulator::translate

#pragma once

#include <string_view>

namespace lab::cupti {

/// What a record lacks after a successful call of this function, in words that go on behind its name; ""
/// where it lacks nothing. For the functions that the recorder does not read the arguments of.
std::string_view what_is_not_placed(std::string_view function);

}  // namespace lab::cupti

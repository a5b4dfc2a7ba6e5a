#pragma once

#include <limits>
#include <type_traits>

/// @file
/// What stands in a starter where an answer belongs.

namespace lab {

/// What `todo` becomes: NaN for a number with a fraction, zero for every other number and choice.
struct todo_t {
  /// The value for a number or choice of type `T`.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  constexpr operator T() const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::numeric_limits<T>::quiet_NaN();
    } else {
      return T{};
    }
  }
};

/// Stands where your answer goes, a number or a choice; no check takes it for an answer.
inline constexpr todo_t todo{};

}  // namespace lab

#pragma once

#include <cstdint>
#include <vector>

#include "conditions.hpp"
#include "tokens.hpp"

/// Which bracket closes which, found in one pass over the tokens.
namespace lab::emulator::translate {

inline constexpr std::uint32_t unmatched = 0xffffffff;

/// For each token the index of its partner, or `unmatched`.
///
/// Pairs ( ), [ ], { }, the < > of template arguments as far as brackets can tell them from comparisons, and
/// `<<<` with the first `>` of its `>>>`. Of the branches of an #if the first one that may be compiled
/// decides what is open behind the #endif.
std::vector<std::uint32_t> match_brackets(const std::vector<token>& tokens,
                                          const std::vector<branch_event>& branches);

}  // namespace lab::emulator::translate

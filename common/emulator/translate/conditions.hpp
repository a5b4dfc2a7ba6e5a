#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokens.hpp"

/// Which parts of a file the compiler will see, as far as that is plain without evaluating macros.
namespace lab::emulator::translate {

enum class activity : std::uint8_t {
  compiled,
  unknown,  ///< under a condition that only the compiler can decide
  skipped,  ///< `#if 0` and the like
};

enum class branch_edge : std::uint8_t { open, next, close };

/// Where a branch of conditional text begins or the last one ends.
struct branch_event {
  std::uint32_t code_index = 0;
  std::uint32_t directive = 0;
  branch_edge edge = branch_edge::open;
  activity after = activity::compiled;  ///< of the text that follows
};

class conditions {
 public:
  conditions() = default;
  conditions(const token_list& tokens, std::string_view text);

  activity of_code(std::uint32_t code_index) const;
  activity of_directive(std::uint32_t index) const;
  const std::vector<branch_event>& events() const { return events_; }

 private:
  std::vector<branch_event> events_;
};

}  // namespace lab::emulator::translate

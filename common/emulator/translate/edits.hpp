#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::emulator::translate {

/// Replacements of stretches of a text, none inside another.
class edits {
 public:
  /// Puts `text` in place of bytes [begin, end).
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    list_.push_back({begin, end, std::move(text)});
  }
  bool empty() const { return list_.empty(); }
  std::string apply(std::string_view text) const;

 private:
  struct edit {
    std::uint32_t begin;
    std::uint32_t end;
    std::string text;
  };
  std::vector<edit> list_;
};

}  // namespace lab::emulator::translate

#include "text.hpp"

#include <algorithm>
#include <cstdint>

namespace lab::timeline {
namespace {

/// How many bytes the character at the front has; 0 where it is none.
std::size_t length_of_first(std::string_view bytes, std::uint32_t& character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  character = byte(0);
  if (character < 0x80) return 1;
  const std::size_t length = character >= 0xF0 ? 4 : character >= 0xE0 ? 3 : character >= 0xC2 ? 2 : 0;
  if (length == 0 || length > bytes.size() || character > 0xF4) return 0;
  character &= 0xFFu >> (length + 1);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0u) != 0x80u) return 0;
    character = character << 6 | (byte(at) & 0x3Fu);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  return overlong || surrogate || character > 0x10FFFF ? 0 : length;
}

/// Control characters, line ends, and what turns the direction of the text around it.
bool is_invisible(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F && c != 0x200D) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF ||
         (c & 0xFFFE) == 0xFFFE;
}

}  // namespace

std::string printable(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  while (!bytes.empty()) {
    std::uint32_t character = 0;
    const std::size_t length = length_of_first(bytes, character);
    const std::string_view first = bytes.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && (!is_invisible(character) || character == '\t' || character == '\n')) {
      text += first;
    } else {
      for (const unsigned char byte : first) (text += "\\x") += {digits[byte >> 4], digits[byte & 15]};
    }
    bytes.remove_prefix(first.size());
  }
  return text;
}

std::string shown_text(std::string_view bytes, std::size_t most) {
  std::string text = printable(bytes.substr(0, 4 * (most + 1)));  // no character has more bytes
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  std::size_t characters = 0, last = 0;  // where the last that fits begins
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) continue;
    if (++characters > most) return text.substr(0, last) + "…";
    last = at;
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace lab::timeline

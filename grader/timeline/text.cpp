#include "text.hpp"

#include <cstdint>

namespace lab::timeline {
namespace {

constexpr char replacement[] = "\xEF\xBF\xBD";

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

std::string shown_text(std::string_view bytes, std::size_t most) {
  std::string text;
  std::size_t before_last = 0;  // where the last character that fits begins
  for (std::size_t characters = 1; !bytes.empty(); ++characters) {
    if (characters > most) return text.substr(0, before_last) + "…";
    std::uint32_t character = 0;
    const std::size_t length = length_of_first(bytes, character);
    before_last = text.size();
    if (length == 0) {
      text += replacement;
    } else if (is_invisible(character)) {
      text += character == '\t' || character == '\n' ? " " : replacement;
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
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

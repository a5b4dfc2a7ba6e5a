#pragma once

#include <string>
#include <string_view>

/// Names come from students' programs: bytes of any kind, of any length.
namespace lab::timeline {

/// As text that can be shown, on a terminal too: valid UTF-8. What cannot be (control characters, broken
/// bytes, what turns the direction of the text around it) is there byte by byte as "\x1b"; line ends and tabs
/// stay.
std::string printable(std::string_view bytes);

/// The same in one line, and no longer than `most` characters, of which the last is then "…".
std::string shown_text(std::string_view bytes, std::size_t most = 200);

/// With what HTML and XML give a meaning to written as entities.
std::string escaped(std::string_view text);

}  // namespace lab::timeline

#pragma once

#include <string>
#include <string_view>

/// Names come from students' programs: bytes of any kind, of any length.
namespace lab::timeline {

/// As text that can be shown: valid UTF-8 of one line without control characters, and no longer than `most`
/// characters, of which the last is then "…".
std::string shown_text(std::string_view bytes, std::size_t most = 200);

/// With what HTML and XML give a meaning to written as entities.
std::string escaped(std::string_view text);

}  // namespace lab::timeline

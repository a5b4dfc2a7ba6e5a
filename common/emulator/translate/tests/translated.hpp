#pragma once

#include <string>
#include <vector>

#include "translate.hpp"

/// What the tests share: translate a text and look at the result.
namespace lab::emulator::translate::tests {

inline result run(const std::string& source) {
  options how;
  how.source_name = "student.cu";
  return translate_text(source, "/nowhere/student.cu", how);
}

/// The translation without the lines that precede the source's own; the errors when it was rejected.
inline std::string text_of(const std::string& source) {
  const result done = run(source);
  if (!done.errors.empty()) {
    std::string all;
    for (const diagnostic& error : done.errors) all += to_string(error) + "\n";
    return all;
  }
  const std::string first = "#line 1 \"student.cu\"\n";
  const std::size_t begin = done.text.find(first);
  return begin == std::string::npos ? "no #line" : done.text.substr(begin + first.size());
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The errors, one a line; empty when the source is accepted.
inline std::string errors_of(const std::string& source) {
  std::string all;
  for (const diagnostic& error : run(source).errors) all += to_string(error) + "\n";
  return all;
}

}  // namespace lab::emulator::translate::tests

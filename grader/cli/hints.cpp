#include "hints.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace lab::cli {
namespace {

/// The length of "12. " at the beginning of the line, 0 when there is none.
std::size_t item_mark(const std::string& line) {
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) ++digits;
  return digits > 0 && line.compare(digits, 2, ". ") == 0 ? digits + 2 : 0;
}

void trim(std::string& text) {
  const auto first = text.find_first_not_of('\n');
  text.erase(0, first == std::string::npos ? text.size() : first);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
}

}  // namespace

std::vector<check_hints> read_hints(const fs::path& file) {
  std::vector<check_hints> all;
  std::istringstream text(read_file(file));
  bool in_code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("```", line.find_first_not_of(' ')) != std::string::npos &&
        line.find("```") == line.find_first_not_of(' ')) {
      in_code = !in_code;
    }
    if (!in_code && line.rfind("## ", 0) == 0) {
      all.push_back({line.substr(3), {}});
      continue;
    }
    if (all.empty()) continue;
    auto& stages = all.back().stages;
    const auto mark = in_code ? 0 : item_mark(line);
    if (mark > 0) {
      stages.push_back(line.substr(mark) + "\n");
      continue;
    }
    if (stages.empty() && line.find_first_not_of(" \t") == std::string::npos) continue;
    if (stages.empty()) stages.emplace_back();
    const auto indent =
        std::min({line.find_first_not_of(' '), line.size(), std::size_t{3}});  // an item's continuation
    stages.back() += line.substr(indent) + "\n";
  }
  for (auto& hints : all) {
    for (auto& stage : hints.stages) trim(stage);
  }
  return all;
}

}  // namespace lab::cli

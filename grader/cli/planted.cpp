#include "planted.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

namespace lab::cli {
namespace {

/// The value of "name: value" near the beginning of the text, before any diff.
std::string header_value(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line;
       std::getline(lines, line) && line.rfind("diff ", 0) != 0 && line.rfind("--- ", 0) != 0;) {
    if (line.rfind("// ", 0) == 0) line.erase(0, 3);
    if (line.rfind(name + ": ", 0) == 0) return line.substr(name.size() + 2);
  }
  return "";
}

}  // namespace

std::vector<planted_program> planted_in(const fs::path& folder, bool wrong) {
  std::vector<planted_program> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (extension != ".patch" && extension != ".cu") continue;
    planted_program program{entry.path(), "", ""};
    if (wrong) {
      const auto text = read_file(entry.path());
      program.check = header_value(text, "check");
      program.phrase = header_value(text, "phrase");
      for (const auto& [name, value] :
           {std::pair{"check", program.check}, std::pair{"phrase", program.phrase}}) {
        if (value.empty()) {
          throw told_error(course::shown(entry.path()) + " lacks the line \"" + name + ": ...\" at its top.",
                           exit_error);
        }
      }
    }
    found.push_back(std::move(program));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return found;
}

std::vector<excluded_pairs> excluded_pairs_in(const fs::path& file) {
  std::vector<excluded_pairs> pairs;
  if (!fs::exists(file)) return pairs;
  std::istringstream lines(read_file(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto plus = line.find(" + ");
    const auto colon = line.find(": ");
    if (plus == std::string::npos || colon == std::string::npos || colon < plus) {
      throw told_error(
          course::shown(file) + ":" + std::to_string(number) + " should read: one + other: reason",
          exit_error);
    }
    pairs.push_back({trimmed(line.substr(0, plus)), trimmed(line.substr(plus + 3, colon - plus - 3)),
                     trimmed(line.substr(colon + 2))});
  }
  return pairs;
}

bool excluded_pairs::covers(const planted_program& first, const planted_program& second) const {
  const auto matches = [](const std::string& pattern, const planted_program& program) {
    return ::fnmatch(pattern.c_str(), program.file.stem().c_str(), 0) == 0;
  };
  return (matches(one, first) && matches(other, second)) || (matches(one, second) && matches(other, first));
}

std::vector<planted_pair> pairs_of(const std::vector<planted_program>& wrong,
                                   const std::vector<excluded_pairs>& excluded, std::size_t limit) {
  std::vector<std::pair<std::uint64_t, planted_pair>> all;
  for (auto one = wrong.begin(); one != wrong.end(); ++one) {
    for (auto other = one + 1; other != wrong.end(); ++other) {
      if (!one->is_patch() || !other->is_patch() || one->check == other->check) continue;
      const auto covers = [&](const excluded_pairs& pair) { return pair.covers(*one, *other); };
      if (std::any_of(excluded.begin(), excluded.end(), covers)) continue;
      const auto names = one->file.stem().string() + " " + other->file.stem().string();
      all.push_back({hash_of(names), {&*one, &*other}});
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<planted_pair> pairs;
  for (const auto& [hash, pair] : all) {
    if (pairs.size() < limit) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace lab::cli

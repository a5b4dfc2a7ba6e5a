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

/// A text that grows by lines: those of a paragraph become one, for wrapping to any width; code keeps its
/// own.
class stage_text {
 public:
  void add(const std::string& line) {
    const bool fence = line.rfind("```", 0) == 0;
    const bool breaks = in_code_ || fence || line.empty() || after_break_;
    if (!text_.empty()) text_ += breaks ? '\n' : ' ';
    text_ += line;
    if (fence) in_code_ = !in_code_;
    after_break_ = in_code_ || fence || line.empty();
  }

  bool in_code() const { return in_code_; }

  std::string finished() const {
    const auto last = text_.find_last_not_of(" \n");
    return text_.substr(0, last == std::string::npos ? 0 : last + 1);
  }

 private:
  std::string text_;
  bool in_code_ = false;
  bool after_break_ = false;
};

using hint_list = std::vector<const check_hints*>;

bool has_word(const std::string& text, const std::string& word) {
  const auto in_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && in_word(at - 1)) && !in_word(at + word.size())) return true;
  }
  return false;
}

/// The check of that name, else those with the words in their name, else those with the characters.
hint_list named(const std::vector<check_hints>& all, const std::string& name) {
  hint_list by_words, by_characters;
  for (const auto& hints : all) {
    if (hints.check == name) return {&hints};
    if (has_word(hints.check, name)) by_words.push_back(&hints);
    if (hints.check.find(name) != std::string::npos) by_characters.push_back(&hints);
  }
  return by_words.empty() ? by_characters : by_words;
}

}  // namespace

std::vector<check_hints> read_hints(const fs::path& file) {
  std::vector<check_hints> all;
  std::vector<stage_text> stages;  // of the last section
  const auto finish_section = [&] {
    for (const auto& stage : stages) all.back().stages.push_back(stage.finished());
    stages.clear();
  };
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) {
    const bool in_code = !stages.empty() && stages.back().in_code();
    if (!in_code && line.rfind("## ", 0) == 0) {
      finish_section();
      all.push_back({line.substr(3), {}});
    } else if (const auto mark = in_code ? 0 : item_mark(line); mark > 0 && !all.empty()) {
      stages.emplace_back().add(line.substr(mark));
    } else if (!all.empty() && (!stages.empty() || line.find_first_not_of(' ') != std::string::npos)) {
      if (stages.empty()) stages.emplace_back();
      constexpr std::size_t item_indent = 3;
      stages.back().add(line.substr(std::min({line.find_first_not_of(' '), line.size(), item_indent})));
    }
  }
  finish_section();
  return all;
}

const check_hints& the_one_named(const std::vector<check_hints>& all, const std::string& name,
                                 const lab_entry& lab) {
  auto found = named(all, name);
  if (found.size() == 1) return *found.front();
  std::string sentence = "More than one check has \"" + name + "\" in its name:";
  if (found.empty()) {
    sentence = "No check of lab " + lab.number + " has \"" + name + "\" in its name. They are:";
    for (const auto& hints : all) found.push_back(&hints);
  }
  for (const auto* hints : found) sentence += "\n  " + hints->check;
  throw told_error(sentence, exit_misuse);
}

}  // namespace lab::cli

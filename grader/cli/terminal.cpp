#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace lab::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Who asks for no colour gets no other control sequence either.
bool escapes_allowed() {
  return variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

bool locale_is_utf8() {
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    auto value = variable(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int width_of(int descriptor) {
  winsize size{};
  if (::isatty(descriptor) != 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return std::atoi(variable("COLUMNS").c_str());
}

std::size_t length_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::string_view ascii_for(std::string_view character) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 19> table{{{"µ", "u"},
                                                                                        {"μ", "u"},
                                                                                        {"–", "-"},
                                                                                        {"—", "-"},
                                                                                        {"−", "-"},
                                                                                        {"…", "..."},
                                                                                        {"·", "*"},
                                                                                        {"×", "x"},
                                                                                        {"±", "+-"},
                                                                                        {"≈", "~"},
                                                                                        {"≤", "<="},
                                                                                        {"≥", ">="},
                                                                                        {"→", "->"},
                                                                                        {"“", "\""},
                                                                                        {"”", "\""},
                                                                                        {"‘", "'"},
                                                                                        {"’", "'"},
                                                                                        {"³", "^3"},
                                                                                        {"²", "^2"}}};
  for (const auto& [from, to] : table) {
    if (character == from) return to;
  }
  return "?";
}

}  // namespace

terminal terminal::of_stdout() {
  terminal found;
  found.colours_ = ::isatty(STDOUT_FILENO) != 0 && escapes_allowed();
  found.unicode_ = locale_is_utf8();
  const int width = width_of(STDOUT_FILENO);
  found.width_ = width > 0 ? std::clamp(width, 40, 120) : 80;  // longer lines are hard to read
  return found;
}

std::string terminal::paint(std::string_view text, colour how) const {
  if (!colours_ || how == colour::plain) return std::string(text);
  static constexpr std::array codes{"0", "31", "32", "33", "34", "90", "1"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<std::size_t>(how)], text);
}

int terminal::columns(std::string_view text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\033') {
      const auto end = text.find('m', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
      continue;
    }
    at += length_of_character(text[at]);
    ++count;
  }
  return count;
}

std::string terminal::shown(std::string_view text) const {
  if (unicode_) return std::string(text);
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = length_of_character(text[at]);
    plain += length == 1 ? text.substr(at, 1) : ascii_for(text.substr(at, length));
    at += length;
  }
  return plain;
}

std::string terminal::wrapped(std::string_view given, int indent, std::string_view first) const {
  const auto text = shown(given);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result(first.empty() ? margin : std::string(first));
  int column = first.empty() ? indent : columns(first);
  bool line_empty = true;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      result += '\n' + margin;
      column = indent;
      line_empty = true;
      ++at;
      continue;
    }
    if (text[at] == ' ' && !line_empty) {
      ++at;
      continue;
    }
    const auto end = std::min(text.find_first_of(" \n", at + 1), text.size());
    const auto word = std::string_view(text).substr(at, end - at);
    const int wide = columns(word);
    if (!line_empty && column + 1 + wide > width_) {
      result += '\n' + margin;
      column = indent;
      line_empty = true;
    }
    if (!line_empty) {
      result += ' ';
      ++column;
    }
    result += word;
    column += wide;
    line_empty = false;
    at = end;
  }
  return result;
}

progress_bar::progress_bar(const terminal& output, std::string doing)
    : output_(output),
      doing_(std::move(doing)),
      start_(std::chrono::steady_clock::now()),
      possible_(::isatty(STDERR_FILENO) != 0 && escapes_allowed()) {}

progress_bar::~progress_bar() {
  if (visible_) std::fputs("\r\033[K", stderr);
}

void progress_bar::advance(int done, int total) {
  const std::lock_guard hold(mutex_);
  done_ = done;
  total_ = total;
  draw();
}

void progress_bar::now_doing(std::string doing) {
  const std::lock_guard hold(mutex_);
  doing_ = std::move(doing);
  draw();
}

void progress_bar::tick() {
  const std::lock_guard hold(mutex_);
  draw();
}

void progress_bar::draw() {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  if (!possible_ || elapsed < std::chrono::seconds(1)) return;
  visible_ = true;
  std::string line;
  if (total_ > 0) {
    constexpr int cells = 20;
    const int full = std::clamp(cells * done_ / total_, 0, cells);
    for (int cell = 0; cell < cells; ++cell)
      line += output_.unicode() ? (cell < full ? "█" : "░") : (cell < full ? "#" : ".");
    line += fmt::format(" {}/{} ", done_, total_);
  }
  line += fmt::format("{} ({} s)", doing_, std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
  while (terminal::columns(line) >= output_.width()) {
    while ((static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();
    line.pop_back();
  }
  std::fputs(("\r\033[K" + line).c_str(), stderr);
}

}  // namespace lab::cli

#include "render.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lab::timeline {
namespace {

constexpr int least_width = 40;
constexpr int widest_name = 27;       // "default stream of thread 10"
constexpr int room_around_label = 4;  // a space and a bit of the span on either side

struct cell {
  std::string glyph = " ";
  span_kind kind = span_kind::other;
  bool drawn = false;  ///< part of a span: a label of another span may not go here
};
using cells = std::vector<cell>;

// A label in characters, as a terminal counts them.
std::vector<std::string> characters(const std::string& utf8) {
  std::vector<std::string> result;
  for (const char byte : utf8) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (continues && !result.empty()) {
      result.back() += byte;
    } else {
      result.emplace_back(1, byte);
    }
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

struct glyphs {
  const char *kernel, *copy, *other, *waiting, *line;
  const char *call_left, *call_right, *call_single, *bracket_left, *bracket_right, *bracket_single;
  const char* joint;  // the first column of work that follows work without a gap
};
constexpr glyphs block_glyphs{"█", "▓", "▒", "·", "─", "▌", "▐", "▌", "├", "┤", "│", "▐"};
constexpr glyphs ascii_glyphs{"#", "=", "%", ".", "-", "[", "]", "|", "|", "|", "|", "|"};

const char* colour_of(span_kind kind) {
  switch (kind) {
    case span_kind::kernel:
      return "\033[32m";
    case span_kind::copy:
      return "\033[36m";
    case span_kind::waiting:
      return "\033[33m";
    case span_kind::measured:
      return "\033[35m";
    default:
      return "";
  }
}

class picture {
 public:
  picture(const excerpt& what, int width, const style& how)
      : what_(what), how_(how), glyphs_(how.unicode ? block_glyphs : ascii_glyphs) {
    for (const row& each : what.rows) {
      const int length = static_cast<int>(characters(each.name).size());
      name_width_ = std::max(name_width_, std::min({length, widest_name, width / 2}));
    }
    columns_ = width - name_width_ - 1;
    length_ms_ = std::max(what.end_ms - what.begin_ms, 1e-6);
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> result{axis()};
    for (const row& each : what_.rows) result.push_back(line(each));
    return result;
  }

 private:
  int column(double ms) const {
    const double position = (ms - what_.begin_ms) / length_ms_ * columns_;
    return static_cast<int>(std::clamp(std::floor(position + 1e-9), 0.0, static_cast<double>(columns_)));
  }

  // First and one past the last column; at least one column, at most what is shown.
  std::pair<int, int> columns_of(const labelled_span& span) const {
    const int begin = std::min(column(span.begin_ms), columns_ - 1);
    return {begin, std::max(column(span.end_ms), begin + 1)};
  }

  // Ticks at 0, 10, 20 … from the left edge, in the unit that fits the length.
  std::string axis() const {
    const double unit_ms = length_ms_ >= 1e3 ? 1e3 : length_ms_ >= 1 ? 1 : 1e-3;
    const std::string unit = unit_ms == 1e3 ? "s" : unit_ms == 1 ? "ms" : how_.unicode ? "µs" : "us";
    const double length = length_ms_ / unit_ms;
    double step = std::pow(10, std::floor(std::log10(length / columns_ * 8)));
    for (const double factor : {2.0, 2.5, 2.0}) {
      if (step / length * columns_ < 8) step *= factor;
    }
    cells text(static_cast<std::size_t>(columns_));
    int free_from = 0;
    for (int i = 0; i * step <= length; ++i) {
      const bool last = (i + 1) * step > length;
      char digits[32];
      std::snprintf(digits, sizeof(digits), "%g", i * step);
      const auto label = characters(digits + (last ? " " + unit : std::string()));
      const int at =
          std::min(column(what_.begin_ms + i * step * unit_ms), columns_ - static_cast<int>(label.size()));
      if (at < free_from) continue;
      write(text, at, label, span_kind::other);
      free_from = at + static_cast<int>(label.size()) + 1;
    }
    return finish("", text);
  }

  std::string line(const row& from) const {
    cells text(static_cast<std::size_t>(columns_));
    // The longest first: a short span is drawn over a long one, which it would vanish behind, and where two
    // labels want the same place, it goes to what fills more of the picture.
    std::vector<labelled_span> by_length = from.spans;
    std::stable_sort(by_length.begin(), by_length.end(), [](const auto& a, const auto& b) {
      return a.end_ms - a.begin_ms > b.end_ms - b.begin_ms;
    });
    for (const labelled_span& span : by_length) draw(text, span);
    for (const labelled_span& span : by_length) label(text, span);
    return finish(from.name, text);
  }

  void draw(cells& text, const labelled_span& span) const {
    const auto [begin, end] = columns_of(span);
    for (int at = begin; at < end; ++at) {
      text[static_cast<std::size_t>(at)] = {glyph(span.kind, at, begin, end), span.kind, true};
    }
    for (const int seam : {begin, end}) mark_joint(text, seam);
  }

  void mark_joint(cells& text, int seam) const {
    if (seam <= 0 || seam >= columns_) return;
    const cell& left = text[static_cast<std::size_t>(seam - 1)];
    cell& right = text[static_cast<std::size_t>(seam)];
    const bool work = right.kind == span_kind::kernel || right.kind == span_kind::copy;
    if (left.drawn && right.drawn && work && left.kind == right.kind) right.glyph = glyphs_.joint;
  }

  std::string glyph(span_kind kind, int at, int begin, int end) const {
    const bool first = at == begin, last = at == end - 1;
    switch (kind) {
      case span_kind::kernel:
        return glyphs_.kernel;
      case span_kind::copy:
        return glyphs_.copy;
      case span_kind::waiting:
        return glyphs_.waiting;
      case span_kind::other:
        return glyphs_.other;
      case span_kind::call:
        if (first && last) return glyphs_.call_single;
        return first ? glyphs_.call_left : last ? glyphs_.call_right : glyphs_.line;
      case span_kind::measured:
        break;
    }
    if (first && last) return glyphs_.bracket_single;
    return first ? glyphs_.bracket_left : last ? glyphs_.bracket_right : glyphs_.line;
  }

  // Inside the span, to its right or to its left, whole, else without the detail, else not at all.
  void label(cells& text, const labelled_span& span) const {
    const auto [begin, end] = columns_of(span);
    for (const std::string& words :
         {span.label + (span.detail.empty() ? "" : " ") + span.detail, span.label}) {
      const auto label = characters(how_.unicode ? words : replaced(replaced(words, "µ", "u"), "×", "x"));
      const int length = static_cast<int>(label.size());
      if (length == 0) return;
      if (end - begin >= length + room_around_label) {
        auto padded = label;
        padded.insert(padded.begin(), " ");
        padded.emplace_back(" ");
        return write(text, begin + (end - begin - length - 1) / 2, padded, span.kind);
      }
      if (is_free(text, end, end + length + 2)) return write(text, end + 1, label, span.kind);
      if (span.kind == span_kind::measured && is_free(text, begin - length - 1, begin)) {
        return write(text, begin - length - 1, label, span.kind);
      }
    }
  }

  bool is_free(const cells& text, int begin, int end) const {
    // The picture's right edge needs no gap after a label.
    if (begin < 0 || end - 1 > columns_) return false;
    for (int at = begin; at < std::min(end, columns_); ++at) {
      if (text[static_cast<std::size_t>(at)].drawn) return false;
    }
    return true;
  }

  static void write(cells& text, int at, const std::vector<std::string>& label, span_kind kind) {
    for (const std::string& each : label) {
      if (at >= 0 && at < static_cast<int>(text.size()))
        text[static_cast<std::size_t>(at)] = {each, kind, true};
      ++at;
    }
  }

  std::string finish(const std::string& name, cells text) const {
    while (!text.empty() && text.back().glyph == " ") text.pop_back();
    auto title = characters(name);
    title.resize(static_cast<std::size_t>(name_width_) + 1, " ");
    std::string result;
    for (std::size_t i = 0; i < title.size(); ++i) result += i + 1 == title.size() ? " " : title[i];
    std::string colour;
    for (const cell& each : text) {
      const std::string wanted = how_.colour && each.drawn ? colour_of(each.kind) : "";
      if (wanted != colour) result += (colour.empty() ? "" : "\033[0m") + wanted;
      colour = wanted;
      result += each.glyph;
    }
    if (!colour.empty()) result += "\033[0m";
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  }

  const excerpt& what_;
  style how_;
  const glyphs& glyphs_;
  int name_width_ = 4;
  int columns_ = 0;
  double length_ms_ = 0;
};

}  // namespace

std::vector<std::string> render(const excerpt& what, int width, const style& how) {
  return picture(what, std::max(width, least_width), how).lines();
}

}  // namespace lab::timeline

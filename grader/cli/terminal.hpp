#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// What may be written where: colour, width and characters are found out, never assumed.
namespace lab::cli {

enum class colour { plain, red, green, yellow, blue, grey, bold };

class terminal {
 public:
  /// Of stdout: colour only on a TTY without NO_COLOR; the width from the TTY, else COLUMNS, else 80; block
  /// characters only where the locale's encoding is UTF-8.
  static terminal of_stdout();

  bool colours() const { return colours_; }
  bool unicode() const { return unicode_; }
  int width() const { return width_; }

  std::string paint(std::string_view text, colour how) const;

  /// The text in lines of at most `width` columns, each behind `indent` spaces; line ends in the text stay.
  /// Words longer than a line keep their own.
  std::string wrapped(std::string_view text, int indent, std::string_view first = "") const;

  /// The text with plain letters for what the terminal cannot show.
  std::string shown(std::string_view text) const;

  /// Columns that the text takes, not counting colours.
  static int columns(std::string_view text);

 private:
  bool colours_ = false;
  bool unicode_ = false;
  int width_ = 80;
};

/// One line on stderr that says how far we are, from the first second on, and only on a TTY
/// without NO_COLOR; gone at the end.
class progress_bar {
 public:
  progress_bar(const terminal& output, std::string doing);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// @param done of `total`; 0 of 0 where nobody knows. Safe to call from several threads.
  void advance(int done, int total);
  void now_doing(std::string doing);
  void tick();

 private:
  void draw();

  const terminal& output_;
  std::mutex mutex_;
  std::string doing_;
  std::chrono::steady_clock::time_point start_;
  int done_ = 0;
  int total_ = 0;
  bool visible_ = false;
  bool possible_ = false;
};

}  // namespace lab::cli

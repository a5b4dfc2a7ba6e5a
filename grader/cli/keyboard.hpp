#pragma once

#include <chrono>
#include <deque>

namespace lab::cli {

/// Single keys from the terminal, without Enter and without echo. The terminal gets its old settings back at
/// the end of the scope, while the program is suspended (Ctrl-Z), and when a signal or a crash ends it. One
/// at a time.
class keyboard {
 public:
  static constexpr char redraw = '\f';  ///< Ctrl-L; also what `wait` gives once the program was suspended

  /// Unusable, and harmless, unless stdin and stdout are terminals.
  keyboard();
  ~keyboard();
  keyboard(const keyboard&) = delete;
  keyboard& operator=(const keyboard&) = delete;

  bool usable() const { return usable_; }

  /// The next key, in lower case; 0 when none came in that time. 'q' when the terminal is gone. Suspends the
  /// program when the user has asked for that.
  char wait(std::chrono::milliseconds patience);

  /// The user has pressed Ctrl-Z; the next `wait` suspends the program.
  bool suspension_asked() const;

 private:
  void take();       ///< our settings, where this is the foreground's program
  void give_back();  ///< the old ones
  void suspend();
  void read_keys();
  bool in_sequence(char byte);  ///< of an arrow or function key, which is no letter

  bool usable_ = false;
  bool taken_ = false;
  enum class escape { none, begun, inside } escape_ = escape::none;
  std::deque<char> typed_;
};

}  // namespace lab::cli

#include "keyboard.hpp"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <string_view>
#include <utility>

namespace lab::cli {
namespace {

// What signal handlers need.
termios settings_before;
volatile sig_atomic_t suspension_wanted = 0;
volatile sig_atomic_t was_continued = 0;

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

void restore_and_die(int number) {
  ::signal(SIGTTOU, SIG_IGN);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

bool in_foreground() {
  return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

}  // namespace

keyboard::keyboard() {
  usable_ = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 &&
            ::tcgetattr(STDIN_FILENO, &settings_before) == 0;
  if (!usable_) return;
  suspension_wanted = was_continued = 0;
  handle(SIGTSTP, [](int) { suspension_wanted = 1; });
  handle(SIGCONT, [](int) { was_continued = 1; });
  take();
}

keyboard::~keyboard() {
  if (!usable_) return;
  give_back();
  handle(SIGTSTP, SIG_DFL);
  handle(SIGCONT, SIG_DFL);
}

void keyboard::take() {
  if (!in_foreground()) return;  // changing settings from the background would stop us
  for (const int number : crashes) handle(number, restore_and_die);
  auto settings = settings_before;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  taken_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0;
}

void keyboard::give_back() {
  if (taken_ && in_foreground()) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
  taken_ = false;
  for (const int number : crashes) handle(number, SIG_DFL);
}

bool keyboard::suspension_asked() const {
  return usable_ && suspension_wanted != 0;
}

void keyboard::suspend() {
  give_back();
  handle(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);  // comes back when somebody continues us
  handle(SIGTSTP, [](int) { suspension_wanted = 1; });
  suspension_wanted = 0;
  was_continued = 1;
}

void keyboard::read_keys() {
  std::array<char, 64> bytes{};
  const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) typed_.push_back('q');
  for (const char byte : std::string_view(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0)) {
    if (!in_sequence(byte))
      typed_.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(byte))));
  }
}

bool keyboard::in_sequence(char byte) {
  const auto before = std::exchange(escape_, byte == '\033' ? escape::begun : escape::none);
  if (before == escape::none || byte == '\033') return byte == '\033';
  const bool more = before == escape::begun ? byte == '[' || byte == 'O' : byte < '@';
  if (more) escape_ = escape::inside;
  return true;
}

char keyboard::wait(std::chrono::milliseconds patience) {
  if (suspension_asked()) suspend();
  if (was_continued != 0) {  // whoever had the terminal meanwhile has left it with other settings
    was_continued = 0;
    taken_ = false;
    typed_.push_front(redraw);
  }
  if (usable_ && !taken_) take();
  if (typed_.empty()) {
    pollfd input{taken_ ? STDIN_FILENO : -1, POLLIN, 0};
    if (::poll(&input, 1, static_cast<int>(patience.count())) > 0) read_keys();
  }
  if (typed_.empty()) return 0;
  const char key = typed_.front();
  typed_.pop_front();
  return key;
}

}  // namespace lab::cli

#include <fmt/format.h>

#include <deque>

#include "../grade.hpp"
#include "../keyboard.hpp"
#include "../process.hpp"
#include "../progress.hpp"
#include "../render.hpp"
#include "../watched_file.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks{200};
constexpr std::chrono::milliseconds between_quick_looks{50};  // once something has changed

/// Thrown out of a check that is no longer worth its end.
struct abandoned {};

class watch_session {
 public:
  watch_session(const course& labs, const lab_entry& first) : labs_(labs), reached_(labs.state_folder()) {
    if (!reached_.warning().empty()) fmt::print(stderr, "lab: {}\n", reached_.warning());
    go_to(first);
  }

  /// Until the user quits, or nobody can read what it says.
  void run() {
    while (!quit_ && std::ferror(stdout) == 0) {
      stop_if_interrupted();
      if (const char key = next_key(); key != 0) {
        answer(key);
      } else if (check_wanted_ || content_.changed(content_with_headers(file()), steady::now())) {
        check();
      }
    }
  }

 private:
  fs::path file() const { return labs_.student_file(*lab_); }

  void go_to(const lab_entry& lab) {
    lab_ = &lab;
    labs_.make_student_file(lab);
    content_ = settling_content(content_with_headers(file()));
    check_wanted_ = true;
    verdict_.clear();
  }

  char next_key() {
    if (typed_.empty()) {
      return keys_.wait(check_wanted_       ? std::chrono::milliseconds(0)
                        : content_.moving() ? between_quick_looks
                                            : between_looks);
    }
    const char key = typed_.front();
    typed_.pop_front();
    return key;
  }

  void check() {
    check_wanted_ = false;
    const auto out = terminal::of_stdout();
    try {
      verdict_ = content_.settled().there || fs::exists(file()) ? judged(out) : gone();
    } catch (const abandoned&) {
      reap_strays();
      return;
    } catch (const told_error& error) {
      verdict_ = out.wrapped(error.what(), 0) + "\n";
    }
    show_verdict();
  }

  std::string judged(const terminal& out) {
    const auto content = content_of(file());
    progress_bar bar(out, "lab " + lab_->number);
    grade_request request{lab_, file(), {}, {}, [this] { look_up(); }};
    const auto verdict = grade(labs_, request, &bar);
    keep(reached_, verdict, content);
    return render(verdict, *lab_, out, {}) + way_on(verdict);
  }

  std::string gone() const {
    return fmt::format("{} is gone. To begin with the starter again: {}\n", course::shown(file()),
                       keys_.usable() ? "press r" : "./lab reset " + lab_->number);
  }

  /// While a check is in progress: ends it when the file is another one by now, or a key asks for something
  /// else.
  void look_up() {
    const auto now = steady::now();
    if (now - last_look_ < between_looks) return;
    last_look_ = now;
    if (content_.changed(content_with_headers(file()), now) || keys_.suspension_asked()) {
      check_wanted_ = true;
      throw abandoned();
    }
    const char key = keys_.wait(std::chrono::milliseconds(0));
    if (key == 0) return;
    typed_.push_back(key);
    if (std::string_view("qcnp").find(key) == std::string_view::npos) return;  // it can wait
    check_wanted_ = true;
    throw abandoned();
  }

  /// Where to go from a lab that passes: told, never done unasked.
  std::string way_on(const lab_verdict& verdict) const {
    if (verdict.outcome != outcome::pass || neighbour(1) == nullptr) return "";
    return keys_.usable() ? "The next lab: press n\n"
                          : fmt::format("The next lab: ./lab watch {}\n", neighbour(1)->number);
  }

  const lab_entry* neighbour(int distance) const {
    const auto at = lab_ - labs_.labs().data() + distance;
    const bool exists = at >= 0 && at < static_cast<std::ptrdiff_t>(labs_.labs().size());
    return exists ? lab_ + distance : nullptr;
  }

  void show_verdict() {
    const auto out = terminal::of_stdout();
    if (keys_.usable() && out.colours()) fmt::print("\033[H\033[2J");
    fmt::print("{}{}", verdict_, keys_.usable() ? "" : "\n");
    show_keys(out);
  }

  void show_keys(const terminal& out) const {
    if (keys_.usable())
      fmt::print("\n{}\n",
                 out.paint(out.wrapped(fmt::format("Watching {}: h hint, c check again, q quit, ? help",
                                                   course::shown(file())),
                                       0),
                           colour::grey));
    std::fflush(stdout);
  }

  void answer(char key) {
    const auto out = terminal::of_stdout();
    try {
      if (std::exchange(reset_asked_, false)) {
        // A new content is checked like any other.
        if (key == 'y')
          reset(labs_, lab_->number);
        else
          fmt::print("Not begun again.\n");
        return show_keys(out);
      }
      switch (key) {
        case 'h':
          hint(labs_, out, lab_->number, "");
          break;
        case 'l':
          list_labs(labs_, out);
          break;
        case 'c':
          check_wanted_ = true;
          return;
        case 'r':
          reset_asked_ = true;
          fmt::print("{}\n",
                     out.wrapped(fmt::format("Begin lab {} with the starter again? Your file is kept as a "
                                             "student.cu.bak. y or n",
                                             lab_->number),
                                 0));
          std::fflush(stdout);
          return;
        case 'n':
        case 'p':
          change_lab(key == 'n' ? 1 : -1);
          break;
        case 'q':
          quit_ = true;
          return;
        case '?':
          fmt::print(
              "h  one more hint\nl  the labs and your progress\nc  check again\nr  begin with the starter "
              "again\n"
              "n  the next lab\np  the previous lab\nq  quit\n?  this list\n");
          break;
        case keyboard::redraw:
          if (!check_wanted_) show_verdict();
          return;
        default:
          return;
      }
    } catch (const told_error& error) {
      fmt::print("{}\n", out.wrapped(error.what(), 0));
    }
    if (!check_wanted_) show_keys(out);
  }

  void change_lab(int distance) {
    if (const auto* other = neighbour(distance); other != nullptr) return go_to(*other);
    fmt::print("Lab {} is the {} one.\n", lab_->number, distance > 0 ? "last" : "first");
  }

  const course& labs_;
  progress reached_;
  keyboard keys_;
  const lab_entry* lab_ = nullptr;
  settling_content content_{{}};
  steady::time_point last_look_;
  std::deque<char> typed_;  ///< during a check
  std::string verdict_;     ///< as shown last
  bool check_wanted_ = false;
  bool reset_asked_ = false;
  bool quit_ = false;
};

}  // namespace

int watch(const course& labs, const std::string& lab) {
  require_emulator(labs.tools());
  const auto& first = lab.empty() ? next_lab(labs, progress(labs.state_folder())) : labs.find(lab);
  watch_session(labs, first).run();
  return exit_pass;
}

}  // namespace lab::cli

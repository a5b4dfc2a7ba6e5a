#pragma once

#include <stdexcept>

namespace lab::exercise {

/// The driver and the check do not fit together: a mistake of the lab's author, not of the student.
struct bad_scenario : std::logic_error {
  using std::logic_error::logic_error;
};

/// The exit code of a run whose results could not be sent, because the program closed the channel.
inline constexpr int channel_lost = 119;

/// What the exercise program's main does: runs the scenarios that the grader asks for; or, for authors, under
/// a debugger or compute-sanitizer, one that the command line asks for, and prints its values:
/// `program --run SCENARIO NAME=VALUE...`. With --list it prints the scenarios' names. Returns the exit code;
/// 64 where nobody asked.
int run(int argc, char** argv);

}  // namespace lab::exercise

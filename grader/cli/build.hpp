#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "course.hpp"
#include "files.hpp"

/// From a CUDA source file to a program: for the emulated GPU translate, compile, link; for a real one nvcc
/// does the first two.
namespace lab::cli {

struct build_request {
  fs::path source;    ///< the file that is read
  fs::path shown_as;  ///< the name it has in messages and in the trace; empty: its own
  const lab_entry* lab =
      nullptr;  ///< an exercise, linked with the lab's driver; null: a program with a main() of its own
  cli::device device = device::emulator;  ///< cuda: only where the toolchain has it
};

struct step_times {
  double translate_ms = 0;
  double compile_ms = 0;
  double link_ms = 0;
  bool from_cache = false;
};

struct built_program {
  fs::path executable;  ///< there as long as a copy of this is
  step_times times;
  std::vector<std::string> warnings;  ///< of the compiler, about the source itself, with the line beneath
  std::shared_ptr<const folder_in_use> in_use = {};
};

/// The source is not a program, and what() says why, for the student.
struct does_not_build : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Builds, or finds what was built from the same content before. Blocks; safe to call from several threads
/// and processes. Nothing is left behind when it fails or is interrupted.
/// @throws does_not_build, told_error, interrupted
built_program build(const course& labs, const build_request& what, const std::function<void()>& on_tick = {});

}  // namespace lab::cli

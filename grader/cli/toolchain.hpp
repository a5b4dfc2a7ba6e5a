#pragma once

#include <map>
#include <string>
#include <vector>

#include "files.hpp"

/// What CMake knows and the command needs: compilers, flags, and where the built parts lie.
namespace lab::cli {

/// The built parts of one lab.
struct lab_parts {
  std::vector<fs::path> driver_objects;
  fs::path checks;  ///< the program that judges
};

/// `lab-toolchain.json`, written by cmake/lab_toolchain.cmake.
struct toolchain {
  fs::path source_folder;
  fs::path build_folder;
  std::string version;
  std::string compiler;
  bool clang = false;
  std::vector<std::string> compile_flags;
  std::vector<fs::path> include_folders;
  fs::path precompiled_header;                 ///< what `-include` names; clang reads the .pch beside it
  std::vector<fs::path> exercise_objects;      ///< linked into every exercise, with main
  std::vector<std::string> runtime_libraries;  ///< the emulator, after everything else
  std::vector<std::string> link_flags;
  std::map<std::string, lab_parts> labs;

  /// Differs whenever any built part does, so that programs made with another one are made anew.
  std::string fingerprint() const;
};

/// Reads the file beside the running program's bin/ folder. @throws told_error
toolchain read_toolchain();

}  // namespace lab::cli

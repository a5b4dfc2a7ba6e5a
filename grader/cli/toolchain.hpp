#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"

/// What CMake knows and the command needs: compilers, flags, and where the built parts lie.
namespace lab::cli {

enum class device { emulator, cuda };

/// The built parts of one lab.
struct lab_parts {
  std::vector<fs::path> driver_objects;
  fs::path checks;  ///< the program that judges
};

/// What builds programs for a real GPU.
struct cuda_toolchain {
  std::string nvcc;
  std::vector<std::string> compile_flags;
  std::vector<fs::path> include_folders;
  std::vector<std::string> link_flags;
  std::vector<std::string> runtime_libraries;  ///< the recorder and the CUDA runtime, after everything else
  std::map<std::string, std::vector<fs::path>> driver_objects;  ///< by lab
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
  std::optional<cuda_toolchain> cuda;  ///< where there is a CUDA Toolkit

  /// Differs whenever any built part does, so that programs made with another one are made anew.
  std::string fingerprint() const;
};

/// Reads the file beside the running program's bin/ folder. @throws told_error
toolchain read_toolchain();

}  // namespace lab::cli

#pragma once

#include <string>

#include "files.hpp"

namespace lab::cli {

/// Files of a test, in a folder that goes with it.
struct scratch {
  temporary_folder folder{fs::temp_directory_path()};
  fs::path write(const std::string& name, const std::string& text) const {
    write_atomically(folder.path() / name, text);
    return folder.path() / name;
  }
};

}  // namespace lab::cli

#pragma once

#include <analysis/recording.hpp>

#include "../files.hpp"

namespace lab::cli {

/// Where the program's record goes; has no name, and is gone with us.
class trace_file {
 public:
  trace_file();  ///< @throws told_error
  ~trace_file();
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  int descriptor() const { return descriptor_; }
  /// @throws told_error where the program left none
  analysis::recording read(const fs::path& program, const fs::path& sources) const;

 private:
  int descriptor_;
};

}  // namespace lab::cli

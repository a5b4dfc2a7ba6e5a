#pragma once

#include <chrono>
#include <cstdint>

#include "files.hpp"

/// When has a file changed? By its content alone, read again and again: that works on every file system.
namespace lab::cli {

/// What a source file and the headers of its own folder that it includes say.
struct source_content {
  std::uint64_t hash = 0;
  bool there = false;  ///< the file exists and is not empty

  bool operator==(const source_content& other) const { return hash == other.hash && there == other.there; }
  bool operator!=(const source_content& other) const { return !(*this == other); }
};

/// Never throws: a file that cannot be read has the reason as its content.
source_content content_with_headers(const fs::path& file);

/// Tells a new content from one that is still being written: only what has stayed for a moment counts, and a
/// file that is gone or empty gets longer, as editors replace files in two steps.
class settling_content {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds moment{150};
  static constexpr std::chrono::milliseconds longer{1500};

  explicit settling_content(const source_content& known) : settled_(known), latest_(known) {}

  /// True once for each new content.
  bool changed(const source_content& seen, time_point now);

  const source_content& settled() const { return settled_; }
  bool moving() const { return latest_ != settled_; }  ///< something new was seen, and may still change

 private:
  source_content settled_;
  source_content latest_;
  time_point since_{};
};

}  // namespace lab::cli

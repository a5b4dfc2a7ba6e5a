#include "watched_file.hpp"

#include <set>
#include <sstream>

namespace lab::cli {
namespace {

constexpr std::uintmax_t largest_bytes = 2u << 20;

/// The name in a line `#include "name"`, else nothing.
std::string included_by(const std::string& line) {
  const auto skip = [&](std::size_t from) { return line.find_first_not_of(" \t", from); };
  auto at = skip(0);
  if (at == std::string::npos || line[at] != '#') return "";
  at = skip(at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  at = skip(at + 7);
  if (at == std::string::npos || line[at] != '"') return "";
  const auto end = line.find('"', at + 1);
  return end == std::string::npos ? "" : line.substr(at + 1, end - at - 1);
}

class content_reader {
 public:
  explicit content_reader(const fs::path& file) : folder_(file.parent_path()) {}

  /// Takes the file in, and what it includes.
  void read(const fs::path& file) {
    if (!seen_.insert(file).second) return;
    std::string text;
    try {
      text = read_file(file, largest_bytes);
    } catch (const told_error& error) {
      hash_ = hash_of(error.what(), hash_);
      return;
    }
    hash_ = hash_of(text, hash_of(file.string(), hash_));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto name = included_by(line);
      const auto header = (file.parent_path() / name).lexically_normal();
      const auto below = header.lexically_relative(folder_);
      if (!name.empty() && !below.empty() && *below.begin() != "..") read(header);
    }
  }

  std::uint64_t hash() const { return hash_; }

 private:
  fs::path folder_;
  std::set<fs::path> seen_;
  std::uint64_t hash_ = 0;
};

}  // namespace

source_content content_with_headers(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  const bool empty = fs::is_regular_file(status) && fs::file_size(file, error) == 0;
  content_reader reader(file);
  reader.read(file);
  return {reader.hash(), fs::exists(status) && !empty};
}

bool settling_content::changed(const source_content& seen, time_point now) {
  if (seen != latest_) {
    latest_ = seen;
    since_ = now;
  }
  if (latest_ == settled_ || now - since_ < (latest_.there ? moment : longer)) return false;
  settled_ = latest_;
  return true;
}

}  // namespace lab::cli

#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes.hpp"
#include "source_file.hpp"

/// A source and the headers it reaches: found, translated, rendered.
namespace lab::emulator::translate {

class project {
 public:
  project(std::string text, const std::filesystem::path& source, const options& how);

  result run();

 private:
  struct unit;
  struct edge {
    include_line line;
    unit* target = nullptr;
    bool beside = false;  ///< found in the includer's own folder, which the output does not share
  };
  struct unit {
    unit(const std::filesystem::path& path, const std::string& name, std::string text)
        : file(path, name, std::move(text)) {}
    source_file file;
    std::vector<edge> edges;
    declarations declared;
    edits changes;
    bool has_cuda = false;  ///< else it only needs its includes redirected
    std::string copy_name;  ///< of the translated header; empty: the original serves
  };

  void find_headers();
  edge resolve(const unit& includer, const include_line& line);
  unit* load(const std::filesystem::path& path);
  void settle_states();
  void analyse();
  void translate(unit& u);
  void choose_copies();
  void redirect_includes(unit& u);
  std::string render(const unit& u) const;

  const options& how_;
  std::vector<std::unique_ptr<unit>> units_;  ///< the source first
  std::unordered_map<std::string, unit*> by_path_;
  kernel_table names_;
  bool launches_by_address_ = false;  ///< whether the program may launch kernels by functions
  error_list errors_;
};

/// What diagnostics and #line call the source.
inline std::string name_of(const std::filesystem::path& source, const options& how) {
  return how.source_name.empty() ? source.string() : how.source_name;
}

}  // namespace lab::emulator::translate

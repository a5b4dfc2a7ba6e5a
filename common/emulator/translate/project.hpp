#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fragment.hpp"
#include "kernel_table.hpp"
#include "launches.hpp"

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
    explicit unit(source_file f) : file(std::move(f)) {}
    source_file file;
    std::vector<edge> edges;
    declarations declared;
    edits changes;
    std::string copy_name;  ///< of the translated header; empty: the original serves
    activity state = activity::skipped;
  };

  void find_headers();
  std::vector<edge> resolve(const unit& includer, const std::vector<include_line>& lines);
  edge resolve(const unit& includer, const include_line& line);
  unit* load(const std::filesystem::path& path);
  void settle_states();
  void analyse();
  void translate(unit& u);
  /// The #define lines of the unit whose body holds CUDA syntax.
  std::vector<std::uint32_t> macros_with_cuda(const unit& u) const;
  void translate_macro(unit& u, std::uint32_t index);
  void report_lexical_problems(const unit& u);
  void choose_copies();
  void redirect_includes(unit& u);
  std::string render(const unit& u) const;

  const options& how_;
  std::vector<std::unique_ptr<unit>> units_;  ///< the source first
  std::unordered_map<std::string, unit*> by_path_;
  kernel_table names_;
  macro_arguments passed_;
  error_list errors_;
};

/// The sentence that says why a text cannot be CUDA source, with its offset; empty: it can.
struct unreadable {
  std::string message;
  std::uint32_t offset = 0;
};
unreadable check_text(std::string_view text);

/// The largest source that is read, in bytes.
inline constexpr std::size_t largest_source = std::size_t{16} << 20;

}  // namespace lab::emulator::translate

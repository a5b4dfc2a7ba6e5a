#include "passes.hpp"

#include <algorithm>
#include <tuple>

#include "source_file.hpp"

namespace lab::emulator::translate {

std::string edits::apply(std::string_view text) const {
  std::vector<edit> ordered = list_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const edit& a, const edit& b) { return a.begin < b.begin; });
  std::string edited;
  edited.reserve(text.size() + text.size() / 4);
  std::size_t at = 0;
  for (const edit& e : ordered) {
    if (e.begin < at) continue;  // inside one that was applied
    edited.append(text.substr(at, e.begin - at)).append(e.text);
    at = e.end;
  }
  return edited.append(text.substr(at));
}

void error_list::add(const source_file& file, std::uint32_t offset, activity state, std::string message) {
  if (state != activity::compiled || full()) return;
  const place where = file.place_of(offset);
  errors_.push_back({file.name(), where.line, where.column, std::move(message)});
}

std::vector<diagnostic> error_list::take() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const diagnostic& a, const diagnostic& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  return std::move(errors_);
}

}  // namespace lab::emulator::translate

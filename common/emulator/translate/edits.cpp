#include "edits.hpp"

#include <algorithm>

namespace lab::emulator::translate {

std::string edits::apply(std::string_view text) const {
  std::vector<const edit*> ordered;
  for (const edit& e : list_) ordered.push_back(&e);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const edit* a, const edit* b) { return a->begin < b->begin; });
  std::string edited;
  edited.reserve(text.size() + text.size() / 4);
  std::size_t at = 0;
  for (const edit* e : ordered) {
    if (e->begin < at) continue;  // inside one that was applied
    edited.append(text.substr(at, e->begin - at)).append(e->text);
    at = e->end;
  }
  return edited.append(text.substr(at));
}

}  // namespace lab::emulator::translate

#include "quoted_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace lab::cli {
namespace {

struct named_place {
  trace::sequence when;  ///< the program came there
  std::string name, where;
};

void add_places(std::vector<named_place>& places, const analysis::recording& seen,
                const analysis::hazard& found) {
  const auto add_call = [&](trace::id id, const std::string& name) {
    if (id == 0) return;
    const auto call = seen.call_with_id(id);
    places.push_back({call.raw().begun, name.empty() ? call.name() : name, call.where()});
  };
  const auto add_stream = [&](std::optional<trace::id> stream) {
    if (!stream || *stream == trace::legacy_stream) return;
    add_call(seen.run().streams[*stream - 1].created_by, analysis::stream_text(seen, *stream));
  };
  add_call(seen.run().allocations[found.allocation - 1].allocated_by, "the memory");
  for (const auto* side : {&found.first, &found.second}) {
    places.push_back({side->when, analysis::participant_name(found, *side), side->where});
    add_stream(side->stream);
  }
  for (const trace::id call : {found.edge.record, found.edge.call}) {
    add_call(call, "");
    if (call != 0) add_stream(seen.call_with_id(call).raw().stream);
  }
}

}  // namespace

quoted_lines::quoted_lines(const analysis::recording& seen, const fs::path& sources) : seen_(seen) {
  for (const auto& call : seen.run().calls) {
    for (const auto& frame : call.stack) {
      const fs::path file = frame.file;
      const auto [known, fresh] = files_.try_emplace(file.filename().string());
      if (fresh) known->second = fs::exists(file) ? file : sources / file;
    }
  }
}

std::string quoted_lines::of(const std::vector<analysis::hazard>& found) const {
  std::vector<named_place> places;
  for (const auto& each : found) add_places(places, seen_, each);
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.when < b.when; });
  std::set<std::string> known;
  const auto is_told = [&](const named_place& each) {
    return each.where.empty() || !known.insert(each.where).second;
  };
  places.erase(std::remove_if(places.begin(), places.end(), is_told), places.end());
  std::size_t name_width = 0, place_width = 0;
  for (const auto& each : places) {
    name_width = std::max(name_width, each.name.size());
    place_width = std::max(place_width, each.where.size());
  }
  std::string table;
  for (const auto& [when, name, where] : places) {
    table += fmt::format("     {:<{}}  {:<{}}  {}\n", name, name_width, where, place_width, line_at(where));
  }
  return table;
}

// Without its indentation.
std::string quoted_lines::line_at(const std::string& where) const {
  const auto colon = where.rfind(':');
  const auto file = files_.find(where.substr(0, colon));
  if (file == files_.end()) return "";
  std::ifstream in(file->second);
  std::string line;
  for (int left = std::atoi(where.c_str() + colon + 1); left > 0 && std::getline(in, line);) --left;
  const auto begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

}  // namespace lab::cli

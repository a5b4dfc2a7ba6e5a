#include "quoted_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
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

/// Tells statements apart, line by line.
class statement_reader {
 public:
  /// Whether no statement goes on behind this line, the next one of the file.
  bool ends_in(const std::string& line) {
    const auto first = line.find_first_not_of(" \t");
    if (continues_directive_ || (first != std::string::npos && line[first] == '#')) {
      const auto last = line.find_last_not_of(" \t\r");
      continues_directive_ = last != std::string::npos && line[last] == '\\';
      return true;
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (in_comment_ || line.compare(i, 2, "/*") == 0) {
        const auto end = line.find("*/", in_comment_ ? i : i + 2);
        in_comment_ = end == std::string::npos;
        if (in_comment_) break;
        i = end + 1;
        continue;
      }
      if (line.compare(i, 2, "//") == 0) break;
      const char each = line[i];
      if (std::isspace(static_cast<unsigned char>(each)) != 0) continue;
      const bool separates_digits = each == '\'' && std::isalnum(static_cast<unsigned char>(last_)) != 0;
      if (each == '"' || (each == '\'' && !separates_digits)) i = end_of_literal(line, i);
      open_ += each == '(' || each == '[';
      open_ -= each == ')' || each == ']';
      last_ = each;
    }
    // With a parenthesis ends what is in front of a block, such as `if (...)`, and a macro with its own
    // semicolon.
    const bool ends = last_ == '\0' || std::strchr(";{}:", last_) != nullptr || (last_ == ')' && open_ <= 0);
    if (ends) {
      open_ = 0;
      last_ = '\0';
    }
    return ends;
  }

 private:
  static std::size_t end_of_literal(const std::string& line, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < line.size() && line[end] != line[begin]) end += line[end] == '\\' ? 2 : 1;
    return end;
  }

  int open_ = 0;      // parentheses and brackets
  char last_ = '\0';  // of the statement so far, which is no blank
  bool in_comment_ = false;
  bool continues_directive_ = false;
};

std::size_t indentation_of(const std::string& line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
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
    table += fmt::format("     {:<{}}  {:<{}}", name, name_width, where, place_width);
    std::size_t blanks = 2;
    for (const auto& line : statement_at(where)) {
      table += fmt::format("{:{}}{}\n", "", blanks, line);
      blanks = 5 + name_width + 2 + place_width + 2;  // the next one stands beneath
    }
    if (table.back() != '\n') table += '\n';  // the file is not there
  }
  return table;
}

// Its lines, without blank ones and the indentation of the first. The line of a launch may be that of its
// last argument.
std::vector<std::string> quoted_lines::statement_at(const std::string& where) const {
  constexpr std::size_t most_lines = 4;
  const auto colon = where.rfind(':');
  const auto file = files_.find(where.substr(0, colon));
  if (file == files_.end()) return {};
  const int wanted = std::atoi(where.c_str() + colon + 1);
  std::ifstream in(file->second);
  std::vector<std::string> lines;  // of the statement so far
  statement_reader reader;
  int number = 1;
  bool ends = true, is_reached = false;
  for (std::string line; std::getline(in, line); ++number) {
    if (ends && number <= wanted) lines.clear();
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
    ends = reader.ends_in(line);
    is_reached = is_reached || number == wanted;
    if (number == wanted && lines.size() > most_lines) lines.assign(1, line);
    if (number >= wanted && (ends || lines.size() > most_lines)) break;
  }
  if (!is_reached) return {};
  const bool is_cut = lines.size() > most_lines;
  if (is_cut) lines.resize(most_lines);
  const std::size_t indentation = lines.empty() ? 0 : indentation_of(lines.front());
  for (auto& line : lines) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, std::min(indentation, indentation_of(line)));
  }
  if (is_cut) lines.back() += " ...";
  return lines;
}

}  // namespace lab::cli

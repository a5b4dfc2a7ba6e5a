#include "page.hpp"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "measured.hpp"
#include "page_files.hpp"
#include "text.hpp"

namespace lab::timeline {
namespace {

using nlohmann::json;

const char* kind_name(lane_kind kind) {
  switch (kind) {
    case lane_kind::thread:
      return "thread";
    case lane_kind::stream:
      return "stream";
    case lane_kind::engine:
      return "engine";
  }
  return "";
}

/// Texts by number: many things have the same name.
class texts {
 public:
  std::size_t number(const std::string& text) {
    const auto [known, is_new] = numbers_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return known->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> list_;
};

/// Column by column, which is the shortest and read the fastest.
json items_of(const model& run, texts& strings) {
  enum column { kind, lane, engine, begin, end, name, label, detail, where, cause, flags, columns };
  const char* const names[columns] = {"kind",  "lane",   "engine", "begin", "end",  "name",
                                      "label", "detail", "where",  "cause", "flags"};
  std::vector<std::int64_t> values[columns];
  for (const item& each : run.items) {
    const auto number = [&](const std::string& text) {
      return static_cast<std::int64_t>(strings.number(text));
    };
    values[kind].push_back(static_cast<int>(each.kind));
    values[lane].push_back(each.lane);
    values[engine].push_back(each.engine);
    values[begin].push_back(each.begin);
    values[end].push_back(each.end);
    values[name].push_back(number(each.name));
    values[label].push_back(number(each.label));
    values[detail].push_back(number(each.detail));
    values[where].push_back(number(each.where));
    values[cause].push_back(each.cause == no_item ? -1 : std::int64_t{each.cause});
    values[flags].push_back((each.open ? 1 : 0) + (each.failed ? 2 : 0));
  }
  json result = json::object();
  for (int i = 0; i < columns; ++i) result[names[i]] = values[i];
  return result;
}

json run_of(const model& run) {
  json result{{"title", run.title},       {"caption", run.caption},
              {"device", run.device},     {"emulated", run.emulated},
              {"notices", run.notices},   {"focus", {run.focus.begin, run.focus.end}},
              {"lanes", json::array()},   {"whole", {run.whole.begin, run.whole.end}},
              {"arrows", json::array()},  {"brackets", json::array()},
              {"hazards", json::array()}, {"gaps", json::array()},
              {"marks", json::array()},   {"totals", json::array()}};
  for (std::size_t i = 0; i < mark_kinds; ++i) result["marks"].push_back(mark_name(static_cast<mark>(i)));
  for (const lane& each : run.lanes)
    result["lanes"].push_back({{"kind", kind_name(each.kind)}, {"name", each.name}, {"note", each.note}});
  for (const arrow& each : run.arrows) result["arrows"].push_back({each.from, each.to});
  for (const bracket& each : run.brackets) {
    result["brackets"].push_back({{"lane", each.lane},
                                  {"begin", each.begin},
                                  {"end", each.end},
                                  {"label", each.label},
                                  {"where", each.where},
                                  {"inside", each.inside}});
  }
  for (const hazard_link& each : run.hazards) {
    result["hazards"].push_back(
        {{"first", each.first}, {"second", each.second}, {"what", each.what}, {"text", each.text}});
  }
  for (const analysis::span& each : run.gaps) result["gaps"].push_back({each.begin, each.end});
  for (const total& each : run.totals) result["totals"].push_back({each.name, each.value});
  texts strings;
  result["items"] = items_of(run, strings);
  result["strings"] = strings.list();
  return result;
}

/// As it can stand in a script element: nothing in it ends one.
std::string embedded(const json& of) {
  const std::string text = of.dump(-1, ' ', true, json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

/// Fills in "@NAME@", once over: what is filled in is not looked at again.
std::string filled(std::string_view form, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string result;
  while (!form.empty()) {
    std::size_t first = form.size();
    const std::pair<std::string, std::string>* next = nullptr;
    for (const auto& each : values) {
      const std::size_t at = form.find("@" + each.first + "@");
      if (at < first) first = at, next = &each;
    }
    result += form.substr(0, first);
    if (next == nullptr) break;
    result += next->second;
    form.remove_prefix(first + next->first.size() + 2);
  }
  return result;
}

}  // namespace

std::string page(const std::vector<model>& runs) {
  json record{{"version", 1}, {"rule", rule_of_clock_pairs}, {"runs", json::array()}};
  std::string title = "Timeline";
  for (const model& run : runs) {
    title += (&run == &runs.front() ? " of " : " and ") + run.title;
    record["runs"].push_back(run_of(run));
  }
  using namespace page_files;
  return filled(page_html, {{"TITLE", escaped(title)},
                            {"STYLE", std::string(marks_css) + page_css},
                            {"DARK_STYLE", std::string(marks_dark_css) + page_dark_css},
                            {"PATTERNS", patterns_svg},
                            {"RECORD", embedded(record)},
                            {"SCRIPT", std::string(drawing_js) + page_js}});
}

}  // namespace lab::timeline

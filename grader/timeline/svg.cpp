#include "svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "measured.hpp"
#include "page_files.hpp"
#include "text.hpp"

namespace lab::timeline {
namespace {

using trace::time_ns;

constexpr double width = 1100, left = 158, right = 1084;
constexpr double thread_height = 30, stream_height = 34, engine_height = 15, bracket_height = 24;
constexpr std::size_t most_bracket_rows = 4, most_bands = 4, most_lanes = 24, most_told = 12,
                      most_arrows = 150;
constexpr double letter = 6.8;  // of the small text, about

std::string px(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::size_t letters(const std::string& text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

double wide(const std::string& text) {
  return letter * static_cast<double>(letters(text));
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && letters(lines.back()) + letters(word) + 1 > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

/// The class of a mark, which says its colour and pattern.
std::string class_of(const item& of, const model& in) {
  std::string name = mark_name(of.kind);
  std::replace(name.begin(), name.end(), ' ', '-');
  if (of.kind == mark::copy && of.engine >= 0) {
    const std::string& engine = in.lanes[static_cast<std::size_t>(of.engine)].name;
    if (engine == "copy to device") name += " up";
    if (engine == "copy to host") name += " down";
  }
  return name;
}

class scale {
 public:
  scale(double length_ms) : length_ms_(length_ms) {}
  double x(double ms) const { return left + (right - left) * ms / length_ms_; }
  double length_ms() const { return length_ms_; }

 private:
  double length_ms_;
};

class picture {
 public:
  explicit picture(const std::vector<model>& runs) : runs_(runs), scale_(longest_ms(runs)) {}

  std::string draw() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      draw_run(runs_[i], i);
      y_ += 14;
    }
    draw_legend();
    const std::string height = px(std::ceil(y_));
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + px(width) + " " + height +
           "\" width=\"" + px(width) + "\" height=\"" + height +
           "\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">" + escaped(title()) +
           "</title>\n<style>\n" + page_files::marks_css + "@media (prefers-color-scheme: dark) {\n" +
           page_files::marks_dark_css + "}\n</style>\n" + page_files::patterns_svg +
           "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n" + drawn_ + "</svg>\n";
  }

 private:
  static double longest_ms(const std::vector<model>& runs) {
    double longest = 0.001;
    for (const model& run : runs) longest = std::max(longest, run.focus.milliseconds());
    return longest * 1.03;
  }

  std::string title() const {
    std::string text = "Timeline";
    for (const model& run : runs_) text += (text == "Timeline" ? " of " : " and ") + run.title;
    return text;
  }

  void add(const std::string& element) { drawn_ += element + "\n"; }

  static std::string text_at(double x, double y, const std::string& style, const std::string& content) {
    return "<text class=\"" + style + "\" x=\"" + px(x) + "\" y=\"" + px(y) + "\">" + escaped(content) +
           "</text>";
  }
  void text(double x, double y, const std::string& style, const std::string& content) {
    add(text_at(x, y, style, content));
  }

  void paragraph(const std::string& style, const std::string& content, double indent = 0) {
    for (const auto& line : wrapped(content, 150)) text(16 + indent, y_ += 17, style, line);
  }

  void line(const std::string& style, double x1, double y1, double x2, double y2) {
    add("<path class=\"" + style + "\" d=\"M" + px(x1) + " " + px(y1) + "L" + px(x2) + " " + px(y2) + "\"/>");
  }

  std::string rect(const std::string& style, double x, double y, double w, double h,
                   const std::string& inside = "") {
    return "<rect class=\"" + style + "\" x=\"" + px(x) + "\" y=\"" + px(y) + "\" width=\"" + px(w) +
           "\" height=\"" + px(h) + (inside.empty() ? "\"/>" : "\">" + inside + "</rect>");
  }

  double ms(time_ns time) const { return static_cast<double>(time - run_->focus.begin) / 1e6; }
  double x(time_ns time) const { return std::clamp(scale_.x(ms(time)), left - 4, right + 4); }

  void draw_run(const model& run, std::size_t number) {
    run_ = &run;
    drawn_ += "<g id=\"run-" + std::to_string(number) + "\">\n";
    text(16, y_ += 26, "title", run.title);
    const std::string clock = run.emulated ? "the times are those of a model" : "";
    if (!run.device.empty()) {
      text(16 + 10.4 * static_cast<double>(letters(run.title)) + 20, y_, "note",
           run.device + (clock.empty() ? "" : ": " + clock));
    }
    if (!run.caption.empty()) paragraph("caption", run.caption);
    for (const auto& notice : run.notices) paragraph("notice", notice);
    y_ += 10;
    place_lanes();
    draw_grounds();
    draw_axis();
    draw_bands();
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
      if (shown_[lane]) draw_lane(lane);
    }
    draw_gaps();
    draw_arrows();
    draw_hazards();
    drawn_ += std::exchange(labels_, "");  // above what crosses them
    draw_badges();
    y_ = bottom_ + 6;
    if (left_out_ > 0) paragraph("note", "and " + std::to_string(left_out_) + " lanes more");
    tell();
    drawn_ += "</g>\n";
  }

  /// Those in which something is to be seen.
  void choose_lanes() {
    const model& run = *run_;
    shown_.assign(run.lanes.size(), false);
    for (const item& each : run.items) {
      if (each.end < run.focus.begin || each.begin > run.focus.end) continue;
      shown_[each.lane] = true;
      if (each.engine >= 0) shown_[static_cast<std::size_t>(each.engine)] = true;
    }
    for (const bracket& each : run.brackets) shown_[each.lane] = true;
    left_out_ = 0;
    std::size_t shown = 0;
    for (std::size_t lane = 0; lane < run.lanes.size(); ++lane) {
      if (!shown_[lane] || run.lanes[lane].kind == lane_kind::engine || ++shown <= most_lanes) continue;
      shown_[lane] = false;
      ++left_out_;
    }
  }

  /// Rows for the brackets beneath each lane, as long as there is room for another.
  void place_lanes() {
    const model& run = *run_;
    choose_lanes();
    tops_.assign(run.lanes.size(), 0);
    rows_.assign(run.brackets.size(), most_bracket_rows);
    std::vector<std::vector<double>> ends(run.lanes.size());
    for (std::size_t i = 0; i < run.brackets.size(); ++i) {
      const bracket& each = run.brackets[i];
      auto& lane_ends = ends[each.lane];
      const double label = label_of(each).from;
      const double from = std::min(x(each.begin), label - 2), to = std::max(x(each.end), label_of(each).to);
      const auto room =
          std::find_if(lane_ends.begin(), lane_ends.end(), [&](double end) { return end <= from; });
      const auto row = static_cast<std::size_t>(room - lane_ends.begin());
      if (row >= most_bracket_rows) continue;
      rows_[i] = row;
      if (room == lane_ends.end())
        lane_ends.push_back(to);
      else
        *room = to;
    }
    top_ = y_ + 18;
    double at = top_;
    lane_kind before = lane_kind::engine;
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
      if (!shown_[lane]) continue;
      const lane_kind kind = run.lanes[lane].kind;
      if (kind == lane_kind::engine && before != kind) at += 6;
      before = kind;
      tops_[lane] = at;
      at += height_of(kind) + 4 + bracket_height * static_cast<double>(ends[lane].size());
    }
    bottom_ = at;
  }

  struct label_place {
    double from, to;
    bool behind;
  };
  /// Of a bracket's label: beneath it, or behind it where it is shorter than that.
  label_place label_of(const bracket& of) const {
    const double from = x(of.begin), to = x(of.end), length = wide(of.label) * 1.05;
    const bool behind = to - from < length + 16 && to + length + 8 < right;
    const double at = behind ? to + 6 : std::min(from + 8, right - length);
    return {at, at + length + 8, behind};
  }

  /// Where the next bracket of a row begins.
  double next_in_row(std::size_t number) const {
    double next = right;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bracket &each = run_->brackets[i], &of = run_->brackets[number];
      if (each.lane == of.lane && rows_[i] == rows_[number] && each.begin > of.begin)
        next = std::min(next, x(each.begin));
    }
    return next;
  }

  static double height_of(lane_kind kind) {
    return kind == lane_kind::thread   ? thread_height
           : kind == lane_kind::stream ? stream_height
                                       : engine_height;
  }

  void draw_axis() {
    const double about = scale_.length_ms() / 9, magnitude = std::pow(10, std::floor(std::log10(about)));
    const double step = magnitude * (about / magnitude < 2 ? 2 : about / magnitude < 5 ? 5 : 10);
    for (int i = 0; step * i <= scale_.length_ms(); ++i) {
      const double at = scale_.x(step * i);
      line("tick", at, top_ - 4, at, bottom_);
      if (at < right - 30)
        text(at + 3, top_ - 6, "tick-text", i == 0 ? "0" : analysis::duration_text(step * i));
    }
  }

  void draw_bands() {
    std::size_t bands = 0;
    for (std::size_t i = 0; i < run_->brackets.size() && bands < most_bands; ++i) {
      if (rows_[i] == most_bracket_rows) continue;
      ++bands;
      const double from = x(run_->brackets[i].begin), to = x(run_->brackets[i].end);
      add(rect("band", from, top_, std::max(1.0, to - from), bottom_ - top_));
      line("band-edge", from, top_, from, bottom_);
      line("band-edge", to, top_, to, bottom_);
    }
  }

  void draw_grounds() {
    for (std::size_t lane = 0; lane < run_->lanes.size(); ++lane) {
      const lane_kind kind = run_->lanes[lane].kind;
      if (!shown_[lane]) continue;
      add(rect(kind == lane_kind::thread ? "lane thread" : "lane", left, tops_[lane], right - left,
               height_of(kind)));
    }
  }

  void draw_lane(std::uint32_t lane) {
    const timeline::lane& its = run_->lanes[lane];
    add("<g class=\"row\" data-lane=\"" + std::to_string(lane) + "\">");
    if (its.kind == lane_kind::engine) {
      text(24, tops_[lane] + 12, "small", its.name);
      draw_engine(lane);
    } else {
      const std::string name = shown_text(its.name, 22);
      text(16, tops_[lane] + (its.note.empty() ? 20 : 15), "lane-name", name);
      if (!its.note.empty()) text(16, tops_[lane] + 28, "note", its.note);
      draw_items(lane);
      draw_brackets(lane);
    }
    add("</g>");
  }

  struct drawn_mark {
    double from = 0, to = 0;
    const item* first = nullptr;
    std::size_t count = 1;
    bool alike = true;    // they have one name
    double next = right;  // where the lane's next one that has a label begins
  };

  /// What falls on the same pixels is one mark.
  template <class Wanted>
  std::vector<drawn_mark> marks(Wanted wanted) const {
    std::vector<drawn_mark> result;
    std::map<std::string, std::size_t> last;  // of its class
    // With many lanes there is less to tell apart in each.
    const double apart = std::max(0.5, static_cast<double>(run_->lanes.size()) / 5);
    for (const item& each : run_->items) {
      const bool shown = each.end >= run_->focus.begin && each.begin <= run_->focus.end + 1 && wanted(each);
      if (!shown) continue;
      const double from = x(each.begin), to = std::max(x(each.end), from + 1.5);
      // What is wrong with one of them is not lost among the others.
      const std::string style =
          class_of(each, *run_) + (each.failed ? "!" : "") + (is_in_hazard(each) ? "?" : "");
      const auto before = last.find(style);
      if (before != last.end()) {
        drawn_mark& same = result[before->second];
        if (from < same.to + apart && to - from < 3 && same.to - same.from < 24) {
          same.to = std::max(same.to, to);
          same.alike = same.alike && same.first->label == each.label;
          ++same.count;
          continue;
        }
      }
      last[style] = result.size();
      result.push_back({from, to, &each});
    }
    double next_call = right, next = right;  // calls have their labels at a height of their own
    for (auto each = result.rbegin(); each != result.rend(); ++each) {
      const mark kind = each->first->kind;
      each->next = kind == mark::call ? next_call : next;
      if (kind == mark::call) next_call = each->from;
      if (kind < mark::record && kind != mark::clock_read) next = each->from;
    }
    return result;
  }

  std::string tooltip(const drawn_mark& of) const {
    const item& each = *of.first;
    std::string text = each.name;
    if (of.count > 1) text = std::to_string(of.count) + " marks on the same place, the first: " + text;
    text += ", " + analysis::duration_text(analysis::span{each.begin, each.end}.milliseconds());
    if (!each.where.empty()) text += ", " + each.where;
    if (!each.detail.empty()) text += ", " + each.detail;
    return "<title>" + escaped(text) + "</title>";
  }

  void draw_items(std::uint32_t lane) {
    for (const auto& each : marks([&](const item& of) { return of.lane == lane; })) draw_mark(each, lane);
    last_failure_.clear();
    calls_named_to_ = 0;
  }

  void draw_engine(std::uint32_t lane) {
    const auto here = [&](const item& of) { return of.engine == static_cast<int>(lane); };
    for (const auto& each : marks(here)) {
      drawn_ += rect("mark " + class_of(*each.first, *run_), each.from, tops_[lane] + 3, each.to - each.from,
                     engine_height - 6, tooltip(each)) +
                "\n";
    }
  }

  bool is_in_hazard(const item& of) const {
    const auto number = static_cast<item_number>(&of - run_->items.data());
    return std::any_of(run_->hazards.begin(), run_->hazards.end(), [number](const hazard_link& each) {
      return each.first == number || each.second == number;
    });
  }

  std::string style_of(const drawn_mark& drawn) {
    const item& of = *drawn.first;
    std::string style = "mark " + class_of(of, *run_);
    used_.insert(of.kind == mark::pause ? "blocked" : style == "mark copy" ? "set" : style.substr(5));
    if (of.open) style += " open";
    if (drawn.count > 1 && of.kind >= mark::kernel && of.kind < mark::record) {
      style += " many";
      used_.insert("many");
    }
    if (of.failed) {
      style += " failed";
      used_.insert("failed");
    }
    if (of.where.empty()) {
      style += " theirs";
      used_.insert("theirs");
    }
    return is_in_hazard(of) ? style + " in-hazard" : style;
  }

  void draw_mark(const drawn_mark& of, std::uint32_t lane) {
    const item& each = *of.first;
    const std::string style = style_of(of);
    const double top = tops_[lane], w = of.to - of.from;
    const auto shape = [&](const std::string& path) {
      add("<path class=\"" + style + "\" d=\"" + path + "\">" + tooltip(of) + "</path>");
    };
    const std::string middle = px(of.from);
    switch (each.kind) {
      case mark::record:  // a flag where the device stamped it
        return shape("M" + px(x(each.end) - 1) + " " + px(top + 32) + "v-34h11l-4 4 4 4h-9v26z");
      case mark::clock_read:
        return shape("M" + middle + " " + px(top + 29) + "l-4 -8h8z");
      case mark::access:
        return shape("M" + middle + " " + px(top + 9) + "l6 6 -6 6 -6 -6z");
      case mark::wait: {
        const double to = x(each.end);
        if (to - of.from > 3) drawn_ += rect(style, of.from, top + 10, to - of.from, 14, tooltip(of)) + "\n";
        add("<path class=\"mark wait-end\" d=\"M" + px(to + 1) + " " + px(top + 2) +
            "v34h-11l4 -4 -4 -4h9v-26z\">" + tooltip(of) + "</path>");
        return;
      }
      case mark::call:
        drawn_ += rect(style, of.from, top + 11, w, 8, tooltip(of)) + "\n";
        if (!is_blocked(each)) label(of, top + 9);
        return;
      case mark::blocked:
      case mark::pause:
        drawn_ += rect(style, of.from, top + 5, w, 20, tooltip(of)) + "\n";
        return label(of, top + 21);
      default:
        drawn_ += rect(style, of.from, top + 5, w, stream_height - 10, tooltip(of)) + "\n";
        return label(of, top + 21);
    }
  }

  /// The stretch in which it was blocked has the name.
  bool is_blocked(const item& call) const {
    const auto number = static_cast<std::size_t>(&call - run_->items.data());
    return number + 1 < run_->items.size() && run_->items[number + 1].cause == number;
  }

  /// On the mark, with the time where there is room, or behind it, where nothing else is near; on ground of
  /// its own where a pattern or an arrow may cross it.
  void label(const drawn_mark& of, double baseline) {
    const item& first = *of.first;
    const double room = of.to - of.from - 8;
    const std::string took = analysis::duration_text(analysis::span{first.begin, first.end}.milliseconds());
    const bool several = of.count > 1 && !first.failed;
    if (several && !of.alike) return;
    std::string content = (several ? "×" + std::to_string(of.count) + " " : "") + first.label;
    if (of.count == 1 && wide(content + "  " + took) < room) content += "  " + took;
    const bool failed_call = first.kind == mark::call && first.failed;
    const bool behind = (failed_call && wide(content) >= room) ||
                        (wide(content) >= room && wide(content) + 14 < of.next - of.to);
    if (failed_call && content == last_failure_) return;  // not again and again
    if (!failed_call && wide(content) >= room && !behind) {
      const auto fitting = static_cast<std::size_t>(std::max(0.0, room / letter));
      if (fitting < 5 || first.kind == mark::call) return;  // "cud…" says nothing
      content = shown_text(content, fitting);
    }
    double at = behind ? of.to + 8 : of.from + 5;
    if (first.kind == mark::call) {
      if (failed_call && at + wide(content) > right) {  // is told wherever there is room at all
        const double before = of.from - 8 - wide(content);
        at = before < std::max(left, calls_named_to_) ? right - wide(content) : before;
      }
      if (at < std::max(left, calls_named_to_)) return;
      calls_named_to_ = at + wide(content);
    }
    if (failed_call) last_failure_ = content;
    const bool patterned = first.kind != mark::kernel && (first.kind != mark::call || first.failed);
    if (patterned || behind)
      labels_ += rect("behind-text", at - 2, baseline - 11, wide(content) + 4, 14) + "\n";
    labels_ += text_at(at, baseline, first.failed ? "mark-text failed-text" : "mark-text", content) + "\n";
  }

  void draw_brackets(std::uint32_t lane) {
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < run_->brackets.size(); ++i) {
      const bracket& each = run_->brackets[i];
      if (each.lane != lane) continue;
      if (rows_[i] == most_bracket_rows) {
        ++left_out;
        continue;
      }
      used_.insert("bracket");
      const double y = tops_[lane] + height_of(run_->lanes[lane].kind) + 8 +
                       bracket_height * static_cast<double>(rows_[i]);
      const double from = x(each.begin), to = x(each.end);
      add("<path class=\"bracket\" data-bracket=\"" + std::to_string(i) + "\" d=\"M" + px(from) + " " +
          px(y - 5) + "v10M" + px(from) + " " + px(y) + "H" + px(to) + "M" + px(to) + " " + px(y - 5) +
          "v10\"><title>" + escaped(each.label + ", " + each.where + ", " + each.inside) + "</title></path>");
      const label_place label = label_of(each);
      const double baseline = label.behind ? y + 4 : y + 13;
      text(label.from, baseline, "small bracket-text", each.label);
      if (label.to + wide(each.inside) < next_in_row(i)) text(label.to, baseline, "small", each.inside);
    }
    if (left_out > 0)
      text(16, tops_[lane] + thread_height + 14, "note",
           "and " + std::to_string(left_out) + " intervals more");
  }

  void draw_gaps() {
    std::vector<double> drawn;
    for (std::uint32_t lane = 0; lane < run_->lanes.size(); ++lane) {
      if (!shown_[lane] || run_->lanes[lane].kind != lane_kind::engine) continue;
      double last = 0;
      for (const auto& gap : run_->gaps) {
        const double from = x(gap.begin), to = x(gap.end);
        if (to - from < 3 || to <= left || from >= right || from < last) continue;
        used_.insert("gap");
        line("gap", from + 1, tops_[lane] + 7.5, to - 1, tops_[lane] + 7.5);
        last = to;
      }
    }
  }

  double y_of(const item& of) const {
    return tops_[of.lane] + (run_->lanes[of.lane].kind == lane_kind::thread ? 15 : 17);
  }
  bool is_shown(const item& of) const {
    return shown_[of.lane] && of.end >= run_->focus.begin && of.begin <= run_->focus.end;
  }

  void draw_arrows() {
    std::map<std::array<long, 4>, std::array<double, 4>> places;
    for (const arrow& each : run_->arrows) {
      const item &from = run_->items[each.from], &to = run_->items[each.to];
      if (!is_shown(from) || !is_shown(to)) continue;
      const std::array<double, 4> ends{x(from.end), tops_[from.lane] + 3, x(to.end), y_of(to)};
      places[{std::lround(ends[0] / 3), std::lround(ends[1]), std::lround(ends[2] / 3),
              std::lround(ends[3])}] = ends;
      if (places.size() > most_arrows) return;  // a thicket, and a part of it would mislead
    }
    for (const auto& [place, ends] : places) {
      used_.insert("arrow");
      const auto [x1, y1, x2, y2] = ends;
      const double way = y2 > y1 ? 1 : -1, bend = std::fabs(x2 - x1) / 2;
      add("<path class=\"arrow\" d=\"M" + px(x1) + " " + px(y1) + "C" + px(x1 + bend) + " " + px(y1) + " " +
          px(x2 - bend / 4) + " " + px(y2 - way * 24) + " " + px(x2) + " " + px(y2 - way * 6) + "\"/>");
      add("<path class=\"arrow-head\" d=\"M" + px(x2) + " " + px(y2) + "l-4.5 " + px(-way * 8) + "h9z\"/>");
    }
  }

  /// From where the first ends to where the second begins: the edge that is not there.
  void draw_hazards() {
    drawn_hazards_.clear();
    for (std::size_t i = 0; i < run_->hazards.size() && drawn_hazards_.size() < most_told; ++i) {
      const item &first = run_->items[run_->hazards[i].first], &second = run_->items[run_->hazards[i].second];
      if (!is_shown(first) || !is_shown(second)) continue;
      drawn_hazards_.push_back(i);
      used_.insert("missing");
      const link its = link_of(i);
      add("<path class=\"missing\" d=\"M" + at(its.begin) + "Q" + at(its.bend) + " " + at(its.end) + "\"/>");
      const double way_x = its.end.x - its.bend.x, way_y = its.end.y - its.bend.y;
      const double length = std::max(1.0, std::hypot(way_x, way_y)), dx = way_x / length, dy = way_y / length;
      const point foot{its.end.x - 11 * dx, its.end.y - 11 * dy};
      add("<path class=\"missing-head\" d=\"M" + at(its.end) + "L" + at({foot.x + 5 * dy, foot.y - 5 * dx}) +
          "L" + at({foot.x - 5 * dy, foot.y + 5 * dx}) + "Z\"/>");
    }
  }

  struct point {
    double x, y;
  };
  static std::string at(point place) { return px(place.x) + " " + px(place.y); }

  struct link {
    point begin, bend, end;
    /// @param part of the way
    point after(double part) const {
      const double rest = 1 - part, b = rest * rest, m = 2 * rest * part, e = part * part;
      return {b * begin.x + m * bend.x + e * end.x, b * begin.y + m * bend.y + e * end.y};
    }
  };

  /// Bent to the left, so that one there and one back do not lie on each other.
  link link_of(std::size_t hazard) const {
    const item &first = run_->items[run_->hazards[hazard].first],
               &second = run_->items[run_->hazards[hazard].second];
    const point begin{x(first.end), y_of(first)}, end{x(second.begin), y_of(second)};
    const double dx = end.x - begin.x, dy = end.y - begin.y, length = std::max(1.0, std::hypot(dx, dy));
    const double bent = std::min(14.0, length / 6) / length;
    return {begin, {(begin.x + end.x) / 2 + bent * dy, (begin.y + end.y) / 2 - bent * dx}, end};
  }

  /// The numbers of what is told below, each where it covers no other one.
  void draw_badges() {
    std::vector<point> others;
    for (const std::size_t i : drawn_hazards_) {
      point best{};
      double most = -1;
      const link its = link_of(i);
      const double dx = its.end.x - its.begin.x, dy = its.end.y - its.begin.y;
      const double length = std::max(1.0, std::hypot(dx, dy));
      for (const double beside : {0, 14}) {
        for (const double part : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
          const point on = its.after(part);
          const point here{on.x + beside * dy / length, on.y - beside * dx / length};
          double apart = 20;  // is far enough
          for (const point& other : others)
            apart = std::min(apart, std::hypot(here.x - other.x, here.y - other.y));
          if (apart <= most) continue;
          most = apart;
          best = here;
        }
      }
      others.push_back(best);
      add("<circle class=\"badge\" cx=\"" + px(best.x) + "\" cy=\"" + px(best.y) + "\" r=\"9\"/>");
      text(best.x, best.y + 4, "badge-text", "!" + std::to_string(i + 1));
    }
  }

  void tell() {
    for (const std::size_t i : drawn_hazards_) {
      const auto& each = run_->hazards[i];
      paragraph("hazard-text", "!" + std::to_string(i + 1) + " " + each.what + ": " + each.text);
    }
    if (run_->hazards.size() > drawn_hazards_.size()) {
      paragraph("note", "and " + std::to_string(run_->hazards.size() - drawn_hazards_.size()) +
                            " more that are not ordered, outside of this stretch or too many for it");
    }
    const std::size_t brackets = std::min(run_->brackets.size(), most_told);
    for (std::size_t i = 0; i < brackets; ++i) {
      const bracket& each = run_->brackets[i];
      paragraph("small", "|—| " + each.label + (each.where.empty() ? "" : " (" + each.where + ")") + ", " +
                             each.inside);
    }
  }

  /// What the marks mean, of those that were drawn, in rows.
  void draw_legend() {
    struct sign {
      const char* kind;
      const char* style;
      const char* path;  ///< from its left end; "" for a box
      double width;
      const char* name;
    };
    static const sign signs[] = {
        {"call", "mark call", "", 20, "a call"},
        {"blocked", "mark blocked", "", 20, "the host waits"},
        {"clock-read", "mark clock-read", "m5 1l-4 -8h8z", 10, "clock read"},
        {"access", "mark access", "m0 -4l6 -6 6 6 -6 6z", 12, "the host uses the memory"},
        {"kernel", "mark kernel", "", 20, "kernel"},
        {"copy up", "mark copy up", "", 20, "copy to device"},
        {"copy down", "mark copy down", "", 20, "copy to host"},
        {"set", "mark set", "", 20, "set, copy inside"},
        {"graph", "mark graph", "", 20, "graph launched"},
        {"host-function", "mark host-function", "", 20, "host function"},
        {"memory", "mark memory", "", 20, "allocation in stream order"},
        {"record", "mark record", "m1 4v-16h11l-4 4 4 4h-9v8z", 12, "event recorded"},
        {"wait", "mark wait-end", "m11 -12v16h-11l4 -4 -4 -4h9v-8z", 12, "stream waits for an event"},
        {"arrow", "arrow", "m0 -4h22m-7 -4l7 4 -7 4", 22, "lets the one that waits go on"},
        {"many", "mark kernel many", "", 20, "several, drawn as one"},
        {"failed", "mark call failed", "", 20, "failed"},
        {"bracket", "bracket", "m1 -9v10m0 -5h20m0 -5v10", 22, "measured by the program"},
        {"missing", "missing", "m0 -4h26", 26, "a wait that is missing"},
        {"gap", "gap", "m0 -4h22", 22, "device idle"},
        {"theirs", "mark call theirs", "", 20, "faint: not from this file"}};
    double at = 16;
    y_ += 14;
    add("<g class=\"legend\">");
    for (const sign& each : signs) {
      if (used_.count(each.kind) == 0) continue;
      const double length = each.width + 6 + wide(each.name);
      if (at + length > right) {
        at = 16;
        y_ += 20;
      }
      const std::string path = each.path;
      if (path.empty())
        add(rect(each.style, at, y_ - 10, each.width, 12));
      else
        add("<path class=\"" + std::string(each.style) + "\" d=\"M" + px(at) + " " + px(y_) + path + "\"/>");
      text(at + each.width + 6, y_, "note", each.name);
      at += length + 14;
    }
    add("</g>");
    y_ += 4;
    bool clocks = false;
    for (const model& run : runs_) {
      for (const bracket& each : run.brackets) clocks = clocks || each.label.rfind("clock", 0) == 0;
    }
    if (clocks) paragraph("note", rule_of_clock_pairs);
    y_ += 10;
  }

  const std::vector<model>& runs_;
  scale scale_;
  std::string drawn_, labels_, last_failure_;
  std::set<std::string> used_;  // of what the legend explains
  double y_ = 4, calls_named_to_ = 0;

  const model* run_ = nullptr;
  std::vector<bool> shown_;  // of the lanes
  std::size_t left_out_ = 0;
  std::vector<double> tops_;       // of the lanes
  std::vector<std::size_t> rows_;  // of the brackets
  std::vector<std::size_t> drawn_hazards_;
  double top_ = 0, bottom_ = 0;
};

}  // namespace

std::string svg(const std::vector<model>& runs) {
  return picture(runs).draw();
}

}  // namespace lab::timeline

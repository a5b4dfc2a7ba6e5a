#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <timeline/render.hpp>
#include <timeline/text.hpp>

namespace lab::cli {
namespace {

using timeline::printable;

constexpr int indent = 4;

colour colour_of(outcome what) {
  static constexpr std::array colours{colour::green, colour::red, colour::yellow, colour::grey};
  return colours[static_cast<std::size_t>(what)];
}

std::string timeline_of(const check_verdict& check, const terminal& out) {
  std::string text;
  const auto lines =
      timeline::render(*check.picture, std::max(out.width() - indent, 40), {out.colours(), out.unicode()});
  for (const auto& line : lines) text += std::string(indent, ' ') + line + "\n";
  return "\n" + text + "\n";
}

std::string points_of(const check_verdict& check) {
  return check.max_points == 0 ? "" : fmt::format("{}/{}", check.points, check.max_points);
}

/// "✗ the name, wrapped        0/3"
std::string headline(const check_verdict& check, const terminal& out) {
  const auto points = points_of(check);
  auto text = out.wrapped(check.name, 2, mark(check.outcome, out) + " ");
  const auto last = text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  const int room = std::min(out.width(), 100) - terminal::columns(last) - static_cast<int>(points.size());
  if (points.empty()) return text + "\n";
  if (room < 1) return fmt::format("{}\n{:>{}}\n", text, points, std::min(out.width(), 100));
  return fmt::format("{}{}{}\n", text, std::string(static_cast<std::size_t>(room), ' '), points);
}

std::string times_of(const lab_verdict& verdict) {
  const auto& build = verdict.build;
  const double total = build.translate_ms + build.compile_ms + build.link_ms + verdict.run_ms;
  const auto share = [&](double part) { return total > 0 ? 100 * part / total : 0; };
  if (build.from_cache) return fmt::format("built before; run {:.0f} ms\n", verdict.run_ms);
  return fmt::format(
      "translate {:.0f} ms ({:.0f} %), compile {:.0f} ms ({:.0f} %), link {:.0f} ms ({:.0f} %), run {:.0f} "
      "ms ({:.0f} %)\n",
      build.translate_ms, share(build.translate_ms), build.compile_ms, share(build.compile_ms), build.link_ms,
      share(build.link_ms), verdict.run_ms, share(verdict.run_ms));
}

std::string summary(const lab_verdict& verdict, const terminal& out) {
  const auto passed = std::count_if(verdict.checks.begin(), verdict.checks.end(),
                                    [](const auto& check) { return check.outcome == outcome::pass; });
  return out.paint(fmt::format("{} of {} points", verdict.points(), verdict.max_points()), colour::bold) +
         fmt::format(", {} of {} checks passed\n", passed, verdict.checks.size());
}

}  // namespace

std::string mark(outcome what, const terminal& out) {
  static constexpr std::array marks{"✓", "✗", "!", "–"};
  static constexpr std::array plain{"ok", "x ", "! ", "- "};
  const auto at = static_cast<std::size_t>(what);
  return out.paint(out.unicode() ? marks[at] : plain[at], colour_of(what));
}

std::string render(const lab_verdict& verdict, const lab_entry& lab, const terminal& out,
                   const render_options& how) {
  std::string text =
      out.paint(out.wrapped(fmt::format("Lab {}: {}", lab.number, lab.title), 0), colour::bold) + "\n";
  text += printable(course::shown(verdict.file));
  if (!verdict.device.empty()) text += fmt::format("\n{}, seed {}", verdict.device, verdict.seed);
  text += "\n\n";
  for (const auto& warning : verdict.warnings) text += out.shown(printable(warning)) + "\n\n";
  if (!verdict.message.empty()) {
    // A compiler's lines keep their own shape; sentences are wrapped.
    const std::string message = printable(verdict.message);
    const bool has_code = message.find(" | ") != std::string::npos;
    text +=
        mark(outcome::error, out) + " " + (has_code ? out.shown(message) : out.wrapped(message, 2).substr(2));
    if (text.back() != '\n') text += '\n';
  }
  bool pictured = false;
  for (const auto& check : verdict.checks) {
    text += headline(check, out);
    for (const auto* words : {&check.message, &check.because}) {
      if (!words->empty()) text += out.wrapped(*words, indent) + "\n";
    }
    if (check.picture && (!pictured || how.every_timeline)) {
      text += timeline_of(check, out);
      pictured = true;
    }
  }
  if (!verdict.checks.empty()) text += "\n" + summary(verdict, out);
  if (how.times) text += times_of(verdict);
  if (!how.advise) return text;
  if (verdict.outcome == outcome::pass) {
    text += fmt::format("Done. Compare with the solution: ./lab solution {}\n", lab.number);
  } else if (!verdict.checks.empty()) {
    text += fmt::format("Next hint: ./lab hint {}\n", lab.number);
    const bool has_run = std::any_of(verdict.checks.begin(), verdict.checks.end(),
                                     [](const auto& check) { return check.run.has_value(); });
    const std::string seed = how.seeded ? fmt::format(" --seed {}", verdict.seed) : "";
    if (has_run)
      text += fmt::format("Draw the run that is wrong: ./lab timeline {} --check{}\n", lab.number, seed);
  }
  return text;
}

std::string render_line(const lab_verdict& verdict, const lab_entry& lab, const terminal& out) {
  return fmt::format("{} {:>2}  {}  {}/{} points\n", mark(verdict.outcome, out), lab.number,
                     out.shown(lab.title), verdict.points(), verdict.max_points());
}

}  // namespace lab::cli

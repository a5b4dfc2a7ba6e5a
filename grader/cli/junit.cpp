#include "junit.hpp"

#include <fmt/format.h>

#include <timeline/render.hpp>
#include <timeline/text.hpp>

namespace lab::cli {
namespace {

constexpr const char* whole_file = "the file compiles and can be judged to the end";
constexpr int picture_width = 100;

/// The value of an attribute, which a reader gets back as it was; the text of an element keeps its lines.
std::string escaped(std::string_view text, bool in_attribute = true) {
  std::string xml;
  for (const char c : timeline::escaped(timeline::printable(text))) {
    const bool is_lost = in_attribute && (c == '\t' || c == '\n');
    xml += is_lost ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return xml;
}

struct counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double milliseconds = 0;

  void add(outcome what) {
    ++tests;
    failures += what == outcome::fail ? 1 : 0;
    errors += what == outcome::error ? 1 : 0;
    skipped += what == outcome::not_run ? 1 : 0;
  }
  void add(const counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    milliseconds += other.milliseconds;
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests, failures,
                       errors, skipped, milliseconds / 1000);
  }
};

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", name, escaped(value));
}

/// The message, the explanation and the picture, as `lab check` shows them.
std::string told(const check_verdict& check) {
  std::string text = check.message;
  if (!check.because.empty()) text += (text.empty() ? "" : "\n") + check.because;
  if (!check.picture) return text;
  text += "\n\n";
  for (const auto& line : timeline::render(*check.picture, picture_width, {false, true})) text += line + "\n";
  return text;
}

std::string result_of(const check_verdict& check) {
  const auto message = escaped(check.message.empty() ? check.because : check.message);
  switch (check.outcome) {
    case outcome::pass:
      return "";
    case outcome::not_run:
      return fmt::format("      <skipped message=\"{}\"/>\n", message);
    case outcome::fail:
      return fmt::format("      <failure type=\"fail\" message=\"{}\">{}</failure>\n", message,
                         escaped(told(check), false));
    case outcome::error:
      return fmt::format("      <error type=\"error\" message=\"{}\">{}</error>\n", message,
                         escaped(told(check), false));
  }
  return "";
}

std::string test_case(const std::string& lab, const check_verdict& check) {
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n"
      "      <properties>{}{}</properties>\n{}    </testcase>\n",
      escaped(lab), escaped(check.name), check.milliseconds / 1000,
      property("points", std::to_string(check.points)),
      property("max_points", std::to_string(check.max_points)), result_of(check));
}

std::string test_suite(const lab_verdict& verdict, counts& total) {
  counts own;
  std::string cases;
  const auto add = [&](const check_verdict& check) {
    own.add(check.outcome);
    cases += test_case(verdict.lab, check);
  };
  if (!verdict.message.empty()) {
    check_verdict whole;
    whole.name = whole_file;
    whole.outcome = verdict.outcome == outcome::not_run ? outcome::not_run : outcome::error;
    whole.message = verdict.message;
    add(whole);
  }
  for (const auto& check : verdict.checks) add(check);
  own.milliseconds =
      verdict.build.translate_ms + verdict.build.compile_ms + verdict.build.link_ms + verdict.run_ms;
  total.add(own);
  std::string properties;
  const std::vector<std::pair<const char*, std::string>> all{
      {"file", verdict.file.string()},
      {"outcome", std::string(name_of(verdict.outcome))},
      {"points", std::to_string(verdict.points())},
      {"max_points", std::to_string(verdict.max_points())},
      {"device", verdict.device},
      {"seed", std::to_string(verdict.seed)},
      {"traces", std::to_string(verdict.traces)}};
  for (const auto& [name, value] : all) properties += "      " + property(name, value) + "\n";
  std::string warnings;
  for (const auto& warning : verdict.warnings) warnings += warning + "\n";
  if (!warnings.empty()) warnings = "    <system-out>" + escaped(warnings, false) + "</system-out>\n";
  return fmt::format(
      "  <testsuite name=\"{}\" {}>\n    <properties>\n{}    </properties>\n{}{}  </testsuite>\n",
      escaped(verdict.lab), own.attributes(), properties, cases, warnings);
}

}  // namespace

std::string to_junit(const std::vector<lab_verdict>& verdicts) {
  counts total;
  std::string suites;
  for (const auto& verdict : verdicts) suites += test_suite(verdict, total);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"CUDA Event Labs\" "
      "{}>\n{}</testsuites>\n",
      total.attributes(), suites);
}

}  // namespace lab::cli

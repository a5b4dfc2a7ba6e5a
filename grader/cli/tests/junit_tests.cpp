#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "junit.hpp"

using namespace lab::cli;

namespace {

struct element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<element> children;

  std::vector<const element*> all(const std::string& wanted) const {
    std::vector<const element*> found;
    for (const auto& child : children) {
      if (child.name == wanted) found.push_back(&child);
    }
    return found;
  }
  std::string property(const std::string& wanted) const {
    for (const auto* list : all("properties")) {
      for (const auto* each : list->all("property")) {
        if (each->attributes.at("name") == wanted) return each->attributes.at("value");
      }
    }
    return "none";
  }
};

/// Reads XML 1.0 as far as a report needs it, strictly: elements, attributes, text, the five entities and
/// characters by number. @throws std::runtime_error where it is not well-formed
class xml_reader {
 public:
  explicit xml_reader(std::string_view text) : rest_(text) {}

  element document() {
    for (const unsigned char c : rest_)
      require(c >= 0x20 || c == '\n' || c == '\t', "a bare control character");
    take("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    skip_space();
    auto root = read_element();
    skip_space();
    require(rest_.empty(), "something behind the root");
    return root;
  }

 private:
  static void require(bool so, const std::string& what) {
    if (!so) throw std::runtime_error("not well-formed: " + what);
  }
  bool starts(std::string_view with) const { return rest_.substr(0, with.size()) == with; }
  void take(std::string_view what) {
    require(starts(what),
            "no \"" + std::string(what) + "\" before \"" + std::string(rest_.substr(0, 30)) + "\"");
    rest_.remove_prefix(what.size());
  }
  bool skip_space() {
    const auto end = std::min(rest_.find_first_not_of(" \n"), rest_.size());
    rest_.remove_prefix(end);
    return end > 0;
  }
  std::string name() {
    std::string read;
    while (!rest_.empty() && (std::isalpha(static_cast<unsigned char>(rest_[0])) != 0 || rest_[0] == '-')) {
      read += rest_[0];
      rest_.remove_prefix(1);
    }
    require(!read.empty() && read[0] != '-', "no name");
    return read;
  }
  /// Characters up to one of `ends`, entities resolved.
  std::string characters(std::string_view ends) {
    std::string read;
    while (!rest_.empty() && ends.find(rest_[0]) == std::string_view::npos) {
      require(rest_[0] != '<', "a bare <");
      if (rest_[0] == '&') {
        const auto end = rest_.find(';');
        require(end != std::string_view::npos, "a bare &");
        read += entity(std::string(rest_.substr(1, end - 1)));
        rest_.remove_prefix(end + 1);
      } else {
        read += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    return read;
  }
  static char entity(const std::string& what) {
    static const std::map<std::string, char> known{{"amp", '&'}, {"lt", '<'},   {"gt", '>'},  {"quot", '"'},
                                                   {"#9", '\t'}, {"#10", '\n'}, {"#39", '\''}};
    require(known.count(what) != 0, "an entity &" + what + ";");
    return known.at(what);
  }
  element read_element() {
    element read;
    take("<");
    read.name = name();
    while (skip_space() && !starts(">") && !starts("/>")) {
      const auto key = name();
      take("=\"");
      require(read.attributes.emplace(key, characters("\"")).second, "an attribute twice");
      take("\"");
    }
    if (starts("/>")) {
      take("/>");
      return read;
    }
    take(">");
    while (!starts("</")) {
      if (starts("<")) {
        read.children.push_back(read_element());
      } else {
        require(!rest_.empty(), "no end of <" + read.name + ">");
        read.text += characters("<");
      }
    }
    take("</" + read.name + ">");
    return read;
  }

  std::string_view rest_;
};

element read(const std::vector<lab_verdict>& verdicts) {
  const auto text = to_junit(verdicts);
  return xml_reader(text).document();
}

check_verdict check_of(const std::string& name, outcome what, const std::string& message = "",
                       const std::string& because = "") {
  return {name, what, what == outcome::pass ? 2 : 0, 2, message, because, {}, 12.5};
}

/// One check for each outcome.
lab_verdict four_outcomes() {
  lab_verdict verdict;
  verdict.lab = "01_first";
  verdict.file = "/home/ada/student.cu";
  verdict.outcome = outcome::error;
  verdict.device = "emulated T4, virtual time";
  verdict.seed = 7;
  verdict.traces = 99;
  verdict.build.compile_ms = 200;
  verdict.run_ms = 50;
  verdict.checks = {check_of("passes", outcome::pass),
                    check_of("fails", outcome::fail, "it was 1", "look there"),
                    check_of("crashes", outcome::error, "it crashed"),
                    check_of("waits", outcome::not_run, "", "needs \"fails\"")};
  return verdict;
}

std::string counts_of(const element& suite) {
  std::string text;
  for (const auto* name : {"tests", "failures", "errors", "skipped"}) text += suite.attributes.at(name) + " ";
  return text;
}

}  // namespace

TEST_CASE("junit: the four outcomes, counted in each suite and in all") {
  auto second = four_outcomes();
  second.lab = "02_second";
  second.checks.pop_back();
  const auto root = read({four_outcomes(), second});
  CHECK(root.name == "testsuites");
  CHECK(counts_of(root) == "7 2 2 1 ");
  CHECK(root.attributes.at("time") == "0.500");
  const auto suites = root.all("testsuite");
  REQUIRE(suites.size() == 2);
  CHECK(suites[0]->attributes.at("name") == "01_first");
  CHECK(counts_of(*suites[0]) == "4 1 1 1 ");
  CHECK(counts_of(*suites[1]) == "3 1 1 0 ");
  CHECK(suites[0]->attributes.at("time") == "0.250");
  CHECK(suites[0]->property("points") == "2");
  CHECK(suites[0]->property("max_points") == "8");
  CHECK(suites[0]->property("seed") == "7");
  const auto cases = suites[0]->all("testcase");
  REQUIRE(cases.size() == 4);
  for (const auto* each : cases) {
    const auto results =
        each->all("failure").size() + each->all("error").size() + each->all("skipped").size();
    CHECK(results == (each->attributes.at("name") == "passes" ? 0 : 1));
    CHECK(each->attributes.at("classname") == "01_first");
    CHECK(each->property("max_points") == "2");
    CHECK(each->attributes.at("time") == "0.013");
  }
  CHECK(cases[0]->property("points") == "2");
  REQUIRE(cases[1]->all("failure").size() == 1);
  CHECK(cases[1]->all("failure")[0]->attributes.at("message") == "it was 1");
  CHECK(cases[1]->all("failure")[0]->text == "it was 1\nlook there");
  REQUIRE(cases[2]->all("error").size() == 1);
  CHECK(cases[2]->all("error")[0]->attributes.at("message") == "it crashed");
  REQUIRE(cases[3]->all("skipped").size() == 1);
  CHECK(cases[3]->all("skipped")[0]->attributes.at("message") == "needs \"fails\"");
}

TEST_CASE("junit: a file that cannot be judged is one test case in error") {
  lab_verdict verdict;
  verdict.lab = "01_first";
  verdict.outcome = outcome::error;
  verdict.message = "student.cu:3:1: error: expected ';'\n    3 | int x\n      | ^";
  verdict.warnings = {"student.cu:2:1: warning: a < b > c"};
  const auto root = read({verdict});
  CHECK(counts_of(root) == "1 0 1 0 ");
  const auto* suite = root.all("testsuite").at(0);
  const auto* only = suite->all("testcase").at(0);
  CHECK(only->attributes.at("name") == "the file compiles and can be judged to the end");
  CHECK(only->all("error").at(0)->text == verdict.message);
  CHECK(only->all("error").at(0)->attributes.at("message") == verdict.message);
  CHECK(suite->all("system-out").at(0)->text == verdict.warnings[0] + "\n");
}

TEST_CASE("junit: any bytes give well-formed XML, and what can be shown comes back as it was") {
  const std::string sayable = "a<b>&\"'\t\n]]> µ 8192³ \xf0\x9f\x98\x80 &amp; <![CDATA[";
  auto verdict = four_outcomes();
  verdict.checks[1] = check_of(sayable, outcome::fail, sayable);
  auto root = read({verdict});
  const auto* failed = root.all("testsuite").at(0)->all("testcase").at(1);
  CHECK(failed->attributes.at("name") == sayable);
  CHECK(failed->all("failure").at(0)->attributes.at("message") == sayable);
  CHECK(failed->all("failure").at(0)->text == sayable);

  using namespace std::string_literals;
  for (const auto& unsayable :
       {"\0"s, "\x1b"s, "\x0b"s, "\r"s, "\xff"s, "\xc3"s, "\x80"s, "\xc0\x80"s, "\xe0\x80\x80"s,
        "\xed\xa0\x80"s, "\xef\xbf\xbe"s, "\xef\xbf\xbf"s, "\xf4\x90\x80\x80"s, "\xf0\x80\x80\x80"s}) {
    verdict.file = "/tmp/" + unsayable;
    verdict.checks[1] = check_of("x", outcome::fail, "before" + unsayable + "after");
    root = read({verdict});
    std::string expected = "before";
    for (const unsigned char byte : unsayable) expected += fmt::format("\\x{:02x}", byte);
    CHECK(root.all("testsuite").at(0)->all("testcase").at(1)->all("failure").at(0)->text ==
          expected + "after");
  }
}

TEST_CASE("junit: the timeline is in the failure's text, without colours") {
  auto verdict = four_outcomes();
  verdict.checks[1].picture = lab::timeline::excerpt{
      0, 5, {{"stream <1>", {{lab::timeline::span_kind::kernel, 0, 5, "spin \x1b[31m", ""}}}}};
  const auto root = read({verdict});
  const auto text = root.all("testsuite").at(0)->all("testcase").at(1)->all("failure").at(0)->text;
  CHECK(text.find("it was 1\nlook there\n\n") == 0);
  CHECK(text.find("stream <1>") != std::string::npos);
}

TEST_CASE("junit: no lab is an empty document") {
  const auto root = read({});
  CHECK(counts_of(root) == "0 0 0 0 ");
  CHECK(root.children.empty());
}

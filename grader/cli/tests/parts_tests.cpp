#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "hints.hpp"
#include "mutations.hpp"
#include "planted.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "scratch.hpp"
#include "terminal.hpp"

using namespace lab::cli;

namespace {

/// A terminal with a certain width and locale, which it learns from the environment.
terminal terminal_with(const char* columns, const char* locale) {
  ::setenv("COLUMNS", columns, 1);
  ::setenv("LC_ALL", locale, 1);
  return terminal::of_stdout();
}

lab_verdict verdict_of(const std::string& lab, outcome what) {
  lab_verdict verdict;
  verdict.lab = lab;
  verdict.outcome = what;
  verdict.checks.push_back({"a check", what, what == outcome::pass ? 3 : 0, 3, "", "", {}, 0});
  return verdict;
}

}  // namespace

TEST_CASE("text is wrapped to the width, and its own line ends stay") {
  const auto narrow = terminal_with("40", "C.UTF-8");
  CHECK(narrow.wrapped("one two three four five six seven eight nine", 4) ==
        "    one two three four five six seven\n    eight nine");
  CHECK(narrow.wrapped("a\nb", 2) == "  a\n  b");
  CHECK(narrow.wrapped(std::string(50, 'x') + " y", 0) == std::string(50, 'x') + "\ny");
}

TEST_CASE("without UTF-8 there are plain letters only") {
  const auto plain = terminal_with("80", "C");
  CHECK(plain.shown("6 µs – 8192³ ≈ 17 ms … ☃") == "6 us - 8192^3 ~ 17 ms ... ?");
  CHECK(terminal_with("80", "de_DE.utf8").shown("µ") == "µ");
}

TEST_CASE("hints: sections, numbered stages, paragraphs and code within them") {
  const scratch files;
  const auto file = files.write("hints.md",
                                "# Hints\n\nintroduction\n\n## first check\n\n1. vague\n   more\n2. "
                                "clear\n\n   ```cpp\n   1. code\n   ```\n\n"
                                "## second check\n\nonly one stage\n");
  const auto all = read_hints(file);
  REQUIRE(all.size() == 2);
  CHECK(all[0].check == "first check");
  REQUIRE(all[0].stages.size() == 2);
  CHECK(all[0].stages[0] == "vague more");
  CHECK(all[0].stages[1] == "clear\n\n```cpp\n1. code\n```");
  CHECK(all[1].stages == std::vector<std::string>{"only one stage"});
}

TEST_CASE("a wrong program without its header is named") {
  const scratch files;
  files.write("wrong/a.patch", "check: some check\nphrase: some phrase\nwhy\n\ndiff --git a/x b/x\n");
  const auto planted = planted_in(files.folder.path() / "wrong", true);
  REQUIRE(planted.size() == 1);
  CHECK(planted[0].check == "some check");
  CHECK(planted[0].phrase == "some phrase");
  files.write("wrong/b.patch", "check: some check\ndiff --git a/x b/x\nphrase: too late\n");
  CHECK_THROWS_WITH_AS(planted_in(files.folder.path() / "wrong", true),
                       doctest::Contains("b.patch lacks the line \"phrase"), told_error);
}

TEST_CASE("each wait and edge is deleted, and waits are put before each submission up to the last") {
  const scratch files;
  const auto plan = mutation_plan_in(
      files.write("plan.txt",
                  "# a comment\ndelete: cudaEventRecord cudaStreamWaitEvent\ninsert: wait(1);\n"
                  "forbidden by: some check\nharmless: insert * before cudaMemcpyAsync(a*: why: because\n"));
  CHECK(plan.forbidding_check == "some check");
  const auto made = mutations_of(
      "  setup();\n"
      "  if (ok) status = cudaMemcpyAsync(a, b);  // cudaEventRecord(x)\n"
      "  if (ok) status = cudaEventRecord(done,\n"
      "                                   one);\n"
      "  if (ok) {\n"
      "    status = cudaStreamWaitEvent(two, done);\n"
      "  }\n"
      "  scale<<<1, 1, 0, two>>>(a);\n"
      "  cudaEventRecord(last, two);\n",
      plan);
  std::vector<std::string> names;
  for (const auto& each : made) names.push_back(each.name);
  CHECK(names ==
        std::vector<std::string>{"delete cudaEventRecord(done, one)", "delete cudaStreamWaitEvent(two, done)",
                                 "delete cudaEventRecord(last, two)",
                                 "delete cudaEventRecord(done, one) and cudaStreamWaitEvent(two, done)",
                                 "insert wait(1); before cudaMemcpyAsync(a, b)",
                                 "insert wait(1); before cudaEventRecord(done, one)",
                                 "insert wait(1); before cudaStreamWaitEvent(two, done)",
                                 "insert wait(1); before scale<<<1, 1, 0, two>>>(a)"});
  CHECK(made[0].text.find("record") == std::string::npos);
  CHECK(made[3].text.find("  if (ok) {\n\n  }\n") != std::string::npos);
  CHECK(made[6].text.find("  if (ok) {\nwait(1);     status = cudaStreamWaitEvent") != std::string::npos);
  CHECK(made[6].call == "wait");
  CHECK(plan.harmless.at(0).covers(made[4]));
  CHECK(plan.harmless.at(0).reason == "why: because");
  CHECK_FALSE(plan.harmless.at(0).covers(made[5]));
  for (const char* wrong : {"delete\n", "harmless: no reason\n", "remove: f\n", "x"}) {
    CHECK_THROWS_AS(mutation_plan_in(files.write("wrong.txt", wrong)), told_error);
  }
}

TEST_CASE("excluded pairs need a reason") {
  const scratch files;
  const auto good = files.write("good.txt", "# comment\n\none + two: two hides one\n");
  const auto pairs = excluded_pairs_in(good);
  REQUIRE(pairs.size() == 1);
  const planted_program one{"one.patch", "", ""}, two{"two.patch", "", ""}, three{"three.patch", "", ""};
  CHECK(pairs[0].covers(two, one));
  CHECK_FALSE(pairs[0].covers(one, three));
  CHECK(pairs[0].reason == "two hides one");
  CHECK_THROWS_AS(excluded_pairs_in(files.write("bad.txt", "one + two\n")), told_error);
  CHECK(excluded_pairs_in(files.folder.path() / "missing.txt").empty());
}

TEST_CASE("pairs: of different checks, not excluded, and always the same choice") {
  const std::vector<planted_program> wrong{{"a.patch", "first", ""},
                                           {"b.patch", "first", ""},
                                           {"c.patch", "second", ""},
                                           {"d.patch", "third", ""},
                                           {"e.cu", "fourth", ""}};
  CHECK(pairs_of(wrong, {}, 100).size() == 5);  // a+c a+d b+c b+d c+d
  CHECK(pairs_of(wrong, {{"*", "d", "hidden"}}, 100).size() == 2);
  const auto some = pairs_of(wrong, {}, 2);
  REQUIRE(some.size() == 2);
  CHECK(some[0].one == pairs_of(wrong, {}, 2)[0].one);
}

TEST_CASE("progress: what was passed stays passed, also when the file breaks later") {
  const scratch files;
  {
    progress reached(files.folder.path());
    reached.record(verdict_of("01_x", outcome::pass), "good content");
    auto broken = verdict_of("01_x", outcome::error);
    broken.checks.clear();
    reached.record(broken, "broken content");
    reached.record_hint("01_x", "a check", 2);
  }
  const progress again(files.folder.path());
  const auto& lab = again.of("01_x");
  CHECK(lab.passed_content == "good content");
  CHECK(lab.content == "broken content");
  CHECK(lab.outcome == "error");
  CHECK(lab.points == 3);
  CHECK(lab.hints.at("a check") == 2);
  CHECK(again.of("02_y").outcome.empty());
}

TEST_CASE("progress that cannot be understood is kept aside, said, and started anew") {
  const scratch files;
  for (const auto* nonsense :
       {"{\"labs\": {\"01_x\": {\"points\": 3", "", "[]", "{\"labs\": {\"01_x\": 7}}"}) {
    files.write("progress.json", nonsense);
    progress reached(files.folder.path());
    CHECK(reached.warning().find("kept as") != std::string::npos);
    CHECK(read_file(files.folder.path() / "progress.json.unreadable") == nonsense);
    reached.record(verdict_of("01_x", outcome::pass), "content");
    CHECK(progress(files.folder.path()).of("01_x").points == 3);
  }
}

TEST_CASE("the worst outcome of several") {
  CHECK(worst_of(outcome::pass, outcome::not_run) == outcome::not_run);
  CHECK(worst_of(outcome::fail, outcome::not_run) == outcome::fail);
  CHECK(worst_of(outcome::fail, outcome::error) == outcome::error);
  CHECK(exit_code_of(outcome::not_run) == 3);
}

TEST_CASE("a child is bounded in time and output, and its own children go with it") {
  command flood;
  flood.arguments = {"sh", "-c", "yes"};
  flood.time_limit = std::chrono::milliseconds(300);
  flood.output_limit_bytes = 1000;
  const auto flooded = run(flood);
  CHECK(flooded.timed_out);
  CHECK(flooded.output.size() == 1000);

  command parent;
  parent.arguments = {"sh", "-c", "sleep 1000 & echo $!; exit 3"};
  const auto ended = run(parent);
  CHECK(ended.exit_code == 3);
  const fs::path grandchild = "/proc/" + ended.output.substr(0, ended.output.find('\n')) + "/stat";
  const auto alive = [&] {
    std::ifstream status(grandchild);
    const std::string text((std::istreambuf_iterator<char>(status)), {});
    return !text.empty() && text.find(") Z ") == std::string::npos;
  };
  for (int tries = 0; alive() && tries < 200; ++tries) ::usleep(10'000);  // killed, and on its way out
  CHECK_FALSE(alive());

  command nobody;
  nobody.arguments = {"/no/such/program"};
  CHECK_THROWS_AS(run(nobody), told_error);
}

TEST_CASE("report lines arrive whole, the last one also without its end") {
  command child;
  std::vector<std::string> lines;
  child.arguments = {"sh", "-c", "printf 'one\\ntw' >&\"$1\"; sleep 0.05; printf 'o\\nthree' >&\"$1\"", "sh",
                     "{report}"};
  child.on_report_line = [&](std::string_view line) { lines.emplace_back(line); };
  CHECK(run(child).exit_code == 0);
  CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("a folder in use is not removed") {
  const scratch files;
  const auto folder = files.folder.path() / "used";
  make_folder(folder / "inside");
  {
    const folder_in_use one(folder), other(folder);
    remove_unless_used(folder);
    CHECK(fs::exists(folder / "inside"));
  }
  remove_unless_used(folder);
  CHECK_FALSE(fs::exists(folder));
  const folder_in_use nothing(folder);
  remove_unless_used(folder);
}

TEST_CASE("what a killed process left is removed, what a living one makes is not") {
  const scratch files;
  const auto& parent = files.folder.path();
  make_folder(parent / ".making-999999999-0");
  const temporary_folder living(parent);
  remove_abandoned(parent);
  CHECK_FALSE(fs::exists(parent / ".making-999999999-0"));
  CHECK(fs::exists(living.path()));
}

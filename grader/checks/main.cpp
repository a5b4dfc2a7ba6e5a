#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // it would take SIGINT and SIGTERM for crashes
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "check.hpp"
#include "session.hpp"

/// The main of every checks program:
///     checks_NN_topic --exercise PROGRAM [--on-gpu PROGRAM] [--seed N] [--report-fd FD] [--only NAME] |
///     --list
/// With LAB_COMPARE_DEVICES set, for authors: each run on a real GPU must be as on the emulated one.
/// Exit code: 0 when the report is complete, whatever it says; 64 for wrong arguments, 70 for a lab that is
/// wrong in itself, 74 where the report cannot be written, 130 when interrupted. The verdicts are in the
/// report alone.
namespace lab::checks {
namespace {

/// Turns doctest's events into a session's: its assertions fail the check in progress.
struct listener : doctest::IReporter {
  explicit listener(const doctest::ContextOptions&) {}

  void log_assert(const doctest::AssertData& assertion) override {
    if (!assertion.m_failed) return;
    std::string text = contexts();
    if (text.empty()) text = std::string(assertion.m_expr) + " does not hold: " + assertion.m_decomp.c_str();
    if (assertion.m_threw) text = std::string(assertion.m_expr) + " threw: " + assertion.m_exception.c_str();
    current_session().assertion_failed(text);
  }
  void log_message(const doctest::MessageData& message) override {
    if (message.m_severity != doctest::assertType::is_warn) {
      current_session().assertion_failed(message.m_string.c_str());
    }
  }
  void test_case_exception(const doctest::TestCaseException& thrown) override {
    current_session().judging_failed(thrown.error_string.c_str());
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override { current_session().finish_check(); }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static std::string contexts() {
    std::string text;
    for (int i = 0; i < get_num_active_contexts(); ++i) {
      std::ostringstream stream;
      get_active_contexts()[i]->stringify(&stream);
      text += (text.empty() ? "" : "; ") + stream.str();
    }
    return text;
  }
};

const check* find_check(const std::string& name) {
  for (const auto& each : all_checks()) {
    if (each->name == name) return each.get();
  }
  return nullptr;
}

/// A sentence about what is wrong with the lab's checks themselves, or "".
std::string mistake_in_checks() {
  std::set<std::string> earlier;
  for (const auto& each : all_checks()) {
    for (const std::string& name : each->needed) {
      if (earlier.count(name) == 0) {
        return "the check \"" + each->name + "\" needs \"" + name +
               "\", which is not the name of an earlier check";
      }
    }
    if (!earlier.insert(each->name).second) return "two checks have the name \"" + each->name + "\"";
  }
  return earlier.empty() ? "this program has no checks" : "";
}

void add_with_needs(const check& which, std::set<std::string>& selected) {
  if (!selected.insert(which.name).second) return;
  for (const std::string& name : which.needed) add_with_needs(*find_check(name), selected);
}

int fail_with(int code, const std::string& message) {
  std::cerr << "lab: " << message << "\n";
  return code;
}

/// A sentence about a file that is there and no program, or "": lines are looked up in it, so that a script
/// which starts the program does not stand in for it.
std::string why_no_program(const std::string& file) {
  std::ifstream opened(file, std::ios::binary);
  char magic[4] = {};
  if (!opened.read(magic, sizeof magic) && opened.gcount() == 0) return "";  // to start it tells why
  if (std::string_view(magic, sizeof magic) ==
      "\x7f"
      "ELF")
    return "";
  return file +
         " is no compiled program. Name the exercise program itself and no script that starts it: the lines "
         "of its source are looked up in it";
}

void run_all() {
  doctest::Context context;
  context.setOption("reporters", "lab");
  context.setOption("order-by", "file");
  context.setOption("no-path-filenames", true);
  std::ostringstream nowhere;  // nothing that doctest itself would print is part of the verdict
  context.setCout(&nowhere);
  context.run();
}

// "checks_01_timing_pitfalls" judges the lab 01_timing_pitfalls.
std::string lab_name(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  const std::string prefix = "checks_";
  return name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
}

struct grading_options {
  std::string program;
  std::string gpu_program;
  std::string only;
  std::uint64_t seed = 1;
  int report_descriptor = 1;
};

int grade(const std::string& lab, const grading_options& options) {
  std::set<std::string> wanted;
  if (!options.only.empty()) {
    const check* found = find_check(options.only);
    if (found == nullptr)
      return fail_with(64, "there is no check \"" + options.only + "\"; --list shows them all");
    add_with_needs(*found, wanted);
  }
  std::vector<const check*> selected;
  for (const auto& each : all_checks()) {
    if (wanted.empty() || wanted.count(each->name) > 0) selected.push_back(each.get());
  }
  report to(options.report_descriptor, lab, options.seed);
  session grading(std::filesystem::absolute(options.program), options.seed, to);
  if (std::getenv("LAB_COMPARE_DEVICES") != nullptr) grading.compare_devices();
  if (!options.gpu_program.empty()) grading.use_gpu(std::filesystem::absolute(options.gpu_program));
  grading.select(selected);
  set_current_session(&grading);
  to.begin(selected);
  run_all();
  if (grading.was_interrupted()) return 130;
  to.end();
  return 0;
}

}  // namespace
}  // namespace lab::checks

REGISTER_REPORTER("lab", 1, lab::checks::listener);

int main(int argc, char** argv) {
  using namespace lab::checks;
  const std::string lab = lab_name(argv[0]);
  CLI::App app{"Judges an exercise program of the lab " + lab + "."};
  grading_options options;
  bool list = false;
  app.add_option("--exercise", options.program, "the exercise program");
  app.add_option("--on-gpu", options.gpu_program,
                 "the same for a real GPU, for a lab that can be judged there");
  app.add_option("--seed", options.seed, "picks the fresh inputs")->capture_default_str();
  app.add_option("--report-fd", options.report_descriptor, "the descriptor to write the report to")
      ->capture_default_str();
  app.add_option("--only", options.only, "judge this check alone, and those that it needs");
  app.add_flag("--list", list, "print the names of the checks");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 64;
  }
  if (const std::string mistake = mistake_in_checks(); !mistake.empty()) return fail_with(70, mistake);
  if (list) {
    for (const auto& each : all_checks()) std::cout << each->name << "\n";
    return 0;
  }
  if (options.program.empty()) return fail_with(64, "--exercise PROGRAM is missing");
  if (app.count("--on-gpu") > 0 && options.gpu_program.empty())
    return fail_with(64, "--on-gpu names no program");
  for (const std::string& program : {options.program, options.gpu_program}) {
    if (const std::string why = program.empty() ? "" : why_no_program(program); !why.empty())
      return fail_with(64, why);
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, [](int) { request_stop(); });
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return grade(lab, options);
  } catch (const std::system_error& problem) {
    return fail_with(74, problem.what());
  }
}

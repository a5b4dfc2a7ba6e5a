#include "grade.hpp"

#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <timeline/text.hpp>

#include "process.hpp"

namespace lab::cli {
namespace {

using nlohmann::json;

// The emulator's own budgets end a program long before; this is for a grader that hangs. For a real GPU it
// may have to wait.
constexpr std::chrono::minutes longest_judgement{10}, longest_judgement_on_gpu{60};

outcome outcome_named(const std::string& name) {
  for (const auto each : {outcome::pass, outcome::fail, outcome::error, outcome::not_run}) {
    if (name_of(each) == name) return each;
  }
  throw told_error("The checks reported an outcome \"" + name + "\" that nobody knows.", exit_error);
}

/// Reads the lines that grader/checks/report.hpp describes.
class report_reader {
 public:
  report_reader(lab_verdict& verdict, std::function<void(const std::string&)> now_doing)
      : verdict_(verdict), now_doing_(std::move(now_doing)) {}

  void read(std::string_view line) {
    const auto entry = json::parse(line);
    const std::string type = entry.at("type");
    if (type == "begin") {
      for (const auto& check : entry.at("checks")) {
        verdict_.checks.push_back({check.at("name"),
                                   outcome::error,
                                   0,
                                   check.at("points"),
                                   "the grader ended before it came to this check",
                                   "",
                                   {},
                                   0});
      }
    } else if (type == "device") {
      verdict_.device = entry.at("name");
    } else if (type == "waiting") {
      now_doing_("waiting, " + entry.at("because").get<std::string>() + ": lab ");
    } else if (type == "check") {
      check_verdict& check = find(entry.at("name"));
      check.outcome = outcome_named(entry.at("outcome"));
      check.points = entry.at("points");
      check.message = entry.at("message");
      check.because = entry.at("because");
      check.milliseconds = entry.at("milliseconds");
      if (!entry.at("timeline").is_null()) check.picture = entry.at("timeline").get<timeline::excerpt>();
      if (!entry.at("run").is_null()) check.run = entry.at("run").get<checks::judged_run>();
      ++judged_;
      now_doing_("checking lab ");
    } else if (type == "end") {
      ended_ = true;
      verdict_.traces = entry.at("traces");
    }
  }

  int judged() const { return judged_; }
  bool complete() const {
    return ended_ && judged_ == static_cast<int>(verdict_.checks.size()) && judged_ > 0;
  }

 private:
  check_verdict& find(const std::string& name) {
    for (auto& check : verdict_.checks) {
      if (check.name == name) return check;
    }
    throw told_error("The checks reported \"" + name + "\", which is not in their manifest.", exit_error);
  }

  lab_verdict& verdict_;
  std::function<void(const std::string&)> now_doing_;
  int judged_ = 0;
  bool ended_ = false;
};

/// @param for_gpu the program for a real GPU, where one is used
void judge(const course& labs, const grade_request& what, const fs::path& program, const fs::path& for_gpu,
           lab_verdict& verdict, progress_bar* bar, const std::function<void()>& on_tick) {
  const auto& checks = labs.tools().labs.at(what.lab->name).checks;
  const auto scratch = labs.tools().build_folder / "runs";
  make_folder(scratch);
  remove_abandoned(scratch);
  const temporary_folder work(scratch);
  report_reader report(verdict, [&](const std::string& doing) {
    if (bar != nullptr) bar->now_doing(doing + what.lab->number);
  });
  std::string trouble;
  command judge;
  judge.arguments = {checks.string(), "--exercise", program.string(), "--seed", std::to_string(verdict.seed),
                     "--report-fd",   "{report}"};
  if (!for_gpu.empty()) judge.arguments.insert(judge.arguments.end(), {"--on-gpu", for_gpu.string()});
  judge.environment = {{"TMPDIR", work.path().string()}};
  judge.time_limit = for_gpu.empty() ? longest_judgement : longest_judgement_on_gpu;
  judge.grace = std::chrono::seconds(3);
  judge.on_report_line = [&](std::string_view line) {
    try {
      report.read(line);
    } catch (const std::exception& error) {
      if (trouble.empty()) trouble = error.what();
    }
    if (bar != nullptr) bar->advance(report.judged(), static_cast<int>(verdict.checks.size()));
  };
  judge.on_tick = on_tick;
  const auto ended = run(judge);
  reap_strays();
  if (!trouble.empty())
    throw told_error("The report of " + checks.string() + " makes no sense: " + trouble, exit_error);
  if (report.complete()) return;
  if (verdict.checks.empty()) {
    throw told_error(fmt::format("{} judged nothing ({}): {}", checks.string(),
                                 ended.timed_out     ? "it was stopped because it did not end"
                                 : ended.signal != 0 ? fmt::format("signal {}", ended.signal)
                                                     : fmt::format("exit code {}", ended.exit_code),
                                 timeline::printable(ended.errors.substr(0, 500))),
                     exit_error);
  }
  verdict.message =
      ended.signal == SIGKILL
          ? "The grader was killed before it had judged everything: by the program that it "
            "judged, or by the system because memory ran out."
          : "The grader ended before it had judged everything. Please report it, with this file.";
}

}  // namespace

lab_verdict grade(const course& labs, const grade_request& what, progress_bar* bar) {
  lab_verdict verdict;
  verdict.lab = what.lab->name;
  const auto on_tick = [&] {
    if (bar != nullptr) bar->tick();
    if (what.meanwhile) what.meanwhile();
  };
  verdict.file = what.shown_as.empty() ? fs::absolute(what.file).lexically_normal() : what.shown_as;
  try {
    if (bar != nullptr) bar->now_doing("building " + verdict.file.filename().string());
    const auto program = build(labs, {what.file, what.shown_as, what.lab}, on_tick);
    built_program for_gpu;
    if (what.device == device::cuda) {
      for_gpu = build(labs, {what.file, what.shown_as, what.lab, device::cuda}, on_tick);
    } else if (std::getenv("LAB_EMULATED_LOAD") != nullptr) {
      for_gpu = program;  // the emulated GPU of a busy machine stands in for a real one
    }
    verdict.build = program.times;
    verdict.warnings = program.warnings;
    verdict.seed = what.seed.value_or(hash_of(what.lab->name, hash_of(read_file(what.file))) >> 32);
    if (bar != nullptr) bar->now_doing("checking lab " + what.lab->number);
    const auto start = std::chrono::steady_clock::now();
    judge(labs, what, program.executable, for_gpu.executable, verdict, bar, on_tick);
    verdict.run_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  } catch (const does_not_build& error) {
    verdict.message = error.what();
  } catch (const disk_full&) {
    throw;
  } catch (const told_error& error) {
    if (error.exit_code == exit_misuse) throw;
    verdict.message = error.what();
  }
  verdict.outcome = verdict.message.empty() ? outcome::pass : outcome::error;
  for (const auto& check : verdict.checks) verdict.outcome = worst_of(verdict.outcome, check.outcome);
  return verdict;
}

}  // namespace lab::cli

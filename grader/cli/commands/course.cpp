#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "../grade.hpp"
#include "../hints.hpp"
#include "../mutations.hpp"
#include "../patch.hpp"
#include "../planted.hpp"
#include "../process.hpp"
#include "../render.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

/// One thing that must be so; `test` gives what is wrong instead, or nothing.
struct course_case {
  std::string name;
  std::function<std::string()> test;
};

const check_verdict* find(const lab_verdict& verdict, const std::string& check) {
  for (const auto& each : verdict.checks) {
    if (each.name == check) return &each;
  }
  return nullptr;
}

/// What each check that did not pass said, for the author of a test that is red.
std::string told(const lab_verdict& verdict) {
  std::string text = verdict.message.empty() ? "" : " " + verdict.message;
  for (const auto& check : verdict.checks) {
    if (check.outcome == outcome::pass) continue;
    text += fmt::format("\n      {}: {}: {} {}", name_of(check.outcome), check.name, check.message,
                        check.because);
  }
  return text.empty() ? " everything passed" : text;
}

std::string must_pass(const lab_verdict& verdict) {
  if (!verdict.warnings.empty()) return "draws a warning from the compiler: " + verdict.warnings.front();
  if (verdict.outcome == outcome::pass && verdict.points() == verdict.max_points() &&
      verdict.max_points() > 0)
    return "";
  return fmt::format("should pass, but got {} of {} points:{}", verdict.points(), verdict.max_points(),
                     told(verdict));
}

/// A starter teaches nothing by crashing: it runs, and expectations tell what is missing.
std::string must_fail_by_assertion(const lab_verdict& verdict) {
  bool error = !verdict.message.empty();
  for (const auto& check : verdict.checks) error = error || check.outcome == outcome::error;
  if (!verdict.warnings.empty()) return "draws a warning from the compiler: " + verdict.warnings.front();
  if (!error && verdict.outcome == outcome::fail) return "";
  return "should fail by assertion alone:" + told(verdict);
}

std::string must_be_stopped(const lab_verdict& verdict, const planted_program& wrong) {
  const auto* check = find(verdict, wrong.check);
  if (check == nullptr) {
    return fmt::format("names a check that does not exist, \"{}\"{}", wrong.check,
                       verdict.checks.empty() ? ":" + told(verdict) : "");
  }
  const bool stopped = check->outcome == outcome::fail || check->outcome == outcome::error;
  if (!stopped) return fmt::format("is not stopped by \"{}\":{}", wrong.check, told(verdict));
  for (const auto* words : {&check->message, &check->because}) {
    if (words->find(wrong.phrase) != std::string::npos) return "";
  }
  return fmt::format("is stopped by \"{}\", but without the phrase \"{}\":{}", wrong.check, wrong.phrase,
                     told(verdict));
}

/// What a missing wait does is shown, in whichever check meets it.
std::string must_be_proved(const lab_verdict& verdict) {
  const bool shown = std::any_of(verdict.checks.begin(), verdict.checks.end(), [](const auto& check) {
    return check.outcome == outcome::fail && check.because.rfind("Proof: ", 0) == 0;
  });
  return shown ? "" : "is not shown to change a value:" + told(verdict);
}

/// A check that needs the one that stopped `other` says so, and nothing of its own.
bool hidden_behind(const lab_verdict& verdict, const planted_program& one, const planted_program& other) {
  const auto* check = find(verdict, one.check);
  return check != nullptr && check->outcome == outcome::not_run &&
         check->because.find(other.check) != std::string::npos;
}

class lab_test {
 public:
  lab_test(const course& labs, const lab_entry& lab, device where)
      : labs_(labs), lab_(lab), where_(where), folder_(labs.checks_folder(lab)) {
    wrong_ = planted_in(folder_ / "wrong", true);
    right_ = planted_in(folder_ / "right", false);
  }

  std::vector<course_case> cases(std::size_t pairs, bool mutations) {
    std::vector<course_case> all{
        {"solution", [this] { return must_pass(judged(labs_.solution(lab_))); }},
        {"starter", [this] { return must_fail_by_assertion(judged(labs_.starter(lab_))); }},
        {"hints.md", [this] { return hints_match(); }},
        {"starter.cu", [this] { return gaps_are_marked(); }},
    };
    for (const auto& program : right_) {
      all.push_back(
          {"right/" + program.file.filename().string(), [&] { return must_pass(judged(program)); }});
    }
    for (const auto& program : wrong_) {
      all.push_back({"wrong/" + program.file.filename().string(),
                     [&] { return must_be_stopped(judged(program), program); }});
    }
    if (pairs > 0) add_pairs(all, pairs);
    if (mutations) add_mutations(all);
    return all;
  }

  int combined() const { return combined_; }
  int not_combinable() const { return not_combinable_; }
  std::size_t mutations() const { return mutations_; }
  std::size_t wrong() const { return wrong_.size(); }
  std::size_t right() const { return right_.size(); }

 private:
  lab_verdict judged(const fs::path& file, const fs::path& shown_as = {}) const {
    return grade(labs_, {&lab_, file, shown_as, std::nullopt, where_});
  }

  lab_verdict judged(const mutation& made) const {
    const scratch_solution changed(labs_, lab_, made.text);
    return judged(changed.file(), labs_.solution(lab_));
  }

  lab_verdict judged(const planted_program& program) const {
    if (!program.is_patch()) return judged(program.file);
    const patched_solution patched(labs_, lab_, program.file);
    return judged(patched.file(), labs_.solution(lab_));
  }

  /// One gap, one "// TODO:"; more than five are no longer one idea.
  std::string gaps_are_marked() const {
    const auto text = read_file(labs_.starter(lab_));
    int gaps = 0;
    for (auto at = text.find("// TODO:"); at != std::string::npos; at = text.find("// TODO:", at + 1)) ++gaps;
    return gaps >= 1 && gaps <= 5
               ? ""
               : fmt::format("has {} gaps marked \"// TODO:\"; one to five are right", gaps);
  }

  /// Hints are found by the check's name, so a heading that names none would never be seen.
  std::string hints_match() const {
    const auto verdict = judged(labs_.solution(lab_));
    for (const auto& hints : read_hints(labs_.hints(lab_))) {
      if (find(verdict, hints.check) == nullptr)
        return fmt::format("has a heading that is no check's name: \"{}\"", hints.check);
      if (hints.stages.empty()) return fmt::format("says nothing under \"{}\"", hints.check);
    }
    const auto all = read_hints(labs_.hints(lab_));
    for (const auto& check : verdict.checks) {
      const bool there =
          std::any_of(all.begin(), all.end(), [&](const auto& hints) { return hints.check == check.name; });
      if (!there) return fmt::format("has no heading \"{}\"", check.name);
    }
    return "";
  }

  void add_pairs(std::vector<course_case>& all, std::size_t limit) {
    const auto excluded = excluded_pairs_in(folder_ / "wrong" / "pairs-excluded.txt");
    for (const auto& pair : excluded) {
      const auto covered = [&](const planted_program& one) {
        return std::any_of(wrong_.begin(), wrong_.end(),
                           [&](const auto& other) { return pair.covers(one, other); });
      };
      if (std::any_of(wrong_.begin(), wrong_.end(), covered)) continue;
      all.push_back({"wrong/pairs-excluded.txt",
                     [pair] { return fmt::format("names no patches: {} + {}", pair.one, pair.other); }});
    }
    for (const auto& pair : pairs_of(wrong_, excluded, limit)) {
      const auto name =
          fmt::format("{} + {}", pair.one->file.stem().string(), pair.other->file.stem().string());
      all.push_back({name, [this, pair] { return both_told(*pair.one, *pair.other); }});
    }
  }

  void add_mutations(std::vector<course_case>& all) {
    const auto plan = mutation_plan_in(folder_ / "mutations.txt");
    const auto mutations = mutations_of(read_file(labs_.solution(lab_)), plan);
    mutations_ = mutations.size();
    for (const auto& each : plan.harmless) {
      const auto covered = [&](const mutation& made) { return each.covers(made); };
      if (std::any_of(mutations.begin(), mutations.end(), covered)) continue;
      all.push_back({"mutations.txt", [each] { return "calls harmless what is not tried: " + each.name; }});
    }
    for (const auto& made : mutations) {
      const bool harmless = std::any_of(plan.harmless.begin(), plan.harmless.end(),
                                        [&](const auto& each) { return each.covers(made); });
      all.push_back({made.name, [this, made, harmless, check = plan.forbidding_check] {
                       const auto verdict = judged(made);
                       if (harmless) return must_pass(verdict);
                       if (made.what == mutation::kind::deletion) return must_be_proved(verdict);
                       return must_be_stopped(verdict, {{}, check, made.call});
                     }});
    }
  }

  /// Both mistakes in one file, by a three-way merge; two that touch the same lines cannot be in one file.
  std::string both_told(const planted_program& one, const planted_program& other) {
    const patched_solution first(labs_, lab_, one.file);
    const patched_solution second(labs_, lab_, other.file);
    command merge;
    merge.arguments = {"git",
                       "merge-file",
                       "--quiet",
                       "--stdout",
                       first.file().string(),
                       labs_.solution(lab_).string(),
                       second.file().string()};
    const auto merged = run(merge);
    if (!merged.succeeded()) {
      ++not_combinable_;
      return "";
    }
    ++combined_;
    write_atomically(first.file(), merged.output);
    const auto verdict = judged(first.file(), labs_.solution(lab_));
    auto trouble = hidden_behind(verdict, one, other) ? "" : must_be_stopped(verdict, one);
    if (trouble.empty() && !hidden_behind(verdict, other, one)) trouble = must_be_stopped(verdict, other);
    return trouble;
  }

  const course& labs_;
  const lab_entry& lab_;
  device where_;
  fs::path folder_;
  std::vector<planted_program> wrong_, right_;
  std::atomic<int> combined_{0}, not_combinable_{0};
  std::size_t mutations_ = 0;
};

/// On a real GPU programs take turns, and more of them would only wait.
unsigned usual_jobs(device where) {
  return where == device::cuda ? 4 : std::max(2u, std::thread::hardware_concurrency());
}

/// Runs the cases, so many at the same time; the results in the order of the cases, empty where all is as it
/// must be. `on_result` is told of each as it comes.
std::vector<std::string> run_all(const std::vector<course_case>& cases, unsigned jobs, progress_bar& bar,
                                 const std::function<void(std::size_t, const std::string&)>& on_result) {
  std::vector<std::string> troubles(cases.size());
  std::atomic<std::size_t> next{0};
  int done = 0;
  std::mutex result_mutex;
  std::exception_ptr stop;  // what ends everything: the user, or a full disk
  std::mutex stop_mutex;
  const auto stopped = [&] {
    const std::lock_guard hold(stop_mutex);
    return stop != nullptr;
  };
  const auto give_up = [&] {
    const std::lock_guard hold(stop_mutex);
    stop = std::current_exception();
  };
  const auto work = [&] {
    for (std::size_t at; !stopped() && (at = next++) < cases.size();) {
      try {
        troubles[at] = cases[at].test();
      } catch (const interrupted&) {
        return give_up();
      } catch (const disk_full&) {
        return give_up();
      } catch (const std::exception& error) {
        troubles[at] = error.what();
      }
      const std::lock_guard hold(result_mutex);
      on_result(at, troubles[at]);
      bar.advance(++done, static_cast<int>(cases.size()));
    }
  };
  std::vector<std::thread> workers;
  for (unsigned worker = 1; worker < jobs; ++worker) workers.emplace_back(work);
  work();
  for (auto& worker : workers) worker.join();
  if (stop) std::rethrow_exception(stop);
  return troubles;
}

/// The cases that were asked for, and always the first, without which nothing else says anything.
void choose(std::vector<course_case>& cases, const course_options& options) {
  unsigned part = 1, parts = 1;
  if (!options.part.empty() && std::sscanf(options.part.c_str(), "%u/%u", &part, &parts) != 2) return;
  std::size_t number = 0;
  const auto is_unwanted = [&](const course_case& each) {
    return each.name.find(options.only) == std::string::npos || ++number % parts != part % parts;
  };
  cases.erase(std::remove_if(cases.begin() + 1, cases.end(), is_unwanted), cases.end());
  if (number == 0 && cases.front().name.find(options.only) == std::string::npos) {
    throw told_error("No case has \"" + options.only + "\" in its name; --verbose shows the names.",
                     exit_misuse);
  }
}

bool test_lab(const course& labs, const lab_entry& lab, const terminal& out, const course_options& options) {
  const device where = wanted_device(labs.tools(), "", exit_not_run);
  lab_test test(labs, lab, where);
  auto cases = test.cases(options.pairs, options.mutations);
  choose(cases, options);
  if (const auto trouble = cases.front().test(); !trouble.empty()) {  // then nothing else says anything
    fmt::print("{} {}: {} {}\n", mark(outcome::fail, out), lab.name, cases.front().name, trouble);
    return false;
  }
  const auto tell = [&](std::size_t at, const std::string& trouble) {
    fmt::print("{} {}: {}{}{}\n", mark(trouble.empty() ? outcome::pass : outcome::fail, out), lab.name,
               cases[at].name, trouble.empty() ? "" : " ", trouble);
    std::fflush(stdout);
  };
  std::vector<std::string> troubles;
  {
    progress_bar bar(out, "course " + lab.number);
    troubles = run_all(cases, options.jobs > 0 ? options.jobs : usual_jobs(where), bar,
                       [&](std::size_t at, const std::string& trouble) {
                         if (options.verbose) tell(at, trouble);
                       });
  }
  std::size_t red = 0;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    if (troubles[at].empty()) continue;
    ++red;
    if (!options.verbose) tell(at, troubles[at]);
  }
  fmt::print("{}{}: {} of {} cases as they must be", lab.name,
             options.part.empty() ? "" : ", part " + options.part, cases.size() - red, cases.size());
  if (options.part.empty() && options.only.empty()) {
    fmt::print("; {} wrong, {} right, {} pairs of mistakes ({} more touch the same lines), {} mutations",
               test.wrong(), test.right(), test.combined(), test.not_combinable(), test.mutations());
  }
  fmt::print("\n");
  return red == 0;
}

}  // namespace

int test_course(const course& labs, const terminal& out, const course_options& options) {
  bool good = true;
  if (options.labs.empty()) {
    for (const auto& lab : labs.labs()) good = test_lab(labs, lab, out, options) && good;
  }
  for (const auto& name : options.labs) good = test_lab(labs, labs.find(name), out, options) && good;
  return good ? exit_pass : exit_fail;
}

}  // namespace lab::cli

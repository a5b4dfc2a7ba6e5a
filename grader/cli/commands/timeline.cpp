#include <fmt/format.h>

#include <algorithm>
#include <analysis/witness.hpp>
#include <cctype>
#include <checks/gpu.hpp>
#include <checks/observe.hpp>
#include <cmath>
#include <csignal>
#include <mutex>
#include <optional>
#include <timeline/text.hpp>

#include "../build.hpp"
#include "../grade.hpp"
#include "../hints.hpp"
#include "../patch.hpp"
#include "../pictures.hpp"
#include "../process.hpp"
#include "../terminal.hpp"
#include "commands.hpp"
#include "timeline_file.hpp"

namespace lab::cli {
namespace {

/// While it lives, a signal ends the run that is being observed.
class stop_on_signal {
 public:
  stop_on_signal() {
    for (std::size_t i = 0; i < std::size(signals); ++i) before_[i] = std::signal(signals[i], &stop);
  }
  ~stop_on_signal() {
    for (std::size_t i = 0; i < std::size(signals); ++i) std::signal(signals[i], before_[i]);
  }
  stop_on_signal(const stop_on_signal&) = delete;
  stop_on_signal& operator=(const stop_on_signal&) = delete;

  static int received() { return received_; }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  static void stop(int number) {
    received_ = number;
    checks::request_stop();
  }

  static inline volatile std::sig_atomic_t received_ = 0;
  void (*before_[std::size(signals)])(int) = {};
};

/// The runs that are drawn, of programs for either device.
class observer {
 public:
  observer(const course& labs, const lab_entry& lab, progress_bar& bar) : labs_(labs), lab_(lab), bar_(bar) {}

  checks::observation observe(const fs::path& file, const checks::judged_run& wanted) {
    bar_.now_doing("building " + file.filename().string());
    const built_program built = build_it(file, wanted.on_gpu ? device::cuda : device::emulator);
    bar_.now_doing("drawing lab " + lab_.number);
    const stop_on_signal while_it_runs;
    try {
      if (!wanted.on_gpu) return checks::run_exercise(built.executable, wanted.asked);
      checks::gpu alone([&](const std::string& holder) {
        bar_.now_doing("waiting, another grading uses the GPU" + holder + ": lab " + lab_.number);
      });
      const std::lock_guard in_turn(alone);
      bar_.now_doing("drawing lab " + lab_.number);
      return checks::run_exercise(built.executable, wanted.asked, {}, alone.environment());
    } catch (const checks::interrupted&) {
      throw interrupted{stop_on_signal::received()};
    }
  }

 private:
  built_program build_it(const fs::path& file, device where) const {
    try {
      return build(labs_, {file, {}, &lab_, where}, [this] { bar_.tick(); });
    } catch (const does_not_build& error) {
      throw told_error(error.what(), exit_error);
    }
  }

  const course& labs_;
  const lab_entry& lab_;
  progress_bar& bar_;
};

timeline::model drawn(const checks::observation& seen, const std::string& title, const std::string& caption) {
  timeline::model made = seen.has_trace
                             ? timeline::make_timeline(seen.trace, title, caption)
                             : timeline::without_record(title, "The program left no record of what it did.");
  const std::string ending = timeline::shown_text(seen.sentence(), 600);
  auto& notices = made.notices;
  const bool told = std::find(notices.begin(), notices.end(), ending) != notices.end();
  if (seen.how != checks::ending::returned && !told) notices.insert(notices.begin(), ending);
  return made;
}

/// What is drawn, and the words beneath it.
struct chosen_run {
  checks::judged_run run;
  std::string caption;
};

const lab_picture& picture_named(const std::vector<lab_picture>& pictures, const std::string& name) {
  std::string known;
  for (const auto& each : pictures) {
    if (name.empty() || each.name == name) return each;
    known += (known.empty() ? "\"" : ", \"") + each.name + "\"";
  }
  throw told_error(fmt::format("There is no picture \"{}\". There are: {}.", name, known), exit_misuse);
}

/// Whether the run's value of that name is a prediction, not what stands in a starter.
bool is_made(const checks::value_set& values, const std::string& prediction) {
  const auto found = values.all().find(prediction);
  if (found == values.all().end()) return true;  // the program came to its end before it said so
  const auto* number = std::get_if<double>(&found->second);
  return number != nullptr ? !std::isnan(*number) : values.text(prediction) != "?";
}

/// Refuses to show what the file has not predicted yet.
void expect_predicted(observer& runs, const fs::path& file, const lab_picture& picture, bool on_gpu) {
  if (picture.answers.empty()) return;
  const auto seen = runs.observe(file, {picture.predictions, on_gpu, 0});
  std::string missing;
  for (const std::string& each : picture.answers) {
    if (!is_made(seen.values, each)) missing += (missing.empty() ? "" : " and ") + each;
  }
  if (missing.empty()) return;
  const bool one = missing.find(' ') == std::string::npos;
  throw told_error(
      fmt::format("What this picture shows is what {} {} for: predict {} first, at the top of {}. To see "
                  "it all the same, add --anyway.",
                  missing, one ? "asks" : "ask", one ? "it" : "them", course::shown(file)),
      exit_fail);
}

/// The check with that name, else the first that found a run of the program wrong.
const check_verdict& check_to_draw(const lab_verdict& verdict, const std::string& name,
                                   const lab_entry& lab) {
  const check_verdict* first_wrong = nullptr;
  for (const auto& each : verdict.checks) {
    if (each.name == name) return each;
    if (first_wrong == nullptr && each.run) first_wrong = &each;
  }
  if (first_wrong != nullptr && name.empty()) return *first_wrong;
  throw told_error(verdict.outcome == outcome::pass
                       ? fmt::format("Lab {} passes: no check found a run wrong. Without --check, the lab's "
                                     "own picture is drawn.",
                                     lab.number)
                   : verdict.message.empty() ? "No run of the program belongs to what the checks found wrong."
                                             : verdict.message,
                   verdict.outcome == outcome::error ? exit_error : exit_not_run);
}

/// The run that a check of the file found wrong.
chosen_run found_wrong(const course& labs, const lab_entry& lab, const grade_request& what,
                       const std::string& part_of_name, progress_bar& bar) {
  const std::string name =
      part_of_name.empty() ? "" : the_one_named(read_hints(labs.hints(lab)), part_of_name, lab).check;
  const lab_verdict verdict = grade(labs, what, &bar);
  const check_verdict& check = check_to_draw(verdict, name, lab);
  if (check.outcome == outcome::pass)
    throw told_error(fmt::format("The check \"{}\" passes: it found no run wrong.", check.name),
                     exit_not_run);
  if (!check.run) {
    const bool needs_another = check.outcome == outcome::not_run && !check.because.empty();
    const std::string why = check.message + (needs_another ? ": \"" + check.because + "\"" : "");
    throw told_error(fmt::format("The check \"{}\" has no run to draw: {}.", check.name, why), exit_not_run);
  }
  return {*check.run, fmt::format("\"{}\": {}", check.name, check.message)};
}

/// What cannot be set beneath a run that a check found wrong.
void refuse_comparison(const timeline_options& options, const checks::judged_run& run) {
  const auto refuse = [](const char* sentence) { throw told_error(sentence, exit_not_run); };
  if (options.compare == "emulator" && !run.on_gpu)
    refuse("The check found a run on the emulated GPU wrong: there is none on the real one to compare with.");
  if (!options.compare.empty() && !run.asked.schedule.empty())
    refuse("In this run one of the file's calls was made to fail: leave out --compare, nothing is like it.");
}

/// The same program where what it leaves open is taken the other way.
timeline::model turned_round(observer& runs, const fs::path& file, const checks::judged_run& wanted,
                             const checks::observation& seen, const std::string& title) {
  const auto hazards = analysis::find_hazards(seen.trace);
  for (const auto& each : hazards) {
    const auto turn = analysis::turn_round(seen.trace, each, hazards);
    if (!turn) continue;
    checks::judged_run other = wanted;
    other.asked.schedule = turn->schedule;
    return drawn(
        runs.observe(file, other), title + ", " + turn->text,
        "Each piece of work was made to be done before the program went on, but for what is held back: the "
        "waits of the host behind its submissions are none of the program's.");
  }
  throw told_error(hazards.empty()
                       ? "All uses of memory are ordered in this run: no other schedule changes anything."
                       : "No schedule of the device turns round what is not ordered in this run.",
                   exit_not_run);
}

/// As a part of a file's name: no blanks, and of a path no slashes.
std::string as_name(std::string text) {
  for (char& each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x80 && std::isalnum(byte) == 0 && each != '-' && each != '.') each = '_';
  }
  constexpr std::size_t most = 80;  // the end of a path tells more than its beginning
  if (text.size() > most) text.erase(0, text.size() - most);
  const auto is_inside = [](char each) {
    return each == '_' || (static_cast<unsigned char>(each) & 0xC0u) == 0x80u;
  };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_inside));
  return text;
}

/// The same for a path, and another one for each path.
std::string as_name_of_file(const std::string& path) {
  if (path.empty()) return "";
  const std::string given = fs::path(path).lexically_normal().string(), name = as_name(given);
  return name == given ? name : name + "-" + hex(hash_of(given)).substr(0, 6);
}

/// Where a timeline goes that has been given no name: one that says what is drawn, so that two do not go to
/// the same file.
std::string usual_name(const lab_entry& lab, const timeline_options& options) {
  std::string name = lab.name;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) name += "." + part;
  };
  add(options.solution ? "solution" : "");
  add(as_name_of_file(options.file));
  add(as_name_of_file(options.patch));
  add(as_name(options.picture));
  if (options.check) add(as_name(options.check->empty() ? "check" : "check " + *options.check));
  if (options.seed) add(fmt::format("seed_{}", *options.seed));
  if (!options.compare.empty()) add("with_" + options.compare);
  return name + ".html";
}

/// Options that exclude each other, or ask for what there is not.
void refuse_misuse(const timeline_options& options, device where) {
  const auto misuse = [](const char* sentence) { throw told_error(sentence, exit_misuse); };
  if (options.solution + !options.file.empty() + !options.patch.empty() > 1)
    misuse("--solution, --file and --patch each say what is drawn: give one of them.");
  if (options.solution && options.compare == "solution")
    misuse("--solution is the solution already: --compare solution puts it beneath your own.");
  if (options.check && !options.picture.empty())
    misuse("--check and --picture each say which run is drawn: give one of them.");
  if (options.seed && !options.check) misuse("--seed repeats the inputs of checks: it belongs to --check.");
  if (where == device::cuda && options.compare == "schedule")
    misuse("--compare schedule shows what the emulated GPU does: leave LAB_DEVICE unset.");
  if (where != device::cuda && options.compare == "emulator")
    misuse(
        "--compare emulator puts a run on the emulated GPU beneath one on a real GPU: set LAB_DEVICE=cuda.");
}

}  // namespace

int draw_lab(const course& labs, const terminal& out, const timeline_options& options) {
  const lab_entry& lab = labs.find(options.lab);
  const bool shows_solution = options.solution || options.compare == "solution";
  const bool named = !options.output.empty();
  const fs::path folder = labs.state_folder() / "timelines";
  const device where = wanted_device(labs.tools(), "", exit_not_run);
  refuse_misuse(options, where);
  fs::path file = options.solution ? labs.solution(lab) : fs::path(options.file);
  std::optional<patched_solution> patched;
  if (!options.patch.empty()) file = patched.emplace(labs, lab, options.patch).file();
  if (file.empty()) {
    labs.make_student_file(lab);
    file = labs.student_file(lab);
  }
  if (!fs::exists(file)) throw told_error("There is no file " + file.string() + ".", exit_misuse);
  if (!named) make_folder(folder);
  const timeline_file to(named ? options.output : (folder / usual_name(lab, options)).string(),
                         named ? exit_misuse : exit_error, {file, options.patch, labs.student_file(lab)});
  if (shows_solution && !options.anyway && is_too_early_for_solution(labs, out, lab)) return exit_fail;
  const std::string title = (patched ? fs::path(options.patch) : file).filename().string();
  std::vector<timeline::model> drawings;
  {
    progress_bar bar(out, "drawing lab " + lab.number);
    const bool on_gpu = where == device::cuda;
    observer runs(labs, lab, bar);
    const auto of_the_lab = [&]() -> chosen_run {
      const auto pictures = pictures_of(labs, lab);
      const lab_picture& picture = picture_named(pictures, options.picture);
      if (!options.anyway) expect_predicted(runs, file, picture, on_gpu);
      return {{picture.run, on_gpu, 0}, picture.shows};
    };
    const auto [run, caption] =
        options.check ? found_wrong(labs, lab, {&lab, file, {}, options.seed, where}, *options.check, bar)
                      : of_the_lab();
    refuse_comparison(options, run);
    const auto seen = runs.observe(file, run);
    drawings.push_back(drawn(seen, title, caption));
    const bool is_another = options.check && !run.on_gpu && seen.trace_hash != run.trace;
    if (is_another) {
      auto& notices = drawings.front().notices;
      notices.insert(
          notices.begin(),
          "The program does not do the same each time: this run is another one than the check judged.");
    }
    if (options.compare == "schedule") drawings.push_back(turned_round(runs, file, run, seen, title));
    if (options.compare == "emulator") {
      drawings.front().title += " on " + drawings.front().device;
      drawings.push_back(
          drawn(runs.observe(file, {run.asked, false, 0}), title + " on the emulated GPU", ""));
    }
    if (options.compare == "solution")
      drawings.push_back(drawn(runs.observe(labs.solution(lab), run), "the solution", ""));
  }
  to.write(drawings);
  fmt::print("{}\n", course::shown(to.path()));
  return exit_pass;
}

}  // namespace lab::cli

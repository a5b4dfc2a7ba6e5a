#include <fmt/format.h>

#include <algorithm>
#include <analysis/witness.hpp>
#include <checks/observe.hpp>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <timeline/text.hpp>

#include "../build.hpp"
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

checks::observation observe(const fs::path& program, const lab_picture& picture,
                            const std::string& schedule = "") {
  const stop_on_signal while_it_runs;
  std::vector<std::string> environment;
  if (const char* gpus = std::getenv("CUDA_VISIBLE_DEVICES"))
    environment.push_back(std::string("CUDA_VISIBLE_DEVICES=") + gpus);
  try {
    return checks::run_exercise(program, picture.scenario, picture.inputs, schedule, {}, environment);
  } catch (const checks::interrupted&) {
    throw interrupted{stop_on_signal::received()};
  }
}

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

const lab_picture& chosen(const std::vector<lab_picture>& pictures, const std::string& name) {
  if (name.empty()) return pictures.front();
  std::string known;
  for (const auto& each : pictures) {
    if (each.name == name) return each;
    known += (known.empty() ? "\"" : ", \"") + each.name + "\"";
  }
  throw told_error(fmt::format("There is no picture \"{}\". There are: {}.", name, known), exit_misuse);
}

built_program build_it(const course& labs, const lab_entry& lab, const fs::path& file, device where,
                       progress_bar& bar) {
  bar.now_doing("building " + file.filename().string());
  try {
    return build(labs, {file, {}, &lab, where}, [&] { bar.tick(); });
  } catch (const does_not_build& error) {
    throw told_error(error.what(), exit_error);
  }
}

/// The same program where what it leaves open is taken the other way.
timeline::model turned_round(const fs::path& program, const lab_picture& picture,
                             const checks::observation& seen, const std::string& title) {
  const auto hazards = analysis::find_hazards(seen.trace);
  for (const auto& each : hazards) {
    const auto turn = analysis::turn_round(seen.trace, each, hazards);
    if (!turn) continue;
    return drawn(observe(program, picture, turn->schedule), title + ", " + turn->text, "");
  }
  throw told_error(hazards.empty()
                       ? "All uses of memory are ordered in this run: no other schedule changes anything."
                       : "No schedule of the device turns round what is not ordered in this run.",
                   exit_not_run);
}

}  // namespace

int draw_lab(const course& labs, const terminal& out, const timeline_options& options) {
  const lab_entry& lab = labs.find(options.lab);
  if (options.solution + !options.file.empty() + !options.patch.empty() > 1)
    throw told_error("--solution, --file and --patch each say what is drawn: give one of them.", exit_misuse);
  if (options.solution && options.compare == "solution")
    throw told_error("--solution is the solution already: --compare solution puts it beneath your own.",
                     exit_misuse);
  const bool named = !options.output.empty();
  const fs::path folder = labs.state_folder() / "timelines";
  if (!named) make_folder(folder);
  const timeline_file to(named ? options.output : (folder / (lab.name + ".html")).string(), exit_misuse);
  const auto pictures = pictures_of(labs, lab);
  const lab_picture& picture = chosen(pictures, options.picture);
  const device where = wanted_device(labs.tools(), "", exit_not_run);
  if (where == device::cuda && options.compare == "schedule")
    throw told_error("--compare schedule shows what the emulated GPU does: leave LAB_DEVICE unset.",
                     exit_misuse);

  if (where != device::cuda && options.compare == "emulator")
    throw told_error(
        "--compare emulator puts a run on the emulated GPU beneath one on a real GPU: set LAB_DEVICE=cuda.",
        exit_misuse);

  fs::path file = options.solution ? labs.solution(lab) : fs::path(options.file);
  std::optional<patched_solution> patched;
  if (!options.patch.empty()) file = patched.emplace(labs, lab, options.patch).file();
  if (file.empty()) {
    labs.make_student_file(lab);
    file = labs.student_file(lab);
  }
  if (!fs::exists(file)) throw told_error("There is no file " + file.string() + ".", exit_misuse);
  std::vector<timeline::model> runs;
  {
    progress_bar bar(out, "drawing lab " + lab.number);
    const auto program = build_it(labs, lab, file, where, bar).executable;
    bar.now_doing("drawing lab " + lab.number);
    const auto seen = observe(program, picture);
    const std::string title = (patched ? fs::path(options.patch) : file).filename().string();
    runs.push_back(drawn(seen, title, picture.shows));
    if (options.compare == "schedule") runs.push_back(turned_round(program, picture, seen, title));
    if (options.compare == "emulator") {
      const auto emulated = build_it(labs, lab, file, device::emulator, bar).executable;
      runs.front().title += " on " + runs.front().device;
      runs.push_back(drawn(observe(emulated, picture), title + " on the emulated GPU", ""));
    }
    if (options.compare == "solution") {
      const auto solution = build_it(labs, lab, labs.solution(lab), where, bar).executable;
      runs.push_back(drawn(observe(solution, picture), "the solution", ""));
    }
  }
  to.write(runs);
  fmt::print("{}\n", course::shown(to.path()));
  return exit_pass;
}

}  // namespace lab::cli

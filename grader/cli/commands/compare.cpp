#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <map>
#include <sstream>
#include <thread>
#include <timeline/text.hpp>

#include "../build.hpp"
#include "../process.hpp"
#include "commands.hpp"

namespace lab::cli {
namespace {

struct known_peak {
  std::string_view name;  ///< a part of cudaDeviceProp::name
  double tflops;          ///< half precision on the tensor cores, without sparsity
};

// From NVIDIA's data sheets: T4 (65), A100 (312), H100 SXM and H200 (989). The longer name first.
constexpr std::array peaks{known_peak{"H200", 989}, known_peak{"H100", 989}, known_peak{"A100", 312},
                           known_peak{"T4", 65}};

struct measurement {
  std::string device;
  int size = 0;
  double flop = 0;
  double submit_ms = 0, host_ms = 0, event_ms = 0;

  double tflops(double ms) const { return flop / (ms * 1e-3) / 1e12; }
};

measurement measure(const course& labs, const terminal& out, device where) {
  progress_bar bar(out, "building the experiment");
  const auto source = labs.tools().source_folder / "grader" / "cli" / "compare.cu";
  const auto program = build(labs, {source, {}, nullptr, where}, [&] { bar.tick(); });
  bar.now_doing("timing the product");
  command experiment;
  experiment.arguments = {program.executable.string()};
  experiment.time_limit = std::chrono::minutes(2);
  experiment.on_tick = [&] { bar.tick(); };
  const auto ended = run(experiment);
  if (!ended.succeeded()) {
    throw told_error("The experiment did not come to its end: " + timeline::printable(ended.errors),
                     exit_error);
  }
  std::map<std::string, std::string> values;
  std::istringstream lines(ended.output);
  for (std::string name, value; lines >> name && std::getline(lines >> std::ws, value);) values[name] = value;
  return {values.at("device"),
          std::stoi(values.at("size")),
          std::stod(values.at("flop")),
          std::stod(values.at("submit_ms")),
          std::stod(values.at("host_ms")),
          std::stod(values.at("event_ms"))};
}

double peak_of(const std::string& device) {
  for (const auto& peak : peaks) {
    if (device.find(peak.name) != std::string::npos) return peak.tflops;
  }
  return 0;
}

std::string judged(double tflops, double peak) {
  if (peak == 0) return "";
  if (tflops > peak) return fmt::format("impossible: {:.0f} times the peak", tflops / peak);
  return fmt::format("{:.0f} % of the peak", 100 * tflops / peak);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::localtime(now));
}

/// Appends under a lock; the table is made with its heading when it is not there yet.
fs::path note_down(const course& labs, const std::string& row) {
  const auto file = labs.state_folder() / "record.md";
  const file_lock lock(labs.state_folder() / "record.lock");
  std::string table =
      "| date | device | submit only (ms) | host clock (ms) | events (ms) | TFLOP/s by events | note |\n"
      "|---|---|---|---|---|---|---|\n";
  if (fs::exists(file)) table = read_file(file);
  if (!table.empty() && table.back() != '\n') table += '\n';
  write_atomically(file, table + row + "\n");
  return file;
}

}  // namespace

int compare(const course& labs, const terminal& out, const std::string& note) {
  const cli::device where = wanted_device(labs.tools(), "", exit_not_run);
  measurement seen;
  try {
    seen = measure(labs, out, where);
  } catch (const does_not_build& error) {
    throw told_error(std::string("The experiment could not be built: ") + error.what(), exit_error);
  }
  const auto measured_on = seen.device + (where == device::cuda ? "" : ", virtual time");
  const double peak = peak_of(seen.device);
  fmt::print("{}\n",
             out.paint(out.wrapped(
                           fmt::format("One product of two {0} x {0} half-precision matrices", seen.size), 0),
                       colour::bold));
  fmt::print("{}{}\n\n", measured_on, peak > 0 ? fmt::format("; peak {:.0f} TFLOP/s", peak) : "");
  const auto line = [&](const char* how, double ms) {
    fmt::print("{:<12} {:>9.3f} ms  {:>8.1f} TFLOP/s\n{:13}{}\n", how, ms, seen.tflops(ms), "",
               judged(seen.tflops(ms), peak));
  };
  line("submit only", seen.submit_ms);
  line("host clock", seen.host_ms);
  line("events", seen.event_ms);
  fmt::print(
      "\n{}\n\n",
      out.wrapped(
          "The launch returns as soon as the work is queued, so a clock that stops there has timed the "
          "queueing. The host clock with a wait on both sides covers queueing, the work and the wait; the "
          "events cover the work as the device saw it.",
          0));
  std::string remark = note;
  for (auto& c : remark) c = c == '|' || c == '\n' ? ' ' : c;
  const auto file = note_down(
      labs, fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.1f} | {} |", today(), measured_on,
                        seen.submit_ms, seen.host_ms, seen.event_ms, seen.tflops(seen.event_ms), remark));
  fmt::print("Noted in {}\n", course::shown(file));
  return exit_pass;
}

}  // namespace lab::cli

#include "report.hpp"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <timeline/text.hpp>

namespace lab::checks {
namespace {

using nlohmann::json;

constexpr outcome all_outcomes[] = {outcome::pass, outcome::fail, outcome::error, outcome::not_run};

// Students' bytes may be anything; a report is UTF-8.
std::string one_line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

// Null where there is none, or its inputs cannot be told in a line.
json run_or_null(const std::optional<judged_run>& run) {
  if (!run) return nullptr;
  try {
    return *run;
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

}  // namespace

const char* outcome_name(outcome what) {
  switch (what) {
    case outcome::pass:
      return "pass";
    case outcome::fail:
      return "fail";
    case outcome::error:
      return "error";
    case outcome::not_run:
      return "not run";
  }
  return "";
}

void report::begin(const std::vector<const check*>& checks) {
  json list = json::array();
  for (const check* each : checks) {
    list.push_back({{"name", each->name}, {"points", each->max_points}, {"hint", each->name}});
  }
  write(one_line({{"type", "begin"}, {"lab", lab_}, {"device", nullptr}, {"seed", seed_}, {"checks", list}}));
}

void report::observed(const observation& seen) {
  traces_ = traces_ * 31 + seen.trace_hash;
  const std::string& name = seen.trace.run().device.name;
  if (name.empty() || device_.find(name) != std::string::npos) return;
  device_ += (device_.empty() ? "" : ", and ") + name;
  write(one_line({{"type", "device"}, {"name", device_}}));
}

void report::waiting(const std::string& because) {
  write(one_line({{"type", "waiting"}, {"because", because}}));
}

void report::finished(const check& which, const verdict& came_to, double milliseconds) {
  const int points = came_to.outcome == outcome::pass ? which.max_points : 0;
  points_ += points;
  max_points_ += which.max_points;
  ++counts_[static_cast<int>(came_to.outcome)];
  json line{{"type", "check"},
            {"name", which.name},
            {"outcome", outcome_name(came_to.outcome)},
            {"points", points},
            {"max_points", which.max_points},
            {"message", timeline::printable(came_to.message)},
            {"because", timeline::printable(came_to.because)},
            {"milliseconds", milliseconds},
            {"timeline", nullptr},
            {"run", run_or_null(came_to.run)}};
  if (came_to.timeline) line["timeline"] = *came_to.timeline;
  write(one_line(line));
}

void report::end() {
  json outcomes;
  for (const outcome each : all_outcomes) outcomes[outcome_name(each)] = counts_[static_cast<int>(each)];
  write(one_line({{"type", "end"},
                  {"device", text_or_null(device_)},
                  {"seed", seed_},
                  {"points", points_},
                  {"max_points", max_points_},
                  {"traces", traces_},
                  {"outcomes", outcomes}}));
}

void report::write(const std::string& line) {
  std::size_t written = 0;
  while (descriptor_ >= 0 && written < line.size()) {
    const ssize_t got = ::write(descriptor_, line.data() + written, line.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "the report cannot be written");
    written += static_cast<std::size_t>(got);
  }
}

}  // namespace lab::checks

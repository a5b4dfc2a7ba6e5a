#include "narration.hpp"

#include <algorithm>

namespace lab::analysis {
namespace {

struct group {
  std::string name;
  double ms = 0;
  std::vector<work> items;
};

// By name, the longest first.
std::vector<group> grouped(const std::vector<work>& items) {
  std::vector<group> groups;
  for (const work& each : items) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const group& other) { return other.name == each.name(); });
    if (found == groups.end()) found = groups.insert(found, {each.name(), 0, {}});
    found->ms += each.milliseconds();
    found->items.push_back(each);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const group& a, const group& b) { return a.ms > b.ms; });
  return groups;
}

// Why a call took the host so long, where it is that the call was the first of its kind.
std::string first_use(const recording& of, const call& slow, double own_ms) {
  const double context_creation_ms = 20;  // at least, on any machine
  if (own_ms > context_creation_ms) return ", where the first call of all creates the context";
  for (const work& each : of.kernels()) {
    if (each.raw().submitted_by != slow.raw().id) continue;
    const bool first = &of.kernels(each.name()).front().raw() == &each.raw();
    if (first) return ", which loads " + each.name() + " at its first launch";
  }
  return "";
}

}  // namespace

void sentences::add(const std::string& text) {
  if (!text.empty()) text_ += (text_.empty() ? "" : " ") + text + ".";
}

void sentences::add_capitalised(const std::string& text) {
  std::string capitalised = text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    capitalised[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  add(capitalised);
}

std::string at(const std::string& where) {
  return where.empty() ? "" : " (" + where + ")";
}

std::string list(const std::vector<work>& items) {
  const std::vector<group> groups = grouped(items);
  std::string text;
  for (std::size_t i = 0; i < groups.size() && i < 2; ++i) {
    const std::size_t count = groups[i].items.size();
    text += (i == 0 ? "" : " and ") + groups[i].name + " (" +
            (count == 1 ? "" : std::to_string(count) + " times, ") + milliseconds_text(groups[i].ms) +
            (count == 1 ? ")" : " together)");
  }
  if (groups.size() > 2) text += " and " + std::to_string(groups.size() - 2) + " more";
  return text;
}

double busy_ms(const std::vector<work>& among, const span& stretch) {
  std::vector<span> parts;
  for (const work& each : among) {
    if (each.began()) parts.push_back(each.when().shared_with(stretch));
  }
  std::sort(parts.begin(), parts.end(), [](const span& a, const span& b) { return a.begin < b.begin; });
  double total = 0;
  trace::time_ns reached = stretch.begin;
  for (const span& part : parts) {
    total += span{std::max(part.begin, reached), std::max(part.end, reached)}.milliseconds();
    reached = std::max(reached, part.end);
  }
  return total;
}

std::string host_costs(const recording& of, const span& stretch, int thread) {
  const double large_ms = std::max(worth_telling * stretch.milliseconds(), 0.02);
  struct cost {        // of what has one name and one place: told once
    std::string name;  // of the call; of a pause its kind
    std::string where;
    double ms;
    int count;
    std::optional<call> longest;
  };
  std::vector<cost> costs;
  const auto add = [&](const std::string& name, const std::string& where, double ms) -> cost& {
    auto known = std::find_if(costs.begin(), costs.end(),
                              [&](const cost& other) { return other.name == name && other.where == where; });
    if (known == costs.end()) known = costs.insert(known, {name, where, 0, 0, {}});
    known->ms += ms;
    ++known->count;
    return *known;
  };
  const std::string sleep = "sleep", wait = "wait for another thread";
  double preempted_ms = 0, own_code_ms = stretch.milliseconds();
  for (const auto& pause : of.run().pauses) {
    const double ms = span{pause.begin, pause.end}.shared_with(stretch).milliseconds();
    if (pause.thread != thread || ms <= 0) continue;
    own_code_ms -= ms;
    if (pause.kind == trace::pause_kind::preempted) preempted_ms += ms;
    if (pause.kind == trace::pause_kind::preempted || !made_by_student(pause.stack)) continue;
    add(pause.kind == trace::pause_kind::slept ? sleep : wait, place(pause.stack), ms);
  }
  for (const call& each : of.calls()) {
    if (each.raw().thread != thread) continue;
    const double ms = each.when().shared_with(stretch).milliseconds(), own_ms = ms - each.blocked_ms();
    own_code_ms -= ms;
    if (own_ms <= 0) continue;
    cost& its = add(each.name(), each.where(), own_ms);
    if (!its.longest || its.longest->milliseconds() < each.milliseconds()) its.longest = each;
  }
  std::string text;
  for (const cost& each : costs) {
    if (each.ms <= large_ms) continue;
    const bool once = each.count == 1;
    const std::string ms = milliseconds_text(each.ms);
    text += text.empty() ? "it includes " : " and ";
    if (each.name == sleep) {
      text += once ? "a sleep of " + ms : std::to_string(each.count) + " sleeps, " + ms + " together";
      text += at(each.where);
    } else if (each.name == wait) {
      text += once ? "a wait of " + ms + " for another thread"
                   : std::to_string(each.count) + " waits for another thread, " + ms + " together";
      text += at(each.where);
    } else {
      text += ms + " in " + (once ? "" : std::to_string(each.count) + " calls of ") + each.name +
              at(each.where) + first_use(of, *each.longest, each.longest->milliseconds());
    }
  }
  if (preempted_ms > large_ms) {
    text += text.empty() ? "it includes " : " and ";
    text += milliseconds_text(preempted_ms) + " in which other programs had the processor";
    if (own_code_ms > large_ms)
      text += " and " + milliseconds_text(own_code_ms) + " in the program's own code";
  }
  return text;
}

timed_work::timed_work(std::vector<work> parts) : parts_(std::move(parts)) {}

bool timed_work::includes(const work& other) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const work& part) { return part.raw().id == other.raw().id; });
}

std::string timed_work::name() const {
  return parts_.front().name();
}

std::string timed_work::with_time() const {
  const std::string time = milliseconds_text(when().milliseconds());
  if (parts_.size() == 1) return name() + ", " + time + ",";
  return std::to_string(parts_.size()) + " times " + name() + ", " + time + " together,";
}

std::string timed_work::share() const {
  const std::string took = " took " + milliseconds_text(when().milliseconds());
  if (parts_.size() == 1) return "of that, " + name() + took;
  return "of that, the " + std::to_string(parts_.size()) + " runs of " + name() + took;
}

bool timed_work::ended() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const work& part) { return part.ended(); });
}

span timed_work::when() const {
  span whole = parts_.front().when();
  for (const work& part : parts_) {
    whole = {std::min(whole.begin, part.when().begin), std::max(whole.end, part.when().end)};
  }
  return whole;
}

bool covers_earlier_run(const recording& of, const span& stretch, const timed_work& subject) {
  const auto runs = of.kernels(subject.name());
  return std::any_of(runs.begin(), runs.end(), [&](const work& run) {
    return run.ended() && !subject.includes(run) && run.raw().submitted < subject.first_submitted() &&
           stretch.covers(run.when());
  });
}

std::vector<work> likely_subject(const recording& of, const span& stretch) {
  std::vector<work> submitted, running;
  for (const work& each : of.all_work()) {
    if (stretch.contains(each.raw().submitted)) submitted.push_back(each);
    if (each.began() && each.when().shared_with(stretch).milliseconds() > 0) running.push_back(each);
  }
  const std::vector<work>& likely = !submitted.empty() ? submitted
                                    : !running.empty() ? running
                                                       : of.kernels();
  return likely.empty() ? likely : grouped(likely).front().items;
}

}  // namespace lab::analysis

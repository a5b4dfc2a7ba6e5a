#include "witness.hpp"

#include <algorithm>
#include <analysis/witness.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "messages.hpp"
#include "runs.hpp"
#include "session.hpp"

namespace lab::checks {
namespace {

using exercise::element_type;

template <class T>
double as_number(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return static_cast<double>(value);
}

struct element_access {
  std::size_t size;
  double (*read)(const char*);
};

element_access access_to(element_type type) {
  switch (type) {
    case element_type::i8:
      return {1, as_number<std::int8_t>};
    case element_type::u8:
      return {1, as_number<std::uint8_t>};
    case element_type::i16:
      return {2, as_number<std::int16_t>};
    case element_type::u16:
      return {2, as_number<std::uint16_t>};
    case element_type::i32:
      return {4, as_number<std::int32_t>};
    case element_type::u32:
      return {4, as_number<std::uint32_t>};
    case element_type::i64:
      return {8, as_number<std::int64_t>};
    case element_type::u64:
      return {8, as_number<std::uint64_t>};
    case element_type::f32:
      return {4, as_number<float>};
    case element_type::f64:
      break;
  }
  return {8, as_number<double>};
}

// "output[0] is 1, not 3, and 99 more are wrong"; "" where the two are the same
std::string difference(const std::string& name, const typed_bytes& is, const typed_bytes& right) {
  const element_access element = access_to(right.type);
  const std::size_t count = std::min(is.bytes.size(), right.bytes.size()) / element.size;
  std::string text;
  std::size_t more = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char *one = is.bytes.data() + i * element.size, *other = right.bytes.data() + i * element.size;
    if (std::memcmp(one, other, element.size) == 0) continue;
    if (!text.empty()) {
      ++more;
      continue;
    }
    text = name + "[" + std::to_string(i) + "] is " + number_text(element.read(one)) + ", not " +
           number_text(element.read(other));
  }
  if (text.empty() && is.bytes.size() != right.bytes.size()) return name + " has another size";
  if (more == 0) return text;
  return text + ", and " + std::to_string(more) + (more == 1 ? " more is wrong" : " more are wrong");
}

std::string difference(const std::string& name, const any_value& is, const any_value& right) {
  const auto *text = std::get_if<std::string>(&is), *right_text = std::get_if<std::string>(&right);
  if (text != nullptr && right_text != nullptr && *text != *right_text) {
    return name + " is " + *text + ", not " + *right_text;
  }
  const auto *array = std::get_if<typed_bytes>(&is), *right_array = std::get_if<typed_bytes>(&right);
  return array != nullptr && right_array != nullptr ? difference(name, *array, *right_array) : "";
}

/// Whether the program says itself that it did not get what it waited for.
bool gave_up(const observation& turned, const observation& right) {
  if (turned.how != ending::returned) return true;
  const auto says = [&](const auto& named_value) {
    const auto* text = std::get_if<std::string>(&named_value.second);
    return text != nullptr && right.values.has(named_value.first) &&
           right.values.text(named_value.first) != *text;
  };
  return std::any_of(turned.values.all().begin(), turned.values.all().end(), says);
}

// What `turned` came to that `right` did not: how it ended, a text or an element of an array that differs,
// what the device found wrong; "" for nothing. Plain numbers do not count: most are times.
std::string what_differs(const observation& turned, const observation& right) {
  if (turned.how != ending::returned) return turned.sentence();
  for (const auto& [name, value] : right.values.all()) {
    const auto found = turned.values.all().find(name);
    if (found == turned.values.all().end()) continue;
    const std::string text = difference(name, found->second, value);
    if (!text.empty()) return text;
  }
  const auto &wrong = turned.trace.run().findings, &usual = right.trace.run().findings;
  return wrong.size() > usual.size() ? analysis::finding_text(wrong[usual.size()]) : "";
}

/// Runs of the scenario on one device, in the order of a schedule; each repetition is a run of its own.
using runs_of_scenario =
    std::function<std::shared_ptr<const observation>(const std::string& schedule, int repetition)>;

/// What it comes to in words where the hazard is turned round; "" where it is not, or nothing can be seen. On
/// a real GPU, nothing twice.
std::string what_it_does(const runs_of_scenario& run, const observation& seen, const analysis::hazard& found,
                         const std::string& schedule) {
  const auto right = run(analysis::submission_order, 0);
  if (right->how != ending::returned || !analysis::kept_order(right->trace)) return "";
  const auto comes_to = [&](int repetition) -> std::string {
    const auto turned = run(schedule, repetition);
    if (!analysis::was_turned_round(seen.trace, turned->trace, found)) return "";
    const bool asked = found.edge.fault == analysis::edge_fault::answer_not_looked_at;
    return asked && gave_up(*turned, *right) ? "" : what_differs(*turned, *right);
  };
  const std::string differs = comes_to(0);
  if (differs.empty() || right->trace.run().device.emulated) return differs;
  return comes_to(1) == differs ? differs : "";  // a machine does other things besides
}

/// Where the real GPU does as the emulated one has done: "; so it is on NVIDIA H200".
std::string on_real_gpu_too(const observation& seen, const analysis::hazard& found,
                            const analysis::turn& turn, const std::string& differs) {
  if (!turn.on_real_gpu || !current_session().shows_on_gpu()) return "";
  const auto run = [&](const std::string& schedule, int repetition) {
    return current_session().observe_on_gpu({seen.asked.scenario, seen.asked.inputs, schedule}, repetition);
  };
  const std::string there = what_it_does(run, seen, found, turn.schedule);
  if (there.empty()) return "";
  const std::string name = run(analysis::submission_order, 0)->trace.run().device.name;
  return there == differs ? "; so it is on " + name : "; on " + name + ", " + there;
}

}  // namespace

std::string witness(const observation& seen, const analysis::hazard& found) {
  const auto turn = analysis::turn_round(seen.trace, found, analysis::find_hazards(seen.trace));
  if (!turn) return "";
  std::optional<on_emulated_gpu> where_it_ran;
  if (seen.trace.run().device.emulated) where_it_ran.emplace();
  const auto run = [&](const std::string& schedule, int repetition) {
    return current_session().observe({seen.asked.scenario, seen.asked.inputs, schedule}, repetition);
  };
  const std::string differs = what_it_does(run, seen, found, turn->schedule);
  if (differs.empty()) return "";
  return "Proof: " + turn->text + ", " + differs + on_real_gpu_too(seen, found, *turn, differs) + ".";
}

}  // namespace lab::checks

#include "run.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <trace/another_run.hpp>
#include <utility>
#include <vector>

#include "channel.hpp"
#include "data_ends.hpp"
#include "scenario.hpp"

namespace lab::exercise {
namespace {

std::map<std::string, scenario_function>& scenarios() {
  static auto* all = new std::map<std::string, scenario_function>;
  return *all;
}

void report(message_kind kind, const char* text) {
  channel::send(kind, {}, "", text, std::strlen(text));
}

/// The variables of the student's and the driver's code, as they were before the first run.
class first_values {
 public:
  first_values() {
    keep(lab_data_begin, lab_data_end);
    keep(lab_bss_begin, lab_bss_end);
    keep(lab_tdata_begin(), lab_tdata_end());
    keep(lab_tbss_begin(), lab_tbss_end());
  }

  void restore() const {
    for (const auto& [begin, bytes] : kept_) std::memcpy(begin, bytes.data(), bytes.size());
  }

 private:
  void keep(char* begin, const char* end) {
    kept_.emplace_back(begin, std::vector<char>(begin, const_cast<char*>(end)));
  }

  std::vector<std::pair<char*, std::vector<char>>> kept_;
};

/// Whether the program can stay for another run; before the first, whether it might.
bool can_stay() {
  return lab_data_begin != nullptr && lab_data_end != nullptr && !lab_has_something_to_end() &&
         trace::begin_another_run != nullptr;
}

/// Whether it returned.
bool run_scenario(scenario_function scenario) {
  const inputs in;
  outputs out;
  bool returned = false;
  try {
    scenario(in, out);
    returned = true;
    report(message_kind::returned, "");
  } catch (const bad_scenario& problem) {
    report(message_kind::bad_scenario, problem.what());
  } catch (const std::exception& problem) {
    int status = 0;
    char* type = abi::__cxa_demangle(typeid(problem).name(), nullptr, nullptr, &status);
    report(message_kind::threw, (std::string(type ? type : "an exception") + ": " + problem.what()).c_str());
  } catch (const abi::__forced_unwind&) {
    throw;  // a thread being cancelled, not an exception of the student's
  } catch (...) {
    report(message_kind::threw, "something that is not a std::exception");
  }
  return returned;
}

/// "kernel_ms=80", "streams=blocking"; nothing for what is no such pair, or a number too large for 64 bits.
std::optional<received_value> input_of(const std::string& argument) {
  const auto equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) return {};
  const std::string text = argument.substr(equals + 1);
  received_value input;
  input.name = argument.substr(0, equals);
  const auto is = [&](message_kind kind, const auto& value) {
    input.kind = kind;
    input.bytes.assign(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  char* end = nullptr;
  errno = 0;
  if (const std::int64_t integer = std::strtoll(text.c_str(), &end, 10); end != text.c_str() && *end == 0) {
    if (errno == ERANGE) return {};
    is(message_kind::integer, integer);
  } else if (const double number = std::strtod(text.c_str(), &end); end != text.c_str() && *end == 0) {
    is(message_kind::number, number);
  } else {
    input.kind = message_kind::text;
    input.bytes = text;
  }
  return input;
}

int run_by_hand(const std::string& wanted, const std::vector<std::string>& arguments) {
  const auto found = scenarios().find(wanted);
  if (found == scenarios().end()) {
    std::fprintf(stderr, "The driver has no scenario \"%s\"; --list shows them.\n", wanted.c_str());
    return 64;
  }
  std::vector<received_value> inputs;
  for (const auto& argument : arguments) {
    auto input = input_of(argument);
    const auto is_same = [&](const received_value& other) { return input && other.name == input->name; };
    if (!input || std::any_of(inputs.begin(), inputs.end(), is_same)) {
      std::fprintf(stderr, "\"%s\" is no input: NAME=VALUE, each name once, is one.\n", argument.c_str());
      return 64;
    }
    inputs.push_back(*std::move(input));
  }
  channel::set_inputs(std::move(inputs));
  return run_scenario(found->second) ? 0 : 1;
}

}  // namespace

double& kept_for_all_runs() {
  static double number = 0;
  return number;
}

registered_scenario::registered_scenario(const char* name, scenario_function function) {
  scenarios()[name] = function;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& [name, function] : scenarios()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (argc > 2 && std::strcmp(argv[1], "--run") == 0) return run_by_hand(argv[2], {argv + 3, argv + argc});
  if (!channel::is_open()) {
    std::fprintf(
        stderr,
        "This program is run by the grader (./lab check). --list shows its scenarios, --run SCENARIO "
        "NAME=VALUE... runs one.\n");
    return 64;
  }
  const pid_t self = getpid();
  std::optional<first_values> values;
  if (can_stay() && trace::is_empty()) {
    lab_main_begins();
    values.emplace();  // with that
  }
  for (bool first = true;; first = false) {
    const channel::request wanted = channel::receive_request();
    if (wanted.kind == message_kind::prepare) {
      if (trace::prepare != nullptr) trace::prepare();
      report(message_kind::ready, "");
      continue;
    }
    if (wanted.scenario.empty() && !first) _exit(0);
    const auto found = scenarios().find(wanted.scenario);
    if (found == scenarios().end()) {
      report(message_kind::bad_scenario, ("the driver has no scenario \"" + wanted.scenario + "\"").c_str());
      return 0;
    }
    const bool returned = run_scenario(found->second);
    if (getpid() != self) _exit(0);  // a child that the student's code forked came back through its function
    if (channel::is_lost()) return channel_lost;
    std::fflush(nullptr);
    const bool stays = returned && wanted.kind == message_kind::start_and_stay && values && can_stay();
    if (!stays || !trace::begin_another_run()) return 0;
    values->restore();
    report(message_kind::ready, "");
  }
}

}  // namespace lab::exercise

#include "run.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "channel.hpp"
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

void run_scenario(scenario_function scenario) {
  const inputs in;
  outputs out;
  try {
    scenario(in, out);
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
}

}  // namespace

registered_scenario::registered_scenario(const char* name, scenario_function function) {
  scenarios()[name] = function;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& [name, function] : scenarios()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (!channel::is_open()) {
    std::fprintf(stderr, "This program is run by the grader (./lab check). --list shows its scenarios.\n");
    return 64;
  }
  const pid_t self = getpid();
  const std::string wanted = channel::receive_request();
  const auto found = scenarios().find(wanted);
  if (found == scenarios().end()) {
    report(message_kind::bad_scenario, ("the driver has no scenario \"" + wanted + "\"").c_str());
    return 0;
  }
  run_scenario(found->second);
  if (getpid() != self) _exit(0);  // a child that the student's code forked came back through its function
  return channel::is_lost() ? channel_lost : 0;
}

}  // namespace lab::exercise

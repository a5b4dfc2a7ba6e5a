#include "observation.hpp"

#include <csignal>
#include <cstring>

namespace lab::checks {
namespace {

std::string signal_text(int number) {
  switch (number) {
    case SIGSEGV:
      return "segmentation fault: it touched memory that is not its own, or ran out of stack";
    case SIGBUS:
      return "bus error: it touched memory that is not there";
    case SIGABRT:
      return "abort: a failed assertion, an exception that nobody caught, or damage to the heap";
    case SIGFPE:
      return "arithmetic fault: an integer division by zero, most likely";
    case SIGILL:
      return "illegal instruction";
    case SIGXFSZ:
      return "it wrote a file of more than 64 MiB";
    case SIGKILL:
      return "killed: by the system, because memory ran out, or by itself";
    default:
      return strsignal(number);
  }
}

const trace::host_call* last_call(const trace::run& run) {
  for (auto call = run.calls.rbegin(); call != run.calls.rend(); ++call) {
    if (call->end == trace::unfinished) return &*call;
  }
  return run.calls.empty() ? nullptr : &run.calls.back();
}

std::string last_call_text(const trace::run& run) {
  const trace::host_call* call = last_call(run);
  if (call == nullptr) return "";
  const std::string where = analysis::place(call->stack);
  return where.empty() ? "" : "; its last CUDA call was " + call->name + " at " + where;
}

// A real GPU's runtime does not tell of a handle that is gone: to use it ends the program.
std::string reset_text(const trace::run& run) {
  for (const trace::host_call& call : run.calls) {
    const std::string where = analysis::place(call.stack);
    if (call.name != "cudaDeviceReset" || where.empty()) continue;
    return "; before, cudaDeviceReset at " + where + " had destroyed all streams, events and memory";
  }
  return "";
}

// The driver throws where a call of its own fails: it had no part in what makes it fail.
std::string exception_text(const std::string& what) {
  const std::string thrown_by_driver = "/driver.cu:";
  const std::size_t driver = what.rfind(thrown_by_driver);
  if (driver == std::string::npos) return "your code threw an exception that it did not catch: " + what;
  const std::size_t call = what.find(": ", driver + thrown_by_driver.size());
  return "an error that your code had left behind met the code of the lab that calls it: " +
         (call == std::string::npos ? what : what.substr(call + 2));
}

// What the C++ runtime says of an uncaught exception, or libc of a failed assertion.
std::string last_words(const std::string& output) {
  for (const char* mark : {"  what():  ", "terminate called ", "Assertion `"}) {
    const std::size_t found = output.rfind(mark);
    if (found == std::string::npos) continue;
    const std::size_t line = output.rfind('\n', found);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    std::string text = output.substr(begin, output.find('\n', begin) - begin);
    text.erase(0, text.find_first_not_of(' '));
    return " (\"" + text + "\")";
  }
  return "";
}

}  // namespace

const trace::finding* crash_finding(const trace::run& run) {
  for (auto each = run.findings.rbegin(); each != run.findings.rend(); ++each) {
    const bool host_access =
        each->kind == trace::finding_kind::host_touched_device;  // ends the program as well
    if (each->kind == trace::finding_kind::crash || host_access) return &*each;
  }
  return nullptr;
}

const any_value& value_set::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw no_such_value("the run produced no value \"" + name + "\"");
  return found->second;
}

double value_set::number(const std::string& name) const {
  if (const auto* number = std::get_if<double>(&find(name))) return *number;
  throw no_such_value("the value \"" + name + "\" is not a number");
}

std::int64_t value_set::integer(const std::string& name) const {
  if (const auto* integer = std::get_if<std::int64_t>(&find(name))) return *integer;
  throw no_such_value("the value \"" + name + "\" is not an integer");
}

const std::string& value_set::text(const std::string& name) const {
  if (const auto* text = std::get_if<std::string>(&find(name))) return *text;
  throw no_such_value("the value \"" + name + "\" is not a text");
}

const std::string& value_set::array(const std::string& name, exercise::element_type type) const {
  const auto* array = std::get_if<typed_bytes>(&find(name));
  if (array != nullptr && array->type == type) return array->bytes;
  throw no_such_value("the value \"" + name + "\" is not an array of the type asked for");
}

std::string observation::sentence() const {
  const std::string exit = "exit code " + std::to_string(exit_code);
  switch (how) {
    case ending::returned:
      return "the program ran to its end";
    case ending::exception:
      return exception_text(detail);
    case ending::exited_early:
      if (scenario_returned) return "your function returned, but then the program ended with " + exit;
      return "the program ended (" + exit +
             ") before your function had returned: something in it calls exit()" +
             last_call_text(trace.run());
    case ending::crashed:
      if (const trace::finding* found = crash_finding(trace.run())) {
        const std::string said = signal == SIGABRT ? last_words(output) : "";
        return "the program crashed: " + analysis::finding_text(*found) + said + last_call_text(trace.run()) +
               reset_text(trace.run());
      }
      return "the program crashed (" + signal_text(signal) + ")" + last_words(output) +
             last_call_text(trace.run()) + reset_text(trace.run());
    case ending::timed_out:
      return "the program was stopped after " + detail + last_call_text(trace.run());
    case ending::flooded:
      return "the program printed more than " + detail + ": endless output?";
    case ending::stopped:
      return detail.empty() ? "the emulated device stopped the program without saying why" : detail;
    case ending::channel_broken:
      return "the program disturbed a file descriptor that it had not opened, the one by which the grader "
             "gets its "
             "results: " +
             detail;
    case ending::not_started:
      return detail.empty() ? "the program could not be started" : detail;
  }
  return "";
}

}  // namespace lab::checks

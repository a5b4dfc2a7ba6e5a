#include "observe.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exercise/protocol.hpp>
#include <exercise/run.hpp>
#include <map>
#include <optional>
#include <trace/endless.hpp>
#include <trace/reader.hpp>
#include <utility>

#include "process.hpp"

namespace lab::checks {
namespace {

using exercise::assembler;
using exercise::message_kind;
using clock = std::chrono::steady_clock;

std::atomic<bool> stop_requested{false};

exercise::token make_token() {
  exercise::token secret;
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    throw std::runtime_error("the system gives no random numbers");
  }
  return secret;
}

// ---------------------------------------------------------------------------------------------- the request

/// By name, so that the same inputs make the same run in whichever order they are given. Of a name that comes
/// twice the later one counts.
input_list in_order(input_list inputs) {
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const input& one, const input& other) { return one.name < other.name; });
  return inputs;
}

std::deque<std::string> pack_request(const exercise::token& secret, const std::string& scenario,
                                     const input_list& inputs, message_kind start) {
  std::deque<std::string> messages;
  std::uint32_t sequence = 0;
  const auto add = [&](message_kind kind, std::uint8_t type, const std::string& name, const void* data,
                       std::size_t size) {
    const char* rest = static_cast<const char*>(data);
    std::size_t left = size;
    do {
      const bool first = left == size;
      auto message = exercise::pack({secret, sequence++, first ? kind : message_kind::more, type, 0, size},
                                    first ? name.c_str() : "", rest, left);
      rest += message.taken;
      left -= message.taken;
      messages.push_back(std::move(message.bytes));
    } while (left > 0);
  };
  for (const input& each : in_order(inputs)) {
    if (const auto* number = std::get_if<double>(&each.content)) {
      add(message_kind::number, 0, each.name, number, sizeof(*number));
    } else if (const auto* integer = std::get_if<std::int64_t>(&each.content)) {
      add(message_kind::integer, 0, each.name, integer, sizeof(*integer));
    } else if (const auto* text = std::get_if<std::string>(&each.content)) {
      add(message_kind::text, 0, each.name, text->data(), text->size());
    } else {
      const auto& array = std::get<typed_bytes>(each.content);
      add(message_kind::array, static_cast<std::uint8_t>(array.type), each.name, array.bytes.data(),
          array.bytes.size());
    }
  }
  add(start, 0, scenario, nullptr, 0);
  return messages;
}

template <class T>
T as(const std::string& bytes) {
  T result;
  std::memcpy(&result, bytes.data(), sizeof(result));
  return result;
}

// ---------------------------------------------------------------------------------------------- the run

std::vector<std::string> environment_for(const std::filesystem::path& folder, int channel, int trace,
                                         const std::vector<std::string>& more) {
  std::vector<std::string> result{"HOME=" + folder.string(),
                                  "TMPDIR=" + folder.string(),
                                  "LANG=C.UTF-8",
                                  "CUDA_MODULE_LOADING=EAGER",  // lazy loading hides missing waits
                                  std::string(exercise::channel_variable) + "=" + std::to_string(channel),
                                  "LAB_TRACE_FD=" + std::to_string(trace)};
  for (const char* name :
       {"PATH", "LAB_DEVICE", "LAB_EMULATED_GPU", "LAB_COMPARE_DEVICES", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) result.push_back(std::string(name) + "=" + value);
  }
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

/// An exercise program in a process of its own, and the grader's ends of what connects the two.
struct exercise_process {
  exercise_process(const std::filesystem::path& program, const std::vector<std::string>& environment)
      : group({program,
               environment_for(folder.path(), channel.theirs.number(), trace.theirs.number(), environment),
               folder.path(),
               output.theirs.number(),
               {channel.theirs.number(), trace.theirs.number()}}) {
    for (descriptor_pair* each : {&output, &trace, &channel}) each->theirs.reset();
  }

  temporary_folder folder;
  descriptor_pair output = make_pipe();
  descriptor_pair trace = make_pipe();
  descriptor_pair channel = make_message_channel();
  process_group group;
};

class exercise_run {
 public:
  /// @param start with or without `stay`
  exercise_run(exercise_process& process, const run_request& wanted, message_kind start,
               const run_limits& limits)
      : limits_(limits),
        secret_(make_token()),
        request_(pack_request(secret_, wanted.scenario, wanted.inputs, start)),
        values_(secret_),
        process_(process) {
    seen_.asked = wanted;
  }

  /// As far as it goes without blocking.
  void send_request() {
    while (!request_.empty()) {
      const std::string& next = request_.front();
      if (send(process_.channel.ours.number(), next.data(), next.size(), MSG_NOSIGNAL) < 0) {
        if (errno != EAGAIN && errno != EINTR) request_.clear();  // it is gone; its end tells why
        return;
      }
      request_.pop_front();
    }
  }

  /// Blocks until the program has ended, or is ready for another run.
  observation finish(const std::filesystem::path& program, std::function<void()> on_recorded = {}) {
    started_ = clock::now();
    while (!process_.group.has_ended() && !is_ready_ && !stop_requested) {
      wait_for_something();
      enforce_limits();
      if (on_recorded && !process_.trace.ours.is_open()) std::exchange(on_recorded, nullptr)();
    }
    const bool interrupted = !process_.group.has_ended() && !is_ready_;
    const int status = is_ready_ ? 0 : process_.group.end();
    if (interrupted) stop_if_requested();
    while (read_output() || read_trace() || read_channel()) {
    }
    read_trace_bytes(program);
    judge_ending(status);
    return std::move(seen_);
  }
  bool is_ready() const { return is_ready_; }

 private:
  void wait_for_something() {
    const short channel_events = request_.empty() ? POLLIN : POLLIN | POLLOUT;
    pollfd waiting[] = {{process_.output.ours.number(), POLLIN, 0},
                        {process_.trace.ours.number(), POLLIN, 0},
                        {process_.channel.ours.number(), channel_events, 0},
                        {process_.group.ended_descriptor(), POLLIN, 0}};
    const int timeout_ms = process_.group.ended_descriptor() >= 0 ? 100 : 5;
    if (poll(waiting, std::size(waiting), timeout_ms) <= 0) return;
    if (waiting[2].revents & POLLOUT) send_request();
    read_output();
    read_trace();
    read_channel();
  }

  // The readers take one portion, and return whether there may be more. At its end a pipe is closed, so that
  // poll no longer wakes for it.
  std::size_t read_portion(descriptor& from) {
    if (!from.is_open()) return 0;
    const ssize_t got = read(from.number(), portion_.data(), portion_.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  bool read_output() {
    const std::size_t got = read_portion(process_.output.ours);
    const std::size_t room = limits_.kept_output - seen_.output.size();
    seen_.output.append(portion_.data(), std::min(got, room));
    seen_.output_bytes += got;
    return got > 0;
  }

  bool read_trace() {
    const std::size_t got = read_portion(process_.trace.ours);
    if (trace_bytes_.size() + got <= limits_.largest_trace) trace_bytes_.append(portion_.data(), got);
    return got > 0;
  }

  bool read_channel() {
    const std::size_t got = read_portion(process_.channel.ours);  // one message
    if (got == 0) return false;
    const assembler::verdict verdict = values_.take(portion_.data(), got);
    if (verdict == assembler::verdict::foreign) foreign_bytes_ += got;
    if (verdict == assembler::verdict::complete) take_value(values_.value());
    return true;
  }

  void take_value(const exercise::received_value& received) {
    switch (received.kind) {
      case message_kind::number:
        seen_.values.add(received.name, as<double>(received.bytes));
        break;
      case message_kind::integer:
        seen_.values.add(received.name, as<std::int64_t>(received.bytes));
        break;
      case message_kind::text:
        seen_.values.add(received.name, received.bytes);
        break;
      case message_kind::array:
        seen_.values.add(received.name,
                         typed_bytes{static_cast<exercise::element_type>(received.type), received.bytes});
        break;
      case message_kind::ready:
        is_ready_ = true;
        break;
      default:
        last_word_ = received.kind;
        seen_.scenario_returned = received.kind == message_kind::returned;
        seen_.detail = received.bytes;
        break;
    }
  }

  void enforce_limits() {
    if (seen_.output_bytes > limits_.most_output) return process_.group.kill_all();
    const auto now = clock::now();
    if (reached_limit_.empty()) {
      if (process_.group.cpu_time() - used_before_ >= limits_.cpu_time)
        reached_limit_ = describe(limits_.cpu_time, "of CPU time");
      if (now - started_ >= limits_.wall_time) reached_limit_ = describe(limits_.wall_time, "");
      if (process_.group.resident_bytes() > limits_.most_memory) {
        reached_limit_ = "taking more than " + std::to_string(limits_.most_memory >> 20) + " MiB of memory";
      }
      if (process_.group.is_stopped()) reached_limit_ = "it had stopped itself by a signal";
      if (reached_limit_.empty()) return;
      process_.group.terminate();  // lets the recorder write what it has
      terminated_ = now;
    } else if (now - terminated_ >= limits_.grace) {
      process_.group.kill_all();
    }
  }

  static std::string describe(std::chrono::milliseconds limit, const std::string& of_what) {
    return analysis::duration_text(static_cast<double>(limit.count())) + (of_what.empty() ? "" : " ") +
           of_what;
  }

  /// One program is observed many times; its debug information is read once.
  static trace::symbols& names_of(const std::filesystem::path& program) {
    static std::map<std::filesystem::path, trace::symbols> known;
    return known.try_emplace(program, program, LAB_REPOSITORY_ROOT).first->second;
  }

  void read_trace_bytes(const std::filesystem::path& program) {
    if (trace_bytes_.empty()) return;
    seen_.trace_hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char byte : trace_bytes_) {
      seen_.trace_hash = (seen_.trace_hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
    try {
      seen_.trace = analysis::recording(trace::read(trace_bytes_, names_of(program)));
      seen_.has_trace = true;
    } catch (const trace::malformed& problem) {
      trace_problem_ = problem.what();
    }
  }

  void judge_ending(int status) {
    seen_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    seen_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // After a crash the emulator ends the program itself: by the signal or, as a shell says it, by 128 + its
    // number.
    if (seen_.exit_code > 128 && crash_finding(seen_.trace.run()) != nullptr)
      seen_.signal = seen_.exit_code - 128;
    const auto set = [this](ending how) { seen_.how = how; };
    if (seen_.output_bytes > limits_.most_output) {
      seen_.detail = std::to_string(limits_.most_output >> 20) + " MiB";
      return set(ending::flooded);
    }
    if (!reached_limit_.empty()) {
      seen_.detail = reached_limit_;
      return set(ending::timed_out);
    }
    if (foreign_bytes_ > 0) {
      seen_.detail = std::to_string(foreign_bytes_) + " bytes that are not the grader's came through it";
      return set(ending::channel_broken);
    }
    if (seen_.signal != 0) return set(ending::crashed);
    if (last_word_ == message_kind::bad_scenario) return set(ending::not_started);
    if (seen_.exit_code == exercise::channel_lost) {
      seen_.detail = "it was closed";
      return set(ending::channel_broken);
    }
    if (seen_.exit_code == trace::own_failure) {
      seen_.detail = sentence_of_device();
      return set(ending::stopped);
    }
    if (last_word_ == message_kind::threw) return set(ending::exception);
    if (!seen_.scenario_returned || seen_.exit_code != 0) return set(ending::exited_early);
    seen_.detail = trace_problem_;
    set(ending::returned);
  }

  // The emulator says why it stopped the program in the trace and, should that not arrive, on stderr.
  std::string sentence_of_device() const {
    if (!seen_.trace.run().findings.empty()) {
      return analysis::finding_text(seen_.trace.run().findings.back());
    }
    const std::size_t begin = seen_.output.rfind("lab: ");
    if (begin == std::string::npos) return "";
    return seen_.output.substr(begin + 5, seen_.output.find('\n', begin) - begin - 5);
  }

  run_limits limits_;
  exercise::token secret_;
  std::deque<std::string> request_;
  assembler values_;
  exercise_process& process_;
  std::chrono::nanoseconds used_before_ = process_.group.cpu_time();
  clock::time_point started_;
  clock::time_point terminated_;
  std::string reached_limit_;
  std::string portion_ = std::string(exercise::largest_message + 1, '\0');
  std::string trace_bytes_;
  std::string trace_problem_;
  std::size_t foreign_bytes_ = 0;
  message_kind last_word_ = message_kind::more;
  bool is_ready_ = false;
  observation seen_;
};

}  // namespace

observation run_exercise(const std::filesystem::path& program, const run_request& wanted,
                         const run_limits& limits, const std::vector<std::string>& environment) {
  stop_if_requested();
  const auto absolute = std::filesystem::absolute(program);  // it runs in a folder of its own
  std::vector<std::string> more = environment;
  if (!wanted.schedule.empty()) more.push_back("LAB_SCHEDULE=" + wanted.schedule);
  exercise_process process(absolute, more);
  return exercise_run(process, wanted, message_kind::start, limits).finish(absolute);
}

struct staying_exercise::process {
  process(const std::filesystem::path& program, const std::vector<std::string>& environment)
      : started(program, environment) {}

  void begin_to_prepare(const run_limits& limits) {
    if (preparation) return;
    preparation.emplace(started, run_request{}, message_kind::prepare, limits);
    preparation->send_request();
  }
  void finish_preparing(const std::filesystem::path& program) {
    if (!preparation || preparation->is_ready() || started.group.has_ended()) return;
    preparation->finish(program);  // where it does not get ready, its next run tells why
  }

  exercise_process started;
  std::optional<exercise_run> preparation;
  bool has_run = false;
};

staying_exercise::staying_exercise(const std::filesystem::path& program, std::vector<std::string> environment)
    : program_(std::filesystem::absolute(program)), environment_(std::move(environment)) {}

staying_exercise::~staying_exercise() = default;

std::unique_ptr<staying_exercise::process> staying_exercise::start() const {
  return std::make_unique<process>(program_, environment_);
}

void staying_exercise::replace_ended() {
  stop_if_requested();
  if (waiting_ && waiting_->started.group.has_ended()) waiting_.reset();
  if (!waiting_) waiting_ = std::move(spare_);
  if (!waiting_ || waiting_->started.group.has_ended()) waiting_ = start();
}

void staying_exercise::prepare(const run_limits& limits) {
  replace_ended();
  waiting_->begin_to_prepare(limits);
  if (needs_spare_ && !spare_) {
    spare_ = start();
    spare_->begin_to_prepare(limits);
  }
  waiting_->finish_preparing(program_);
}

void staying_exercise::renew() {
  if (waiting_ && waiting_->has_run) waiting_.reset();
}

observation staying_exercise::run(const std::string& scenario, const input_list& inputs,
                                  const run_limits& limits, const std::function<void()>& on_recorded) {
  replace_ended();
  waiting_->finish_preparing(program_);
  waiting_->has_run = true;
  exercise_run next(waiting_->started, {scenario, inputs}, message_kind::start_and_stay, limits);
  observation seen = next.finish(program_, on_recorded);
  if (!next.is_ready()) {
    waiting_.reset();
    needs_spare_ = true;
  }
  return seen;
}

void request_stop() noexcept {
  stop_requested = true;
}

void stop_if_requested() {
  if (stop_requested) throw interrupted("the grading was interrupted");
}

}  // namespace lab::checks

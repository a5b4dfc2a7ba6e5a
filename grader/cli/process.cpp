#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

namespace lab::cli {
namespace {

using steady = std::chrono::steady_clock;

std::atomic<int> pending_signal{0};
std::mutex children_mutex;
std::set<pid_t> children;  ///< those that some `run` waits for

constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, stopping.size()> before;

void note_signal(int number) {
  pending_signal = number;
}

struct pipe_ends {
  int read = -1;
  int write = -1;

  pipe_ends() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw told_error(std::string("Cannot make a pipe: ") + std::strerror(errno) + ".", exit_error);
    }
    read = ends[0];
    write = ends[1];
  }
  ~pipe_ends() {
    close_write();
    if (read >= 0) ::close(read);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

void limit(int resource, std::uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// What exec needs, made before the fork: nothing may be allocated after it in a process with threads.
struct prepared {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argument_pointers;
  std::vector<char*> environment_pointers;
};

prepared prepare(const command& what, int report_descriptor) {
  prepared ready;
  ready.arguments = what.arguments;
  for (auto& argument : ready.arguments) {
    if (argument == "{report}") argument = std::to_string(report_descriptor);
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const auto name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : what.environment) replaced = replaced || key == name;
    if (!replaced) ready.environment.push_back(text);
  }
  for (const auto& [key, value] : what.environment) {
    if (!value.empty()) ready.environment.push_back(key + "=" + value);
  }
  for (auto& argument : ready.arguments) ready.argument_pointers.push_back(argument.data());
  for (auto& variable : ready.environment) ready.environment_pointers.push_back(variable.data());
  ready.argument_pointers.push_back(nullptr);
  ready.environment_pointers.push_back(nullptr);
  return ready;
}

/// In the child: never returns. A failure to start is told through `failure`.
[[noreturn]] void become(const command& what, prepared& ready, int output, int errors, int report,
                         int failure) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  if (what.cpu_seconds) limit(RLIMIT_CPU, *what.cpu_seconds);
  if (what.memory_bytes) limit(RLIMIT_AS, *what.memory_bytes);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(output, 1);
  ::dup2(errors, 2);
  if (report >= 0) ::fcntl(report, F_SETFD, 0);
  if (what.folder.empty() || ::chdir(what.folder.c_str()) == 0) {
    ::execvpe(ready.argument_pointers[0], ready.argument_pointers.data(), ready.environment_pointers.data());
  }
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

/// Collects what comes out of a pipe, up to a limit; false at its end.
bool drain(int descriptor, std::string& collected, std::size_t limit_bytes) {
  std::array<char, 65536> chunk{};
  const auto got = ::read(descriptor, chunk.data(), chunk.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const auto room = limit_bytes - std::min(limit_bytes, collected.size());
  collected.append(chunk.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

class child_process {
 public:
  explicit child_process(const command& what) : what_(what) {
    pipe_ends failure;
    auto ready = prepare(what, report_.write);
    {
      const std::lock_guard hold(children_mutex);
      id_ = ::fork();
      if (id_ > 0) children.insert(id_);
    }
    if (id_ < 0)
      throw told_error(std::string("Cannot start a process: ") + std::strerror(errno) + ".", exit_error);
    if (id_ == 0) {
      become(what, ready, output_.write, errors_.write, what.on_report_line ? report_.write : -1,
             failure.write);
    }
    ::setpgid(id_, id_);
    output_.close_write();
    errors_.close_write();
    report_.close_write();
    failure.close_write();
    int error = 0;
    if (::read(failure.read, &error, sizeof error) == sizeof error) {
      stop();
      throw told_error("Cannot start " + what.arguments.front() + ": " + std::strerror(error) + ".",
                       exit_error);
    }
  }

  ~child_process() { stop(); }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  ended wait_for_end() {
    ended result;
    const auto deadline = steady::now() + what_.time_limit;
    auto give_up_on_pipes =
        steady::time_point::max();  // something that it started may hold them open for ever
    bool exited = false;
    while (!exited || (open_pipes() && steady::now() < give_up_on_pipes)) {
      if (open_pipes()) {
        read_pipes(result);
      } else {
        ::usleep(1000);
      }
      if (what_.on_tick) what_.on_tick();
      stop_if_interrupted();  // the destructor stops the child
      if (!exited && has_ended()) {
        exited = true;
        ::kill(-id_, SIGKILL);
        give_up_on_pipes = steady::now() + std::chrono::milliseconds(500);
      } else if (!exited && steady::now() > deadline) {
        result.timed_out = true;
        break;
      }
    }
    stop();
    if (!partial_line_.empty() && what_.on_report_line) what_.on_report_line(partial_line_);
    result.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    result.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    return result;
  }

 private:
  bool open_pipes() const { return output_open_ || errors_open_ || report_open_; }

  void read_pipes(ended& result) {
    std::array<pollfd, 3> watched{{{output_open_ ? output_.read : -1, POLLIN, 0},
                                   {errors_open_ ? errors_.read : -1, POLLIN, 0},
                                   {report_open_ ? report_.read : -1, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), 100) <= 0) return;
    if (watched[0].revents != 0) output_open_ = drain(output_.read, result.output, what_.output_limit_bytes);
    if (watched[1].revents != 0) errors_open_ = drain(errors_.read, result.errors, what_.output_limit_bytes);
    if (watched[2].revents != 0) {
      report_open_ = drain(report_.read, partial_line_, 64u << 20);
      std::size_t end;
      while ((end = partial_line_.find('\n')) != std::string::npos) {
        if (what_.on_report_line) what_.on_report_line(std::string_view(partial_line_).substr(0, end));
        partial_line_.erase(0, end + 1);
      }
    }
  }

  bool has_ended() {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == id_;
  }

  /// Asks it to end, where it knows how to clean up, then makes it; blocks until it has ended.
  void stop() {
    if (id_ <= 0) return;
    if (what_.grace.count() > 0) ::kill(id_, SIGTERM);
    for (const auto patience = steady::now() + what_.grace; !has_ended() && steady::now() < patience;)
      ::usleep(2000);
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);  // where it has not reached its own setpgid yet
    while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) continue;
    const std::lock_guard hold(children_mutex);
    children.erase(id_);
    id_ = 0;
  }

  const command& what_;
  pipe_ends output_, errors_, report_;
  bool output_open_ = true, errors_open_ = true, report_open_ = true;
  std::string partial_line_;
  pid_t id_ = 0;
  int status_ = 0;
};

}  // namespace

ended run(const command& what) {
  stop_if_interrupted();
  return child_process(what).wait_for_end();
}

void prepare_for_children() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t at = 0; at < stopping.size(); ++at) {
    ::sigaction(stopping[at], nullptr, &before[at]);
    if (before[at].sa_handler != SIG_IGN) ::sigaction(stopping[at], &action, nullptr);  // nohup stays nohup
  }
}

void stop_if_interrupted() {
  if (const int number = pending_signal) throw interrupted{number};
}

void forget_signal_handlers() {
  for (std::size_t at = 0; at < stopping.size(); ++at) ::sigaction(stopping[at], &before[at], nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void reap_strays() {
  const std::lock_guard hold(children_mutex);
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t process; list >> process;) {
    if (children.count(process) != 0) continue;
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

}  // namespace lab::cli

#include "process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <system_error>

namespace lab::checks {
namespace {

constexpr rlim_t largest_file = 64 << 20;
constexpr rlim_t most_processes = 8192;  // of the user, all programs together
constexpr rlim_t most_cpu_seconds =
    120;  // where the grader itself was killed; else its own limit comes long before

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

descriptor_pair close_on_exec(const int (&numbers)[2]) {
  fcntl(numbers[0], F_SETFL, O_NONBLOCK);
  return {descriptor(numbers[0]), descriptor(numbers[1])};
}

void limit(int resource, rlim_t most) {
  rlimit current{};
  getrlimit(resource, &current);
  current.rlim_cur = current.rlim_cur == RLIM_INFINITY ? most : std::min(current.rlim_cur, most);
  setrlimit(resource, &current);
}

// Nothing that we were given, the report's descriptor least of all, is the program's business.
void close_all_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned close_range_cloexec = 4;
  if (syscall(SYS_close_range, 3U, ~0U, close_range_cloexec) == 0) return;
#endif
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);  // a kernel before 5.11
  for (int number = 3; number < static_cast<int>(most.rlim_cur); ++number) fcntl(number, F_SETFD, FD_CLOEXEC);
}

// Between fork and exec; calls nothing that could allocate.
[[noreturn]] void become(const program_start& how, char* const* arguments, char* const* environment,
                         pid_t parent, int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file);
  limit(RLIMIT_NPROC, most_processes);
  limit(RLIMIT_CPU, most_cpu_seconds);
  const int nothing = open("/dev/null", O_RDONLY);
  const bool ready = nothing >= 0 && dup2(nothing, 0) == 0 && dup2(how.output, 1) == 1 &&
                     dup2(how.output, 2) == 2 && chdir(how.folder.c_str()) == 0;
  if (ready) {
    if (nothing > 2) close(nothing);
    close_all_on_exec();
    for (int number : how.inherited) fcntl(number, F_SETFD, 0);
    execve(how.program.c_str(), arguments, environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t sent = write(failure, &error, sizeof(error));
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// Of /proc/PID/stat, "4711 (name) S 123 …": what comes after the name, which may itself hold parentheses.
struct process_state {
  char state = 0;  // 'T': stopped by a signal
  pid_t parent = -1;
};

process_state state_of(const char* pid) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char text[512] = {};
  process_state found;
  if (!file.is_open() || read(file.number(), text, sizeof(text) - 1) <= 0) return found;
  const char* after_name = std::strrchr(text, ')');
  if (after_name != nullptr) std::sscanf(after_name + 1, " %c %d", &found.state, &found.parent);
  return found;
}

/// The programs that are running.
std::set<pid_t>& leaders() {
  static std::set<pid_t> all;
  return all;
}

/// Whether there were any.
bool end_strays() {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return false;
  const pid_t self = getpid();
  bool found = false;
  while (const dirent* entry = readdir(processes)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0 || leaders().count(pid) > 0 || state_of(entry->d_name).parent != self) continue;
    found = true;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, WNOHANG);
  }
  closedir(processes);
  return found;
}

bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// Children of a killed process become ours, so this goes on until there are none.
void end_stragglers() {
  while (has_children() && end_strays()) usleep(500);
}

}  // namespace

void descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

descriptor_pair make_pipe() {
  int numbers[2];
  if (pipe2(numbers, O_CLOEXEC) != 0) throw_errno("cannot make a pipe");
  return close_on_exec(numbers);
}

descriptor_pair make_message_channel() {
  int numbers[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, numbers) != 0)
    throw_errno("cannot make a socket pair");
  return close_on_exec(numbers);
}

namespace {

constexpr const char* folder_prefix = "lab-exercise-";

// Of processes that were killed.
void remove_abandoned(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    int owner = 0;
    if (name.rfind(folder_prefix, 0) != 0) continue;
    if (std::sscanf(name.c_str() + std::strlen(folder_prefix), "%d-", &owner) != 1 || owner <= 0) continue;
    if (kill(owner, 0) == 0 || errno != ESRCH) continue;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

temporary_folder::temporary_folder() {
  const char* given = std::getenv("TMPDIR");
  const std::string parent = given != nullptr && *given != '\0' ? given : "/tmp";
  static const bool swept = (remove_abandoned(parent), true);
  (void)swept;
  std::string name = parent + "/" + folder_prefix + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no folder for temporary files could be made at " + name + " (" +
                             std::strerror(errno) + "); set TMPDIR to a folder that can be written");
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;  // there is nobody left to tell
  std::filesystem::remove_all(path_, ignored);
}

process_group::process_group(const program_start& how) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::string> argument_texts{how.program.string()};
  std::vector<std::string> environment_texts = how.environment;
  const std::vector<char*> arguments = pointers(argument_texts);
  const std::vector<char*> environment = pointers(environment_texts);
  descriptor_pair failure = make_pipe();
  const pid_t parent = getpid();

  pid_ = fork();
  if (pid_ < 0) throw_errno("cannot start a process");
  if (pid_ == 0) become(how, arguments.data(), environment.data(), parent, failure.theirs.number());

  leaders().insert(pid_);
  setpgid(pid_, pid_);  // in both, so that the group is there whoever runs first
  failure.theirs.reset();
  fcntl(failure.ours.number(), F_SETFL, 0);
  int error = 0;
  ssize_t got;
  do got = read(failure.ours.number(), &error, sizeof(error));  // ends at the exec
  while (got < 0 && errno == EINTR);
  if (got == sizeof(error)) {
    end();
    throw std::system_error(error, std::generic_category(), "cannot start " + how.program.string());
  }
#ifdef SYS_pidfd_open
  ended_ = descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
#endif
}

process_group::~process_group() {
  end();
}

void process_group::terminate() const {
  kill(pid_, SIGTERM);
  kill(pid_, SIGCONT);  // it may have stopped itself
}

void process_group::kill_all() const {
  kill(-pid_, SIGKILL);
}

bool process_group::has_ended() const {
  siginfo_t info{};
  return status_ || (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                     info.si_pid == pid_);
}

std::chrono::nanoseconds process_group::cpu_time() const {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::size_t process_group::resident_bytes() const {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/statm", static_cast<int>(pid_));
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  unsigned long whole = 0, resident = 0;
  if (!file.is_open() || read(file.number(), text, sizeof(text) - 1) <= 0) return 0;
  std::sscanf(text, "%lu %lu", &whole, &resident);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

bool process_group::is_stopped() const {
  return state_of(std::to_string(pid_).c_str()).state == 'T';
}

int process_group::end() {
  if (status_) return *status_;
  kill_all();  // the program itself is not reaped yet, so the group's number is still ours
  int status = 0;
  pid_t reaped;
  do reaped = waitpid(pid_, &status, 0);
  while (reaped < 0 && errno == EINTR);
  leaders().erase(pid_);
  end_stragglers();
  status_ = status;
  return status;
}

}  // namespace lab::checks

#include "gpu.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "observe.hpp"

namespace lab::checks {
namespace {

/// "0", "GPU-c3ca41f9-9dc8-…", "MIG-…"
bool is_name_of_gpu(const std::string& text) {
  return !text.empty() && text.size() < 100 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '-'; });
}

// By their place on the bus, as nvidia-smi counts; CUDA's own order may be another.
std::vector<std::string> names_of_gpus() {
  std::vector<std::string> names;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream list(visible);
    for (std::string name; std::getline(list, name, ',') && is_name_of_gpu(name);) names.push_back(name);
    if (!names.empty()) return names;
    throw std::runtime_error("CUDA_VISIBLE_DEVICES=\"" + std::string(visible).substr(0, 100) +
                             "\" names no GPU: unset it, or give numbers as nvidia-smi has them");
  }
  while (std::filesystem::exists("/dev/nvidia" + std::to_string(names.size()))) {
    names.push_back(std::to_string(names.size()));
  }
  return names.empty() ? std::vector<std::string>{"0"} : names;
}

/// GPUs as nvidia-smi has them, asked once; none where it does not answer.
struct numbered_gpu {
  std::string number, uuid;
};
const std::vector<numbered_gpu>& gpus_by_number() {
  static const auto all = [] {
    std::vector<numbered_gpu> found;
    FILE* answer = popen("nvidia-smi --query-gpu=index,uuid --format=csv,noheader 2>/dev/null", "r");
    char number[16], uuid[100];
    while (answer != nullptr && std::fscanf(answer, "%15[0-9], %99s\n", number, uuid) == 2)
      found.push_back({number, uuid});
    if (answer != nullptr) pclose(answer);
    return found;
  }();
  return all;
}

/// One for each GPU, whichever of its names is given: the number, or a UUID of which the beginning is enough.
std::string identity_of(const std::string& name) {
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    const auto first = std::min(name.find_first_not_of('0'), name.size() - 1);
    return name.substr(first);
  }
  if (name.rfind("GPU-", 0) != 0) return name;
  for (const auto& each : gpus_by_number()) {
    if (each.uuid.rfind(name, 0) == 0) return each.number;
  }
  return name;
}

// One file for all users. Where another user made it, it can only be read, which is enough. Anything but a
// plain file is not ours: to open it might never end, or lead elsewhere.
descriptor lock_file_of(const std::string& name) {
  const std::string path = "/tmp/cuda-event-labs-gpu-" + identity_of(name) + ".lock";
  constexpr int careful = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int number = open(path.c_str(), careful);
  if (number < 0) number = open(path.c_str(), careful | O_CREAT, 0644);
  const std::string trouble = number < 0 ? std::strerror(errno) : "it is no plain file";
  descriptor file(number);
  struct stat found {};
  if (number >= 0 && fstat(number, &found) == 0 && S_ISREG(found.st_mode)) return file;
  throw std::runtime_error("the file " + path + ", by which gradings take turns on a GPU, cannot be used (" +
                           trouble + "). Remove it");
}

std::string user_of(pid_t process) {
  struct stat found {};
  if (stat(("/proc/" + std::to_string(process)).c_str(), &found) != 0) return "";
  const passwd* user = getpwuid(found.st_uid);
  return user == nullptr ? std::to_string(found.st_uid) : user->pw_name;
}

/// " (process 4711 of anna)", who has locked the file; "" where the system does not tell.
std::string holder_of(const descriptor& file) {
  struct stat ours {};
  if (fstat(file.number(), &ours) != 0) return "";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    int process = 0;
    unsigned major = 0, minor = 0;
    unsigned long inode = 0;
    if (std::sscanf(line.c_str(), "%*d: FLOCK %*s %*s %d %x:%x:%lu", &process, &major, &minor, &inode) != 4)
      continue;
    if (process <= 0 || inode != ours.st_ino || makedev(major, minor) != ours.st_dev) continue;
    const std::string user = user_of(process);
    return user.empty() ? "" : " (process " + std::to_string(process) + " of " + user + ")";
  }
  return "";
}

/// In percent; -1 where it is not told.
int utilization_of(const std::string& name) {
  const std::string command =
      "nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits -i " + name + " 2>/dev/null";
  FILE* answer = popen(command.c_str(), "r");
  if (answer == nullptr) return -1;
  int percent = -1;
  if (std::fscanf(answer, "%d", &percent) != 1) percent = -1;
  pclose(answer);
  return percent;
}

}  // namespace

gpu::gpu(std::function<void(const std::string&)> on_waiting) : on_waiting_(std::move(on_waiting)) {
  const auto names = names_of_gpus();
  for (const std::string& name : names) {
    name_ = name;
    lock_ = lock_file_of(name);
    if (!try_lock()) continue;
    unlock();
    return;
  }
  name_ = names[static_cast<std::size_t>(getpid()) % names.size()];  // so gradings spread over them
  lock_ = lock_file_of(name_);
}

bool gpu::try_lock() {
  return flock(lock_.number(), LOCK_EX | LOCK_NB) == 0;
}

void gpu::lock() {
  const auto start = std::chrono::steady_clock::now();
  bool told = false;
  while (!try_lock()) {
    stop_if_requested();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (told || std::chrono::steady_clock::now() - start < std::chrono::seconds(1)) continue;
    told = true;
    on_waiting_(holder_of(lock_));
  }
}

void gpu::unlock() {
  flock(lock_.number(), LOCK_UN);
}

std::vector<std::string> gpu::environment() const {
  std::vector<std::string> result{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + name_};
  // The emulated GPU of a busy machine stands in for it.
  if (const char* load = std::getenv("LAB_EMULATED_LOAD")) {
    result.push_back(std::string("LAB_EMULATED_LOAD=") + load);
  }
  return result;
}

std::string gpu::used_by_others() const {
  constexpr int busy_percent = 25;                       // a desktop draws its windows with less
  std::this_thread::sleep_for(std::chrono::seconds(1));  // sooner, it would still tell of our own work
  const int most = std::max(utilization_of(name_), utilization_of(name_));
  if (most < busy_percent) return "";
  return "other programs keep it " + std::to_string(most) + " % busy";
}

}  // namespace lab::checks

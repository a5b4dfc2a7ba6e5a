#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exercise/scenario.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// An exercise program whose scenarios end in every way that a program can. It needs no emulated device.

SCENARIO(echo) {
  out.number("number", in.number("number"));
  out.integer("integer", in.integer("integer"));
  out.text("text", in.text("text"));
  const auto floats = in.buffer<float>("floats");
  out.buffer("floats", floats.data(), floats.size());
}

SCENARIO(special_numbers) {
  out.number("nan", std::nan(""));
  out.number("infinity", std::numeric_limits<double>::infinity());
  out.number("negative_zero", -0.0);
  out.buffer("nothing", static_cast<const int*>(nullptr), 0);
}

SCENARIO(large) {
  const std::vector<int> many(3'000'000, 7);
  out.buffer("many", many.data(), many.size());
}

SCENARIO(exits) {
  out.number("reported_ms", 5);
  std::puts("all tests passed");
  std::exit(0);
}

SCENARIO(exits_at_once) {
  _exit(static_cast<int>(in.integer("code")));
}

SCENARIO(throws) {
  out.number("before", 1);
  throw std::runtime_error("no such luck");
}

SCENARIO(throws_a_number) {
  throw 5;
}

SCENARIO(crashes) {
  out.number("before", 1);
  *static_cast<volatile int*>(nullptr) = 1;
}

static int recurse(volatile char* above, bool forever = true) {
  if (!forever) return 0;
  volatile char here[4096];
  here[0] = above[0];
  return recurse(here, above != nullptr) + here[1];
}
SCENARIO(overflows_the_stack) {
  char first = 0;
  out.integer("never", recurse(&first));
}

SCENARIO(aborts) {
  std::abort();
}

SCENARIO(throws_in_a_thread) {
  std::thread([] { throw std::logic_error("nobody listens"); }).join();
}

SCENARIO(spins) {
  for (volatile unsigned i = 0;; i = i + 1) {
  }
}

// A wait that the emulated device knows nothing of: for bytes that nobody writes.
static void wait_in_the_kernel() {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return;
  while (read(ends[0], &byte, 1) != 1) {
  }
}

// Of the process, whichever of its threads this is.
static void name_process(const std::string& name) {
  const int file = open("/proc/self/comm", O_WRONLY);
  if (write(file, name.data(), name.size()) > 0) close(file);
}

SCENARIO(waits) {
  wait_in_the_kernel();
}

SCENARIO(names_itself_and_waits) {
  name_process(in.text("name"));
  wait_in_the_kernel();
}

SCENARIO(ignores_the_request_to_end) {
  std::signal(SIGTERM, SIG_IGN);
  wait_in_the_kernel();
}

SCENARIO(prints_much) {
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) std::fwrite(line.data(), 1, line.size(), stdout);
  out.number("after", 1);
}

SCENARIO(prints_for_ever) {
  while (true) std::puts("and again");
}

SCENARIO(prints_some) {
  std::puts("one line");
  std::fputs("one error\n", stderr);
}

// A child that returns through the student's function writes no value and does not hold the run up.
SCENARIO(forks) {
  const pid_t child = fork();
  out.number("value", child == 0 ? 666 : 1);
}

SCENARIO(leaves_children) {
  for (const bool own_session : {false, true}) {
    if (fork() != 0) continue;
    if (own_session) setsid();
    if (fork() != 0) _exit(0);
    name_process(in.text("name"));
    std::signal(SIGTERM, SIG_IGN);
    wait_in_the_kernel();
  }
  out.number("value", 1);
}

SCENARIO(closes_descriptors) {
  for (int i = 0; i < static_cast<int>(in.integer("below")); ++i) close(i);
  out.number("value", 1);
}

SCENARIO(writes_garbage) {
  const char garbage[] = "reported_ms 5.0 all tests passed";
  for (int i = 3; i < 1024; ++i) {
    if (write(i, garbage, sizeof(garbage)) < 0) continue;
  }
  out.number("value", 1);
}

SCENARIO(takes_memory) {
  for (;;) {
    static char* volatile block;  // else clang takes nothing
    block = new char[1 << 20];
    std::memset(block, 1, 1 << 20);
  }
}

SCENARIO(stops_itself) {
  std::raise(SIGSTOP);
}

SCENARIO(counts_descriptors) {
  int count = 0;
  for (int i = 0; i < 1024; ++i) count += fcntl(i, F_GETFD) >= 0 ? 1 : 0;
  out.integer("count", count);
}

SCENARIO(leaves_files) {
  std::FILE* file = std::fopen("left_behind.txt", "w");
  if (file != nullptr) std::fclose(file);
  char folder[4096];
  out.text("folder", getcwd(folder, sizeof(folder)) != nullptr ? folder : "");
}

SCENARIO(writes_a_huge_file) {
  const int file = open("huge", O_CREAT | O_WRONLY, 0600);
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) {
    if (write(file, block.data(), block.size()) < 0) break;
  }
}

SCENARIO(writes_a_name_twice) {
  out.number("value", 1);
  out.number("value", 2);
}

SCENARIO(reads_its_surroundings) {
  out.integer("channel_is_visible", std::getenv("LAB_EXERCISE_FD") != nullptr);
  out.text("home", std::getenv("HOME") != nullptr ? std::getenv("HOME") : "");
  out.integer("secret_is_visible", std::getenv("LAB_TEST_SECRET") != nullptr);
  char byte;
  out.integer("stdin_bytes", read(0, &byte, 1));
}

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

/// Runs the program `endings` (INTERPOSE_ENDINGS) and looks at how it ends. This one is not interposed.

namespace {

struct outcome {
  int status;
  std::string output;  ///< stdout and stderr
};

struct ending_case {
  const char* ending;
  const char* sentence;  ///< part of what the program must say
};

outcome run(const std::string& arguments, const std::string& environment = "") {
  const std::string command = environment + " timeout 20 " INTERPOSE_ENDINGS " " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  outcome result{};
  std::array<char, 4096> buffer;
  std::size_t bytes;
  while ((bytes = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    result.output.append(buffer.data(), bytes);
  const int raw = pclose(pipe);
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("misuse of the heap ends the program with a sentence that names it") {
  const ending_case cases[] = {
      {"free-twice", "has been freed before"},
      {"free-twice-large", "has been freed before"},
      {"free-twice-aligned", "has been freed before"},
      {"free-twice-aligned-large", "has been freed before"},
      {"free-inside", "not the start of a heap block"},
      {"free-inside-odd", "a pointer into a heap block"},
      {"free-local", "does not come from malloc"},
      {"free-device", "free it with cudaFree"},
      {"write-past-end", "past the end of a heap block of 40 bytes"},
      {"write-before-begin", "the bytes before it were overwritten"},
      {"write-after-free", "a freed heap block overwritten"},
  };
  for (const ending_case& expected : cases) {
    CAPTURE(expected.ending);
    const outcome seen = run(expected.ending);
    CAPTURE(seen.output);
    CHECK(seen.status == 125);
    CHECK(contains(seen.output, expected.sentence));
    CHECK_FALSE(contains(seen.output, "survived"));
  }
}

TEST_CASE("a wait that nothing can end names what it waits for") {
  const ending_case cases[] = {
      {"wait-forever", "waits for a condition variable"},
      {"lock-twice", "waits for a mutex that it holds itself"},
      {"lock-in-opposite-order", "waits for a mutex"},
      {"pause-forever", "waits for a signal"},
  };
  for (const ending_case& expected : cases) {
    CAPTURE(expected.ending);
    const outcome seen = run(expected.ending);
    CAPTURE(seen.output);
    CHECK(seen.status == 125);
    CHECK(contains(seen.output, expected.sentence));
  }
}

TEST_CASE("a kernel cannot sleep or lock") {
  CHECK(contains(run("kernel-sleeps").output, "a kernel called nanosleep"));
  CHECK(contains(run("kernel-locks").output, "a kernel called pthread_mutex_lock"));
}

TEST_CASE("the end of the process is announced and keeps its status") {
  outcome seen = run("_exit");
  CHECK(seen.status == 3);
  CHECK(contains(seen.output, "ending with 3"));
  CHECK_FALSE(contains(seen.output, "destroyed after main"));
  seen = run("quick_exit");
  CHECK(seen.status == 4);
  CHECK(contains(seen.output, "ending with 4"));
  CHECK(contains(seen.output, "quickly"));
  seen = run("exit-in-thread");
  CHECK(seen.status == 5);
  CHECK(contains(seen.output, "destroyed after main: 1001"));
}

TEST_CASE("pthread_exit in main leaves the process to its other threads") {
  const outcome seen = run("pthread_exit");
  CHECK(seen.status == 0);
  CHECK(contains(seen.output, "the thread ends last"));
}

TEST_CASE("addresses and times depend neither on randomisation nor on the environment") {
  const outcome first = run("addresses");
  CHECK(first.status == 7);
  CHECK(contains(first.output, "1767225600"));
  for (int i = 1; i <= 10; ++i) {
    const std::string environment =
        "A=" + std::string(static_cast<std::size_t>(i * 333), 'x') + " MALLOC_ARENA_MAX=1";
    const outcome again =
        run("addresses" + std::string(static_cast<std::size_t>(i), ' ') + std::to_string(i), environment);
    CHECK(again.output == first.output);
  }
}

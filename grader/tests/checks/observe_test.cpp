#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <checks/observe.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

using namespace lab::checks;
using namespace std::chrono_literals;

// Runs against the program in LAB_MISBEHAVING: once without and once with the emulated device.

namespace {

observation run(const std::string& scenario, const input_list& inputs = {}, const run_limits& limits = {}) {
  return run_exercise(std::getenv("LAB_MISBEHAVING"), {scenario, inputs}, limits);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

std::size_t temporary_folders(const std::filesystem::path& in) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(in)) ++count;
  return count;
}

// Several of these tests may run at once, each looks for its own processes and files.
std::string own_name() {
  return "lab-" + std::to_string(getpid());
}

bool process_exists(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "comm");
    std::string found;
    if (std::getline(file, found) && found == name) return true;
  }
  return false;
}

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("inputs and values arrive as they were sent") {
  std::vector<float> floats(100'000);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i) * 0.5f;
  const auto seen = run(
      "echo", {{"number", 0.1}, {"integer", std::int64_t{1} << 40}, {"text", "a\nb"}, {"floats", floats}});
  REQUIRE(seen.how == ending::returned);
  CHECK(seen.values.number("number") == 0.1);
  CHECK(seen.values.integer("integer") == std::int64_t{1} << 40);
  CHECK(seen.values.text("text") == "a\nb");
  CHECK(seen.values.buffer<float>("floats") == floats);
}

TEST_CASE("an integer does where the scenario asks for a number") {
  const auto seen =
      run("echo", {{"number", 3}, {"integer", 4}, {"text", ""}, {"floats", std::vector<float>{}}});
  REQUIRE(seen.how == ending::returned);
  CHECK(seen.values.number("number") == 3);
  CHECK(seen.values.text("text").empty());
  CHECK(seen.values.buffer<float>("floats").empty());
}

TEST_CASE("NaN, infinity and nothing arrive as themselves") {
  const auto seen = run("special_numbers");
  REQUIRE(seen.how == ending::returned);
  CHECK(std::isnan(seen.values.number("nan")));
  CHECK(std::isinf(seen.values.number("infinity")));
  CHECK(std::signbit(seen.values.number("negative_zero")));
  CHECK(seen.values.buffer<int>("nothing").empty());
}

TEST_CASE("a buffer larger than any pipe arrives whole") {
  const auto seen = run("large");
  REQUIRE(seen.how == ending::returned);
  CHECK(seen.values.buffer<int>("many") == std::vector<int>(3'000'000, 7));
}

TEST_CASE("a value that is not there, or of another type, is never a number") {
  const auto seen = run("special_numbers");
  CHECK_THROWS_AS(seen.values.number("missing"), no_such_value);
  CHECK_THROWS_AS(seen.values.integer("nan"), no_such_value);
  CHECK_THROWS_AS(seen.values.text("nan"), no_such_value);
  CHECK_THROWS_AS(seen.values.buffer<float>("nothing"), no_such_value);
}

TEST_CASE("exit(0) and a claim on stdout do not pass for a return") {
  const auto seen = run("exits");
  CHECK(seen.how == ending::exited_early);
  CHECK(seen.output == "all tests passed\n");
  CHECK(seen.values.number("reported_ms") == 5);
  CHECK(contains(seen.sentence(), "before your function had returned"));
}

TEST_CASE("any exit code before the end is an early exit") {
  for (const int code : {0, 1, 119, 125}) {
    CAPTURE(code);
    const auto seen = run("exits_at_once", {{"code", code}});
    CHECK(seen.how != ending::returned);
    CHECK(seen.exit_code == code);
  }
}

TEST_CASE("an exception is named, and what came before it is seen") {
  const auto seen = run("throws");
  CHECK(seen.how == ending::exception);
  CHECK(seen.detail == "std::runtime_error: no such luck");
  CHECK(seen.values.number("before") == 1);
  CHECK(run("throws_a_number").how == ending::exception);
}

TEST_CASE("a crash is a crash, whichever way") {
  const auto seen = run("crashes");
  CHECK(seen.how == ending::crashed);
  CHECK(seen.signal == SIGSEGV);
  CHECK(seen.values.number("before") == 1);
  CHECK(contains(seen.sentence(), "the program crashed"));
  CHECK(run("overflows_the_stack").how == ending::crashed);
  CHECK(contains(run("aborts").sentence(), "abort"));
  CHECK(contains(run("throws_in_a_thread").sentence(), "nobody listens"));
}

TEST_CASE("an endless loop ends by its CPU time, a wait by the wall clock") {
  run_limits limits;
  limits.cpu_time = 300ms;
  limits.grace = 100ms;
  const auto spun = run("spins", {}, limits);
  CHECK(spun.how == ending::timed_out);
  CHECK(contains(spun.sentence(), "stopped after 300 ms of CPU time"));

  limits.wall_time = 300ms;
  const auto waited = run("waits", {}, limits);
  CHECK(waited.how == ending::timed_out);
  CHECK(contains(waited.sentence(), "stopped after 300 ms"));
  CHECK(run("ignores_the_request_to_end", {}, limits).how == ending::timed_out);
}

TEST_CASE("memory without end is ended, and so is a program that stops itself") {
  run_limits little;
  little.most_memory = std::size_t{256} << 20;
  const auto greedy = run("takes_memory", {}, little);
  CHECK(greedy.how == ending::timed_out);
  CHECK(contains(greedy.sentence(), "stopped after taking more than 256 MiB of memory"));
  const auto stopped = run("stops_itself");
  CHECK(stopped.how == ending::timed_out);
  CHECK(contains(stopped.sentence(), "it had stopped itself by a signal"));
}

TEST_CASE("a descriptor of the grader's is not the program's") {
  const auto usual = run("counts_descriptors").values.integer("count");
  const int inherited = dup(1);  // without close-on-exec, as a report's descriptor arrives
  CHECK(run("counts_descriptors").values.integer("count") == usual);
  close(inherited);
}

TEST_CASE("of much output the beginning is kept and the rest counted") {
  const auto seen = run("prints_much");
  CHECK(seen.how == ending::returned);
  CHECK(seen.values.number("after") == 1);
  CHECK(seen.output.size() == 64 * 1024);
  CHECK(seen.output_bytes == 100u << 20);
}

TEST_CASE("output without end ends the program") {
  run_limits limits;
  limits.most_output = 8 << 20;
  const auto begin = std::chrono::steady_clock::now();
  const auto seen = run("prints_for_ever", {}, limits);
  CHECK(seen.how == ending::flooded);
  CHECK(seen.sentence() == "the program printed more than 8 MiB: endless output?");
  CHECK(seen.output.size() == 64 * 1024);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("stdout and stderr are kept apart from the values") {
  const auto seen = run("prints_some");
  CHECK(seen.how == ending::returned);
  CHECK(contains(seen.output, "one line\n"));
  CHECK(contains(seen.output, "one error\n"));
  CHECK(seen.values.size() == 0);
}

TEST_CASE("a forked child answers nothing") {
  const auto seen = run("forks");
  CHECK(seen.how == ending::returned);
  CHECK(seen.values.number("value") == 1);
}

TEST_CASE("no process outlives the run, in the group or out of it") {
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = own_name();
  CHECK(run("leaves_children", {{"name", name}}).how == ending::returned);
  CHECK_FALSE(process_exists(name));
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);  // it waits for none of them
}

TEST_CASE("closing the low descriptors does no harm, closing all breaks the channel") {
  CHECK(run("closes_descriptors", {{"below", 256}}).how == ending::returned);
  const auto seen = run("closes_descriptors", {{"below", 1024}});
  CHECK(seen.how == ending::channel_broken);
  CHECK(contains(seen.sentence(), "had not opened"));
}

TEST_CASE("bytes written into the channel are not taken for values") {
  const auto seen = run("writes_garbage");
  CHECK(seen.how == ending::channel_broken);
  CHECK_FALSE(seen.values.has("reported_ms"));
}

TEST_CASE("a file of more than 64 MiB ends the program") {
  const auto seen = run("writes_a_huge_file");
  CHECK(seen.how == ending::crashed);
  CHECK(contains(seen.sentence(), "64 MiB"));
}

TEST_CASE("driver and check that do not fit are told apart from the student's mistakes") {
  CHECK(run("no_such_scenario").how == ending::not_started);
  CHECK(contains(run("echo").sentence(), "\"number\""));
  CHECK(contains(run("echo", {{"number", "text"}}).sentence(), "another type"));
  CHECK(contains(run("writes_a_name_twice").sentence(), "twice"));
}

TEST_CASE("the program sees an environment and a folder of its own") {
  setenv("LAB_TEST_SECRET", "1", 1);
  const auto seen = run("reads_its_surroundings");
  REQUIRE(seen.how == ending::returned);
  CHECK(seen.values.integer("channel_is_visible") == 0);
  CHECK(seen.values.integer("secret_is_visible") == 0);
  CHECK(seen.values.integer("stdin_bytes") == 0);
  CHECK_FALSE(std::filesystem::exists(seen.values.text("home")));
}

TEST_CASE("files that the program leaves are removed, descriptors closed") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / (own_name() + "-files");
  std::filesystem::create_directories(folder);
  setenv("TMPDIR", folder.c_str(), 1);
  run("echo");  // whatever the libraries keep open, they have it now
  const std::size_t before = open_descriptors();
  const auto seen = run("leaves_files");
  CHECK(std::filesystem::path(seen.values.text("folder")).parent_path() == folder);
  run("crashes");
  run("leaves_children", {{"name", own_name()}});
  CHECK(open_descriptors() == before);
  CHECK(temporary_folders(folder) == 0);
  unsetenv("TMPDIR");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a grader that is stopped leaves nothing behind") {
  const std::string name = own_name();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / (name + "-stop");
  std::filesystem::create_directories(folder);
  for (const int how : {SIGTERM, SIGKILL}) {
    const pid_t grader = fork();
    if (grader == 0) {
      setenv("TMPDIR", folder.c_str(), 1);
      std::signal(SIGTERM, [](int) { request_stop(); });
      try {
        run("names_itself_and_waits", {{"name", name}});
      } catch (const interrupted&) {
        _exit(130);
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
      }
      _exit(1);
    }
    REQUIRE(comes_true([&] { return process_exists(name); }));
    kill(grader, how);
    int status = 0;
    waitpid(grader, &status, 0);
    CHECK(comes_true([&] {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {  // an orphan comes to us
      }
      return !process_exists(name);
    }));
    if (how == SIGTERM) CHECK(WEXITSTATUS(status) == 130);
    if (how == SIGTERM) CHECK(temporary_folders(folder) == 0);  // nobody is left to remove it after a SIGKILL
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a folder that cannot be written, or a program that is not there, is said so") {
  setenv("TMPDIR", "/nowhere", 1);
  CHECK_THROWS_WITH_AS(run("echo"), doctest::Contains("set TMPDIR"), std::runtime_error);
  unsetenv("TMPDIR");
  CHECK_THROWS_WITH_AS(run_exercise("/nowhere/program", {"echo", {}}), doctest::Contains("cannot start"),
                       std::runtime_error);
}

TEST_CASE("a scenario that is run by hand prints its values; what is no input is told") {
  const auto by_hand = [](const std::string& arguments) {
    const std::string command = std::string(LAB_STAYING) + " --run " + arguments + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    return std::pair{WEXITSTATUS(pclose(pipe)), output};
  };
  const auto [code, output] = by_hand("count given=5");
  CHECK(code == 0);
  CHECK(contains(output, "counted = 41\n"));
  CHECK(contains(output, "given = 5\n"));
  CHECK(by_hand("missing").first == 64);
  CHECK(by_hand("throws") == std::pair{1, std::string("ended = std::runtime_error: no such luck\n")});
  CHECK(contains(by_hand("count").second, "\"given\", which was not given"));
  for (const std::string wrong : {"given", "=5", "given=1 given=2", "given=99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK(by_hand("count " + wrong).first == 64);
    CHECK(contains(by_hand("count " + wrong).second, "is no input: NAME=VALUE, each name once, is one."));
  }
}

TEST_CASE("a program that stays is for each run as if it had just started") {
  staying_exercise program(LAB_STAYING, {});
  program.prepare();
  program.prepare();
  const auto first = program.run("count", {{"given", 1}}), second = program.run("count", {{"given", 2}});
  for (const auto* seen : {&first, &second}) {
    REQUIRE(seen->how == ending::returned);
    CHECK(seen->values.integer("prepared") == 1);
    CHECK(seen->values.integer("counted") == 41);
    CHECK(seen->values.integer("built") == 1);
    CHECK(seen->values.integer("zero_at_first") == 1);
    CHECK(seen->values.integer("counted_by_thread") == 11);
    CHECK(seen->values.integer("zero_of_thread") == 1);
  }
  CHECK(second.values.integer("given") == 2);
  CHECK(second.values.integer("process") == first.values.integer("process"));
  CHECK(second.values.number("kept") == 2);  // what is meant to
}

TEST_CASE("a run that leaves something, or does not return, is its process's last") {
  staying_exercise program(LAB_STAYING, {});
  const auto process_of = [&] { return program.run("count", {{"given", 0}}).values.integer("process"); };
  const auto first = process_of();
  const auto leaving = program.run("leaves_something", {});
  CHECK(leaving.how == ending::returned);
  CHECK(leaving.values.integer("process") == first);
  const auto second = process_of();
  CHECK(second != first);
  CHECK(program.run("throws", {}).how == ending::exception);
  program.prepare();
  const auto third = process_of();
  CHECK(third != second);
  CHECK(program.run("exits", {}).exit_code == 3);
  CHECK(process_of() != third);
  CHECK(program.run("missing", {}).how == ending::not_started);
  kill(static_cast<pid_t>(process_of()), SIGKILL);
  std::this_thread::sleep_for(50ms);
  CHECK(process_of() > 0);  // another one
}

TEST_CASE("a run with something to be done at the program's end is its process's last") {
  staying_exercise program(LAB_STAYING, {});
  for (const std::string scenario : {"has_object", "has_object_of_thread", "has_function_called"}) {
    CAPTURE(scenario);
    const auto first = program.run("count", {{"given", 0}}).values.integer("process");
    const auto seen = program.run(scenario, {});
    CHECK(seen.how == ending::returned);
    CHECK(seen.values.integer("process") == first);
    CHECK(program.run("count", {{"given", 0}}).values.integer("process") != first);
  }
}

TEST_CASE("once a process was used up, the next is ready when it is needed") {
  staying_exercise program(LAB_STAYING, {});
  const auto process_of = [](const observation& seen) { return seen.values.integer("process"); };
  std::int64_t last = 0;
  for (int i = 0; i < 4; ++i) {
    program.prepare();
    const auto leaving = program.run("leaves_something", {});
    CHECK(leaving.how == ending::returned);
    CHECK(process_of(leaving) != std::exchange(last, process_of(leaving)));
  }
  const auto spare = program.run("count", {{"given", 0}});  // nobody has waited until it was ready
  CHECK(spare.how == ending::returned);
  CHECK(spare.values.integer("prepared") == 1);
  CHECK(process_of(spare) != last);
  CHECK(process_of(program.run("count", {{"given", 0}})) == process_of(spare));

  program.prepare();
  CHECK(program.run("exits", {}).exit_code == 3);
  const auto next = program.run("count", {{"given", 0}});
  CHECK(next.values.integer("prepared") == 1);
  kill(static_cast<pid_t>(process_of(next)), SIGKILL);
  std::this_thread::sleep_for(50ms);
  program.prepare();
  CHECK(program.run("count", {{"given", 0}}).how == ending::returned);
}

TEST_CASE("who waits for a record need not wait until its program is gone") {
  staying_exercise program(LAB_STAYING, {});
  using clock = std::chrono::steady_clock;
  std::vector<clock::time_point> recorded;
  const auto note = [&] { recorded.push_back(clock::now()); };
  CHECK(program.run("takes_a_while_to_go", {}, {}, note).how == ending::exited_early);
  REQUIRE(recorded.size() == 1);
  CHECK(clock::now() - recorded[0] > 300ms);
  CHECK(program.run("count", {{"given", 0}}, {}, note).how == ending::returned);
  CHECK(recorded.size() == 1);  // it stays
}

TEST_CASE("a renewed program has run nothing before") {
  staying_exercise program(LAB_STAYING, {});
  const auto process_of = [&] { return program.run("count", {{"given", 0}}).values.integer("process"); };
  const auto first = process_of();
  program.renew();
  program.prepare();
  const auto second = process_of();
  CHECK(second != first);
  CHECK(process_of() == second);
  program.renew();
  CHECK(process_of() != second);  // nobody has waited until it was ready
}

TEST_CASE("a program that waits for its next run is let be by the others' ends, and ends with its owner") {
  std::int64_t waiting = 0;
  {
    staying_exercise program(LAB_STAYING, {});
    waiting = program.run("count", {{"given", 0}}).values.integer("process");
    CHECK(run_exercise(LAB_STAYING, {"count", {{"given", 0}}}).values.integer("process") != waiting);
    CHECK(run_exercise(LAB_STAYING, {"exits", {}}).exit_code == 3);
    CHECK(program.run("count", {{"given", 0}}).values.integer("process") == waiting);
  }
  CHECK(kill(static_cast<pid_t>(waiting), 0) != 0);
}

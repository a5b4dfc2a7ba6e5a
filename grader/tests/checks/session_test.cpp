#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <checks/observe.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <timeline/render.hpp>
#include <vector>

// Runs the sample checks program as the `lab` command does, and reads its report.

namespace {

using nlohmann::json;

struct finished_program {
  int exit_code = -1;
  std::vector<json> report;
  std::string output;

  const json& check(const std::string& name) const {
    for (const json& line : report) {
      if (line.at("type") == "check" && line.at("name") == name) return line;
    }
    FAIL("no check ", name);
    return report.front();
  }
  std::string text(const std::string& name) const {
    return check(name).at("message").get<std::string>() + " " + check(name).at("because").get<std::string>();
  }
};

std::string read_all(std::FILE* from) {
  std::string text;
  char part[4096];
  while (const std::size_t got = std::fread(part, 1, sizeof(part), from)) text.append(part, got);
  return text;
}

finished_program run_checks(const std::string& arguments, const std::string& path = "$PATH") {
  // The report comes through descriptor 9, what doctest or the program might print through 1 and 2.
  std::string file = "/tmp/lab-report-XXXXXX";
  close(mkstemp(file.data()));
  const std::string command =
      "PATH=\"" + path + "\" LAB_DEVICE=emulator " LAB_SAMPLE_CHECKS " " + arguments + " 2>&1 9>" + file;
  finished_program result;
  std::FILE* pipe = popen(command.c_str(), "r");
  result.output = read_all(pipe);
  result.exit_code = WEXITSTATUS(pclose(pipe));
  std::FILE* report = std::fopen(file.c_str(), "r");
  const std::string text = read_all(report);
  std::fclose(report);
  std::remove(file.c_str());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    result.report.push_back(json::parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

const finished_program& whole_run() {
  static const finished_program result = run_checks("--exercise " LAB_SAMPLE " --seed 7 --report-fd 9");
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the report begins with the manifest, has every check in its order, and ends with the sums") {
  const auto& seen = whole_run();
  CHECK(seen.exit_code == 0);
  CHECK(seen.output.empty());
  REQUIRE(seen.report.size() > 3);
  const json& begin = seen.report.front();
  CHECK(begin.at("type") == "begin");
  CHECK(begin.at("seed") == 7);
  std::vector<std::string> announced, finished;
  for (const json& each : begin.at("checks")) announced.push_back(each.at("name"));
  int points = 0, max_points = 0;
  for (const json& line : seen.report) {
    if (line.at("type") != "check") continue;
    finished.push_back(line.at("name"));
    points += line.at("points").get<int>();
    max_points += line.at("max_points").get<int>();
  }
  CHECK(announced == finished);
  const json& end = seen.report.back();
  CHECK(end.at("type") == "end");
  CHECK(end.at("points") == points);
  CHECK(end.at("max_points") == max_points);
  CHECK(points == 11);
  CHECK(contains(end.at("device").get<std::string>(), "T4"));
}

TEST_CASE("each check comes to the outcome in its name") {
  for (const json& line : whole_run().report) {
    if (line.at("type") != "check") continue;
    const std::string name = line.at("name"), outcome = line.at("outcome");
    const std::string wanted = name.substr(0, name.find(':'));
    CAPTURE(name);
    CAPTURE(line.at("message").get<std::string>());
    CHECK((wanted == "passes" ? "pass" : wanted == "fails" ? "fail" : wanted) == outcome);
    CHECK(line.at("points").get<int>() == (outcome == "pass" ? line.at("max_points").get<int>() : 0));
    CHECK((outcome == "pass") == line.at("message").get<std::string>().empty());
  }
}

TEST_CASE("messages say what happened, where, and what to look at") {
  const auto& seen = whole_run();
  const std::string unwaited = seen.text("fails: the clock reports the kernel's time");
  CHECK(contains(unwaited, "time_with_clock() returned"));
  CHECK(contains(unwaited, "the time that spin took"));
  CHECK(contains(unwaited, "how long it took to submit the work"));
  CHECK(contains(unwaited, "sample.cu:"));
  CHECK(contains(unwaited, "Look at when the launch returns."));
  CHECK(contains(seen.text("fails: a constant"), "measured nothing"));
  CHECK(contains(seen.text("fails: NaN"), "reported_ms is NaN, which is no measured value"));
  CHECK(contains(seen.text("fails: a kernel that is not there"), "spin was never launched"));
  CHECK(contains(seen.text("fails: a leak"), "event created at sample.cu:"));
  CHECK(contains(seen.text("fails: wrong elements"),
                 "2 of 5 elements are wrong: [3] is -1, expected 9, [4] is -1"));
  CHECK(contains(seen.text("fails: doctest's own assertions"), "one is not two"));
  CHECK(contains(seen.text("fails: in the second subcase"), "for this reason"));
  CHECK(contains(seen.text("fails: no prediction"), "no prediction yet"));
  CHECK(contains(seen.text("error: exit(0)"), "before your function had returned"));
  CHECK(contains(seen.text("error: exit(0)"), "all tests passed"));
  CHECK(contains(seen.text("error: an exception"), "std::runtime_error: no such luck"));
  CHECK(contains(seen.text("error: the driver has no such scenario"), "\"missing\""));
  CHECK(seen.check("not run: needs what failed").at("because") == "fails: a constant");
}

TEST_CASE("a hazard comes with the run in which it does harm") {
  const auto because = [](const char* check) {
    return whole_run().check(std::string("fails: ") + check).at("because").get<std::string>();
  };
  CHECK(because("two pieces of work that nothing orders") ==
        "Proof: with the upload held back until add_one was done, result[0] is 1, not 2, and 7 more are "
        "wrong.");
  CHECK(because("a result that the host does not wait for") ==
        "Proof: with the download held back for as long as nothing waited for it, result[0] is -1, not 2, "
        "and 7 more "
        "are wrong.");
  CHECK(because("a source that changes while it may be read") ==
        "Proof: with the upload held back for as long as nothing waited for it, and no wait that nothing "
        "promises, "
        "result[0] is 101, not 2.");
  CHECK(contains(because("memory freed in use"),
                 "Proof: with the download held back beyond cudaFree, which need not "
                 "wait, "));
  CHECK(because("an answer that nobody looks at") ==
        "Proof: with the download held back for as long as nothing waited for it, result[0] is -1, not 2, "
        "and 7 more are "
        "wrong.");
  CHECK(because("writes of the same value that nothing orders").empty());
}

TEST_CASE("a failed time comes with its picture") {
  const json& line = whole_run().check("fails: the clock reports the kernel's time");
  REQUIRE(line.at("timeline").is_object());
  const auto picture = line.at("timeline").get<lab::timeline::excerpt>();
  REQUIRE(picture.rows.size() == 3);
  CHECK(picture.rows.back().name == "measured");
  for (const auto& each : lab::timeline::render(picture, 80, {})) MESSAGE(each);
}

TEST_CASE("what does not pass comes with the run that it is about") {
  const auto run_of = [](const char* check) { return whole_run().check(check).at("run"); };
  const json leaking{{"scenario", "timed_with_events"},
                     {"inputs", {{"kernel_ms", 1.0}, {"leak", 1}}},
                     {"schedule", ""},
                     {"on_gpu", false},
                     {"trace", run_of("fails: a leak").at("trace")}};
  CHECK(leaking.at("trace") != 0);
  CHECK(run_of("fails: the first of two runs") == leaking);
  CHECK(run_of("fails: the first of two runs, in words alone").at("scenario") == "constant");
  CHECK(run_of("fails: NaN").at("scenario") == "not_a_number");
  CHECK(run_of("fails: a kernel that is not there").at("scenario") == "constant");
  CHECK(run_of("error: a crash").at("scenario") == "crashes");
  CHECK(run_of("fails: memory freed in use").at("inputs").at("missing") == "the wait before the free");
  for (const char* without :
       {"fails: a wrong prediction", "fails: a wrong prediction, with a picture", "fails: no prediction",
        "fails: doctest's own assertions", "not run: needs what failed",
        "passes: the event timer reports the kernel's time"})
    CHECK(run_of(without).is_null());
  const auto read_back = json(leaking).get<lab::checks::judged_run>();
  CHECK(std::get<double>(read_back.asked.inputs.at(0).content) == 1.0);
  CHECK(std::get<std::int64_t>(read_back.asked.inputs.at(1).content) == 1);
  CHECK(json(read_back) == leaking);
  for (const lab::checks::input& untold :
       {lab::checks::input{"array", std::vector<float>{1}}, lab::checks::input{"nan", std::nan("")}})
    CHECK_THROWS_AS(json(lab::checks::judged_run{{"echo", {untold}}, false, 0}), std::invalid_argument);
}

TEST_CASE("the same seed gives the same report, but for the time it took") {
  const auto without_times = [](std::vector<json> report) {
    for (json& line : report) line.erase("milliseconds");
    return report;
  };
  const auto again = run_checks("--exercise " LAB_SAMPLE " --seed 7 --report-fd 9");
  CHECK(without_times(again.report) == without_times(whole_run().report));
}

TEST_CASE("one check alone runs with those that it needs") {
  const auto seen = run_checks("--exercise " LAB_SAMPLE " --report-fd 9 --only 'passes: needs what passed'");
  CHECK(seen.exit_code == 0);
  CHECK(seen.report.front().at("checks").size() == 2);
  CHECK(seen.check("passes: needs what passed").at("outcome") == "pass");
  CHECK(seen.report.back().at("max_points") == 3);
}

// Where there is no real GPU, the emulated one stands in for it.
TEST_CASE("a check passes where it does so on both devices, on the real one in one of two runs") {
  const auto seen = run_checks("--exercise " LAB_SAMPLE " --on-gpu " LAB_SAMPLE " --seed 7 --report-fd 9");
  for (const json& line : whole_run().report) {
    if (line.at("type") != "check" || contains(line.at("name"), "real GPU")) continue;
    CHECK(seen.check(line.at("name")).at("outcome") == line.at("outcome"));
    CHECK(seen.check(line.at("name")).at("message") == line.at("message"));
  }
  const json& failed = seen.check("passes: what goes wrong on a real GPU alone");
  CHECK(failed.at("outcome") == "fail");
  CHECK(failed.at("because") ==
        "Look at it. That is so on the real GPU; on the emulated one this check passes.");
  const json& with_patience =
      seen.check("passes: what goes wrong on the emulated GPU while a real GPU is judged");
  CHECK(with_patience.at("message") == "the emulated GPU ran it");
  CHECK(with_patience.at("because") ==
        "Look at it. That is so on the emulated GPU, where work may take seconds.");
}

TEST_CASE("what the emulated GPU proves is shown on the real one too, once") {
  const auto because = [](const std::string& options, const std::string& name) {
    const auto seen = run_checks("--exercise " LAB_SAMPLE " --seed 7 --report-fd 9" + options);
    return seen.check("fails: " + name).at("because").get<std::string>();
  };
  const std::string on_gpu = " --on-gpu " LAB_SAMPLE, shown = "; so it is on emulated T4";
  CHECK(contains(because(on_gpu, "two pieces of work that nothing orders"), shown));
  CHECK_FALSE(contains(because(on_gpu, "a result that the host does not wait for"), shown));
  CHECK_FALSE(contains(because("", "two pieces of work that nothing orders"), shown));
  // Luck cannot be turned round there.
  const std::string alone = on_gpu + " --only 'fails: a source that changes while it may be read'";
  CHECK_FALSE(contains(because(alone, "a source that changes while it may be read"), shown));
}

TEST_CASE("runs on the two devices are compared where an author asks for it") {
  const std::string arguments =
      "--exercise " LAB_SAMPLE " --on-gpu " LAB_SAMPLE " --report-fd 9 --only 'passes: all is ordered'";
  setenv("LAB_COMPARE_DEVICES", "1", 1);
  const auto compared = run_checks(arguments);
  unsetenv("LAB_COMPARE_DEVICES");
  CHECK(compared.check("passes: all is ordered").at("outcome") == "pass");  // the stand-in is the same
}

TEST_CASE("what fails on a GPU that others use was not run") {
  std::string folder = "/tmp/lab-fake-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const auto checks_with_utilization = [&](int percent) {
    const std::string program = folder + "/nvidia-smi";
    std::ofstream(program) << "#!/bin/sh\necho " << percent << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return run_checks("--exercise " LAB_SAMPLE " --on-gpu " LAB_SAMPLE
                      " --report-fd 9 --only 'passes: what goes wrong on a real GPU alone'",
                      folder + ":$PATH");
  };
  const auto name = "passes: what goes wrong on a real GPU alone";
  const auto shared = checks_with_utilization(97);
  CHECK(shared.check(name).at("outcome") == "not run");
  CHECK(shared.check(name).at("message") == "the GPU is shared: other programs keep it 97 % busy");
  CHECK(checks_with_utilization(4).check(name).at("outcome") == "fail");
  std::filesystem::remove_all(folder);
}

namespace {

/// The lock of a GPU that only these tests have.
struct test_gpu {
  test_gpu() { setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1); }
  ~test_gpu() {
    unsetenv("CUDA_VISIBLE_DEVICES");
    std::filesystem::remove(lock);
  }
  const std::string name = "test-" + std::to_string(getpid());
  const std::string lock = "/tmp/cuda-event-labs-gpu-" + name + ".lock";
};

constexpr const char* on_both =
    "--exercise " LAB_SAMPLE " --on-gpu " LAB_SAMPLE " --report-fd 9 --only 'passes: all is ordered'";

}  // namespace

TEST_CASE("gradings take turns on a GPU, and who waits for long says so") {
  const test_gpu gpu;
  const int held = open(gpu.lock.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
  REQUIRE(flock(held, LOCK_EX) == 0);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1600));
    flock(held, LOCK_UN);
  });
  const auto seen = run_checks(on_both);
  other.join();
  close(held);
  CHECK(seen.check("passes: all is ordered").at("outcome") == "pass");
  const auto waits = [](const json& line) {
    if (line.at("type") != "waiting") return false;
    const std::string because = line.at("because"), told = "another grading uses the GPU";
    // where /proc/locks tells, which it does not on every file system
    return because == told || because.rfind(told + " (process " + std::to_string(getpid()) + " of ", 0) == 0;
  };
  CHECK(std::any_of(seen.report.begin(), seen.report.end(), waits));
  const auto alone = run_checks(on_both);
  CHECK(std::none_of(alone.report.begin(), alone.report.end(), waits));
}

TEST_CASE("a GPU has one lock, whichever of its names is given") {
  std::string folder = "/tmp/lab-fake-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const test_gpu number;
  const std::string uuid = "GPU-" + number.name + "-0000-1111",
                    lock_of_uuid = "/tmp/cuda-event-labs-gpu-" + uuid + ".lock";
  const auto lock_of_number = "/tmp/cuda-event-labs-gpu-9" + std::to_string(getpid()) + ".lock";
  const std::string program = folder + "/nvidia-smi";
  std::ofstream(program) << "#!/bin/sh\necho '0, GPU-another'\necho '9" << getpid() << ", " << uuid << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  for (const std::string& name : {uuid, uuid.substr(0, uuid.size() - 5), "9" + std::to_string(getpid()),
                                  "009" + std::to_string(getpid())}) {
    CAPTURE(name);
    setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1);
    run_checks(on_both, folder + ":$PATH");
    CHECK(std::filesystem::remove(lock_of_number));
    CHECK_FALSE(std::filesystem::exists(lock_of_uuid));
  }
  setenv("CUDA_VISIBLE_DEVICES", uuid.c_str(), 1);  // and nobody who knows its number
  run_checks(on_both);
  CHECK(std::filesystem::remove(lock_of_uuid));
  std::filesystem::remove_all(folder);
}

TEST_CASE("what lies where the lock should be is told, and not waited for") {
  const test_gpu gpu;
  const auto told = [&] { return run_checks(on_both).text("passes: all is ordered"); };
  REQUIRE(mkfifo(gpu.lock.c_str(), 0666) == 0);
  CHECK(contains(told(), "cannot be used (it is no plain file). Remove it"));
  std::filesystem::remove(gpu.lock);
  std::filesystem::create_directory(gpu.lock);
  CHECK(contains(told(), "cannot be used (it is no plain file). Remove it"));
  std::filesystem::remove(gpu.lock);
  const std::string elsewhere = gpu.lock + ".elsewhere";
  std::filesystem::create_symlink(elsewhere, gpu.lock);
  CHECK(contains(told(), gpu.lock + ", by which gradings take turns on a GPU, cannot be used"));
  CHECK_FALSE(std::filesystem::exists(elsewhere));
  for (const char* none : {"", ",", "../x"}) {
    setenv("CUDA_VISIBLE_DEVICES", none, 1);
    CHECK(contains(told(), "CUDA_VISIBLE_DEVICES=\"" + std::string(none) + "\" names no GPU"));
  }
}

TEST_CASE("a script in place of the program is refused") {
  std::string script = "/tmp/lab-script-XXXXXX";
  close(mkstemp(script.data()));
  std::ofstream(script) << "#!/bin/sh\nexec " LAB_SAMPLE " \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  for (const auto& arguments : {"--exercise " + script, "--exercise " LAB_SAMPLE " --on-gpu " + script}) {
    const auto seen = run_checks(arguments + " --report-fd 9");
    CHECK(seen.exit_code == 64);
    CHECK(contains(seen.output, script + " is no compiled program"));
  }
  std::filesystem::remove(script);
}

TEST_CASE("what killed gradings have left is removed, and nothing else") {
  std::string parent = "/tmp/lab-left-XXXXXX";
  REQUIRE(mkdtemp(parent.data()) != nullptr);
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  const std::string of_dead = parent + "/lab-exercise-" + std::to_string(dead) + "-abcdef";
  const std::string of_living = parent + "/lab-exercise-" + std::to_string(getpid()) + "-abcdef";
  const std::string of_others = parent + "/lab-exercise-abcdef";
  for (const auto& folder : {of_dead + "/inside", of_living, of_others})
    std::filesystem::create_directories(folder);
  setenv("TMPDIR", parent.c_str(), 1);
  run_checks("--exercise " LAB_SAMPLE " --report-fd 9 --only 'passes: all is ordered'");
  unsetenv("TMPDIR");
  CHECK_FALSE(std::filesystem::exists(of_dead));
  CHECK(std::filesystem::exists(of_living));
  CHECK(std::filesystem::exists(of_others));
  CHECK(std::distance(std::filesystem::directory_iterator(parent), {}) == 2);
  std::filesystem::remove_all(parent);
}

TEST_CASE("misuse is told from a report") {
  CHECK(run_checks("--exercise " LAB_SAMPLE " --on-gpu ''").exit_code == 64);
  CHECK(run_checks("").exit_code == 64);
  CHECK(run_checks("--nonsense").exit_code == 64);
  CHECK(run_checks("--exercise " LAB_SAMPLE " --only nothing").exit_code == 64);
  CHECK(run_checks("--exercise " LAB_SAMPLE " --report-fd 77").exit_code == 74);
  CHECK(contains(run_checks("--list").output, "fails: NaN\n"));
}

TEST_CASE("a crash names what destroyed the handles before") {
  const std::string message = whole_run().check("error: a crash behind a reset").at("message");
  CHECK(contains(message, "; before, cudaDeviceReset at sample.cu:"));
  CHECK(contains(message, " had destroyed all streams, events and memory"));
}

TEST_CASE("a time-out names the last CUDA call") {
  lab::checks::run_limits limits;
  limits.cpu_time = std::chrono::milliseconds(300);
  const auto seen = lab::checks::run_exercise(LAB_SAMPLE, {"spins_on_the_host", {}}, limits);
  CHECK(seen.how == lab::checks::ending::timed_out);
  CHECK(contains(seen.sentence(),
                 "stopped after 300 ms of CPU time; its last CUDA call was cudaFree at sample.cu:"));
}

TEST_CASE("a program that is not there makes every check that runs it an error") {
  const auto seen = run_checks("--exercise /nowhere/program --report-fd 9");
  CHECK(seen.exit_code == 0);
  CHECK(seen.report.back().at("type") == "end");
  CHECK(seen.check("fails: a constant").at("outcome") == "error");
  CHECK(contains(seen.text("fails: a constant"), "cannot start /nowhere/program"));
}

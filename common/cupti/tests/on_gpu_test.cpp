// The recorder on a real GPU: what it records of sample.cu is what the program did.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <thread>
#include <trace/reader.hpp>

using namespace lab;
using trace::operation_kind;

namespace {

struct recorded {
  std::string output;
  trace::run run;
};

std::string all_of(int descriptor) {
  std::string text;
  char portion[1 << 16];
  ssize_t got;
  while ((got = read(descriptor, portion, sizeof portion)) > 0)
    text.append(portion, static_cast<std::size_t>(got));
  close(descriptor);
  return text;
}

/// @param hole where the record has one: a word of what it lacks
/// @param ends_with the program's exit code; one other than 0 is the recorder's doing
recorded run_sample(const std::vector<std::string>& arguments, bool record = true,
                    const std::string& hole = "", const char* schedule = nullptr, int ends_with = 0) {
  int output[2], trace[2];
  REQUIRE(pipe(output) == 0);
  REQUIRE(pipe(trace) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(output[1], 1);
    for (const int end : {output[0], output[1], trace[0]}) close(end);
    if (record) setenv("LAB_TRACE_FD", std::to_string(trace[1]).c_str(), 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    if (schedule != nullptr) setenv("LAB_SCHEDULE", schedule, 1);
    std::vector<char*> pointers{const_cast<char*>(LAB_SAMPLE)};
    for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    execv(LAB_SAMPLE, pointers.data());
    _exit(127);
  }
  close(output[1]);
  close(trace[1]);
  recorded result;
  std::string bytes;
  std::thread other([&] { result.output = all_of(output[0]); });
  bytes = all_of(trace[0]);
  other.join();
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == ends_with);
  if (record) {
    static trace::symbols names(LAB_SAMPLE, LAB_SOURCE);
    result.run = trace::read(bytes, names);
    CAPTURE(result.run.findings.empty() ? "" : result.run.findings[0].message);
    const bool looked_at = schedule != nullptr || ends_with != 0;  // by its test
    CHECK((looked_at || result.run.findings.empty() == hole.empty()));
    for (const auto& each : result.run.findings) {
      if (looked_at) break;
      CHECK(each.kind == trace::finding_kind::incomplete_record);
      CHECK(each.message.find(hole) != std::string::npos);
    }
    CHECK(result.run.complete == (ends_with == 0));
    CHECK_FALSE(result.run.device.emulated);
  }
  return result;
}

const trace::operation& work(const trace::run& run, operation_kind kind, const std::string& name) {
  const auto found = std::find_if(run.operations.begin(), run.operations.end(),
                                  [&](const auto& each) { return each.kind == kind && each.name == name; });
  REQUIRE_MESSAGE(found != run.operations.end(), "no ", name, " in the record");
  return *found;
}

const trace::host_call& call(const trace::run& run, const std::string& name) {
  const auto found =
      std::find_if(run.calls.begin(), run.calls.end(), [&](const auto& each) { return each.name == name; });
  REQUIRE_MESSAGE(found != run.calls.end(), "no ", name, " in the record");
  return *found;
}

double ms(trace::time_ns begin, trace::time_ns end) {
  return static_cast<double>(end - begin) / 1e6;
}

/// What it came to in the order asked for, and which calls and work, which are to be the program's alone.
struct in_order {
  trace::run run;
  std::string value;
  double ms = 0;         ///< that it tells
  std::string not_kept;  ///< why the order was not, if it was not
};

in_order run_in_order(const char* scenario, const char* schedule) {
  CAPTURE(scenario);
  CAPTURE(schedule);
  const auto [output, run] = run_sample({scenario}, true, "", schedule);
  in_order seen{run, "", 0, ""};
  std::istringstream(output) >> seen.value >> seen.ms;
  REQUIRE(run.findings.size() <= 1);
  if (run.findings.empty()) return seen;
  CHECK(run.findings[0].kind == trace::finding_kind::order_not_kept);
  seen.not_kept = run.findings[0].message;
  std::printf("%s, %s: %s\n", scenario, schedule, seen.not_kept.c_str());
  return seen;
}

/// How far the clocks of host and device may lie apart.
constexpr double alignment_ms = 0.02;

}  // namespace

TEST_CASE("streams, events, copies and kernels are recorded with the device's times") {
  const auto [output, run] = run_sample({"streams"});
  double elapsed = 0, waited = 0;
  std::istringstream(output) >> elapsed >> waited;
  const auto& spin = work(run, operation_kind::kernel, "spin");
  const auto& scale = work(run, operation_kind::kernel, "scale");
  const auto& upload = work(run, operation_kind::copy, "copy host to device");
  const auto& download = work(run, operation_kind::copy, "copy device to host");
  const auto& host_function = work(run, operation_kind::host_function, "host function");
  CHECK(ms(spin.begin, spin.end) == doctest::Approx(5).epsilon(0.01));
  CHECK(upload.end <= spin.begin);
  CHECK(spin.end <= scale.begin);
  CHECK(scale.end <= download.begin);
  CHECK(ms(download.end, host_function.begin) > -alignment_ms);

  const auto& wait = work(run, operation_kind::event_wait, "event wait");
  const auto& stop = run.operations.at(wait.waits_for - 1);
  CHECK(stop.kind == operation_kind::event_record);
  CHECK(stop.stream == spin.stream);
  CHECK(wait.stream == download.stream);
  CHECK(run.streams.at(download.stream - 1).non_blocking);

  const auto& asked = call(run, "cudaEventElapsedTime");
  REQUIRE(asked.milliseconds.has_value());
  CHECK(*asked.milliseconds == doctest::Approx(elapsed).epsilon(1e-5));
  const auto& start_record = run.operations.at(asked.start_record - 1);
  const auto& stop_record = run.operations.at(asked.stop_record - 1);
  // from CUDA 13 on the records have the device's own stamps; before, the ends of the work in front of them
  CHECK(ms(start_record.end, stop_record.end) == doctest::Approx(elapsed).epsilon(0.01));

  const auto& synchronized = call(run, "cudaStreamSynchronize");
  CHECK(ms(0, synchronized.blocked) > 4);
  CHECK(ms(download.end, synchronized.end) > -alignment_ms);
  REQUIRE(run.clock_reads.size() == 2);
  CHECK(ms(run.clock_reads[0].value, run.clock_reads[1].value) == doctest::Approx(waited));
  CHECK(ms(run.clock_reads[0].at, run.clock_reads[1].at) == doctest::Approx(waited).epsilon(0.01));

  const auto is_variable = [&all = run.allocations](trace::id allocation) {
    return !all.at(allocation - 1).name.empty();  // which nobody frees
  };
  CHECK(std::count_if(run.allocations.begin(), run.allocations.end(),
                      [&](const auto& each) { return !is_variable(each.id); }) == 3);
  for (const auto& each : run.allocations) CHECK((is_variable(each.id) || each.freed_by != 0));
  for (const auto& event : run.events) CHECK(event.destroyed_by != 0);
  for (const auto& stream : run.streams) CHECK(stream.destroyed_by != 0);
  // what scale's parameters say: it reads one buffer and may read and write the other
  CHECK(std::count_if(scale.accesses.begin(), scale.accesses.end(),
                      [&](const auto& each) { return !is_variable(each.allocation); }) == 3);
  for (const auto& each : scale.accesses) CHECK(each.assumed);
}

TEST_CASE("a call is told at its line of the source, a launch too") {
  const auto run = run_sample({"streams"}).run;
  for (const auto* name :
       {"cudaStreamWaitEvent", "cudaLaunchKernel", "cudaLaunchHostFunc", "cudaMemcpyAsync"}) {
    const auto& seen = call(run, name);
    CAPTURE(name);
    REQUIRE_FALSE(seen.stack.empty());
    const auto in_streams = std::find_if(seen.stack.begin(), seen.stack.end(), [](const auto& frame) {
      return frame.function.find("streams") != std::string::npos;
    });
    REQUIRE(in_streams != seen.stack.end());
    CHECK(in_streams->file == "common/cupti/tests/sample.cu");
    CHECK(in_streams->line > 0);
  }
}

TEST_CASE("what host code reads and writes of memory that the device may use is recorded") {
  const auto run = run_sample({"host accesses"}).run;
  // by way of cudaHostAlloc: CUDA's header has it so for typed pointers
  const auto& pinned = call(run, "cudaHostAlloc");
  const auto& waits = call(run, "cudaStreamSynchronize");
  const auto memory = [&](const trace::host_access& access) {
    return run.allocations.at(access.bytes.allocation - 1).kind;
  };
  REQUIRE(run.host_accesses.size() >= 4);
  const auto& fill = run.host_accesses[0];
  CHECK(fill.bytes.allocation == pinned.allocation);
  CHECK(fill.bytes.begin == 0);
  CHECK(fill.bytes.write);
  const auto too_early = std::find_if(run.host_accesses.begin(), run.host_accesses.end(),
                                      [](const auto& each) { return each.bytes.begin == 5 * sizeof(float); });
  REQUIRE(too_early != run.host_accesses.end());
  CHECK(too_early->bytes.write);
  CHECK(too_early->when > run.calls.at(run.operations.at(0).submitted_by - 1).returned);
  CHECK(too_early->when < waits.begun);
  REQUIRE_FALSE(too_early->stack.empty());
  CHECK(too_early->stack[0].file == "common/cupti/tests/sample.cu");
  const auto& cleared = run.host_accesses.back();
  CHECK(cleared.bytes.write);
  CHECK(cleared.bytes.allocation == pinned.allocation);
  CHECK(cleared.bytes.end - cleared.bytes.begin == (1 << 20) / 2 * sizeof(float));
  const auto of_ordinary =
      std::count_if(run.host_accesses.begin(), run.host_accesses.end(),
                    [&](const auto& each) { return memory(each) == trace::memory_kind::pageable; });
  CHECK(of_ordinary == 1);
}

TEST_CASE("a kernel that says what it uses is taken at its word") {
  const auto run = run_sample({"annotated"}).run;
  const auto& fill = work(run, operation_kind::kernel, "fill");
  REQUIRE(fill.accesses.size() == 1);
  CHECK(fill.accesses[0].write);
  CHECK_FALSE(fill.accesses[0].assumed);
  CHECK(fill.accesses[0].begin == 32);
  CHECK(fill.accesses[0].end == 4032);
}

TEST_CASE("host code's accesses cost little where they are of no interest") {
  const auto each_ns = [](bool record) {
    double ns = 0;
    std::istringstream(run_sample({"uninteresting"}, record).output) >> ns;
    return ns;
  };
  const double usual = each_ns(false), recorded = each_ns(true);
  MESSAGE("an element: ", usual, " ns without a record, ", recorded, " ns with one");
  CHECK(recorded < usual + 20);
}

TEST_CASE("a launch that is refused has its error and is no work") {
  const auto run = run_sample({"errors"}).run;
  CHECK(call(run, "cudaLaunchKernel").status != 0);
  CHECK(run.operations.size() == 1);
}

TEST_CASE("host threads are told apart") {
  const auto run = run_sample({"threads"}).run;
  REQUIRE(run.operations.size() == 2);
  const auto thread_of = [&](const trace::operation& each) {
    return run.calls.at(each.submitted_by - 1).thread;
  };
  CHECK(thread_of(run.operations[0]) != thread_of(run.operations[1]));
  CHECK(thread_of(run.operations[0]) != 0);
}

TEST_CASE("a thread that is preempted between its calls is told so, and its calls are not part of that") {
  const auto run = run_sample({"shares its processor"}).run;
  CHECK_FALSE(run.pauses.empty());
  for (const auto& pause : run.pauses) {
    CHECK(pause.kind == trace::pause_kind::preempted);
    CHECK(pause.thread == 0);
    CHECK(pause.begin < pause.end);
    for (const auto& made : run.calls) CHECK((made.end <= pause.begin || made.begin >= pause.end));
  }
}

TEST_CASE("after a fault there is a record still") {
  const auto [output, run] = run_sample({"fault"});
  CHECK(output == "cudaErrorIllegalAddress\n");
  CHECK(call(run, "cudaDeviceSynchronize").error == "cudaErrorIllegalAddress");
}

TEST_CASE("a copy and a set of rows have the bytes of each row") {
  const auto [output, run] = run_sample({"rectangles"});
  const auto pitch = std::strtoull(output.c_str(), nullptr, 10);
  const auto& upload = work(run, operation_kind::copy, "copy host to device");
  const auto& set = work(run, operation_kind::memset, "memset");
  REQUIRE(upload.accesses.size() == 4);
  CHECK(upload.accesses[0].end == 300);  // the host's rows lie one behind the other
  CHECK(upload.accesses[3].begin == 2 * pitch);
  CHECK(upload.accesses[3].end == 2 * pitch + 100);
  CHECK(upload.accesses[3].write);
  REQUIRE(set.accesses.size() == 3);
  CHECK(set.accesses[1].begin == pitch);
  CHECK(set.accesses[1].end == pitch + 10);
}

TEST_CASE("a program that goes on though each call fails is ended, and the record says where") {
  const auto [output, run] = run_sample({"asks for ever"}, true, "", nullptr, 125);
  REQUIRE_FALSE(run.findings.empty());
  const auto& why = run.findings.back();
  CHECK(why.kind == trace::finding_kind::budget);
  CHECK(why.message.find("The last 100,000 CUDA calls all failed, cudaEventQuery with "
                         "cudaErrorInvalidResourceHandle") != std::string::npos);
  REQUIRE_FALSE(why.stack.empty());
  CHECK(why.stack[0].function.find("asks_for_ever") != std::string::npos);
}

TEST_CASE("a program is ended before its record takes all memory, and the record says where") {
  const std::pair<const char*, const char*> cases[] = {
      {"reads the clock for ever", "reads_the_clock_for_ever"}, {"reads columns", "reads_columns"}};
  for (const auto& [scenario, function] : cases) {
    CAPTURE(scenario);
    const auto [output, run] = run_sample({scenario}, true, "", nullptr, 125);
    REQUIRE_FALSE(run.findings.empty());
    const auto& why = run.findings.back();
    CHECK(why.kind == trace::finding_kind::budget);
    CHECK(why.message.find("the record of the run is full") != std::string::npos);
    REQUIRE_FALSE(why.stack.empty());
    CHECK(why.stack[0].function.find(function) != std::string::npos);
  }
}

TEST_CASE("a reset after a fault leaves the last error as it was") {
  CHECK(run_sample({"reset after a fault"}).output == run_sample({"reset after a fault"}, false).output);
}

TEST_CASE("copies name the variables that they use, and kernels may use all of them") {
  const auto [output, run] = run_sample({"variables"});
  CHECK(output == "3\n");
  const auto is_of = [&, &all = run.allocations](const trace::access_range& access, const char* name) {
    return all.at(access.allocation - 1).name == name;
  };
  const auto& upload = work(run, operation_kind::copy, "copy host to device");
  REQUIRE(upload.accesses.size() == 2);
  CHECK(is_of(upload.accesses[1], "steps"));
  CHECK(upload.accesses[1].begin == 2 * sizeof(int));
  CHECK(upload.accesses[1].end == 4 * sizeof(int));
  const auto& download = work(run, operation_kind::copy, "copy device to host");
  REQUIRE(download.accesses.size() == 2);
  CHECK(is_of(download.accesses[0], "counter"));
  const auto& kernel = work(run, operation_kind::kernel, "count_steps");
  CHECK(kernel.accesses.size() == 3);
  for (const auto& each : kernel.accesses) {
    CHECK(each.assumed);
    CHECK((!each.write || is_of(each, "counter")));
  }
}

TEST_CASE("a pointer in an object that a kernel takes lets it use memory") {
  const auto run = run_sample({"objects"}).run;
  std::vector<trace::access_range> of_memory;
  for (const auto& each : work(run, operation_kind::kernel, "clear").accesses) {
    if (run.allocations.at(each.allocation - 1).name.empty()) of_memory.push_back(each);
  }
  REQUIRE(of_memory.size() == 2);
  CHECK(of_memory[1].begin == 8 * sizeof(float));
  CHECK(of_memory[1].write);
  CHECK(of_memory[1].assumed);
}

TEST_CASE("managed memory has the host's uses and the kernels'") {
  const auto run = run_sample({"managed"}).run;
  const auto memory = std::find_if(run.allocations.begin(), run.allocations.end(),
                                   [](const auto& each) { return each.kind == trace::memory_kind::managed; });
  REQUIRE(memory != run.allocations.end());
  CHECK(memory->freed_by != 0);
  const auto& fill = work(run, operation_kind::kernel, "fill");
  REQUIRE(fill.accesses.size() == 1);
  CHECK(fill.accesses[0].allocation == memory->id);
  REQUIRE(run.host_accesses.size() == 1);
  CHECK(run.host_accesses[0].bytes.allocation == memory->id);
  CHECK(run.host_accesses[0].bytes.begin == 3 * sizeof(float));
}

TEST_CASE("a cooperative launch has its stream and its memory") {
  const auto run = run_sample({"cooperative"}).run;
  const auto& fill = work(run, operation_kind::kernel, "fill");
  CHECK(fill.stream == 1);
  REQUIRE(fill.accesses.size() == 1);
  CHECK(fill.accesses[0].end == 400);
}

TEST_CASE("settings and a reset leave no hole") {
  const auto run = run_sample({"settings"}).run;
  const auto& spin = work(run, operation_kind::kernel, "spin");
  CHECK(ms(spin.begin, spin.end) == doctest::Approx(2).epsilon(0.01));
  const auto& reset = call(run, "cudaDeviceReset");
  CHECK(reset.blocked > 0);
  const auto memory = std::find_if(run.allocations.begin(), run.allocations.end(),
                                   [](const auto& each) { return each.name.empty(); });
  CHECK(memory->freed_by == reset.id);
}

TEST_CASE("what is not recorded is told") {
  run_sample({"graph with a function"}, true, "cudaGraphLaunch launches a graph with a host function in it");
  run_sample({"changed graph"}, true, "cudaGraphLaunch launches a graph whose nodes were changed");
  run_sample({"prefetched"}, true, "cudaMemPrefetchAsync");
  run_sample({"driver"}, true, "driver API");
  run_sample({"programmatic"}, true, "programmatic");
}

namespace {

std::vector<trace::operation> graphs_of(const trace::run& run) {
  std::vector<trace::operation> found;
  std::copy_if(run.operations.begin(), run.operations.end(), std::back_inserter(found),
               [](const auto& each) { return each.kind == operation_kind::graph; });
  return found;
}

/// Those of memory that the program allocated.
std::vector<trace::access_range> uses_of_memory(const trace::run& run, const trace::operation& of) {
  std::vector<trace::access_range> found;
  std::copy_if(of.accesses.begin(), of.accesses.end(), std::back_inserter(found),
               [&](const auto& each) { return run.allocations.at(each.allocation - 1).name.empty(); });
  return found;
}

}  // namespace

TEST_CASE("a graph that was captured is one piece of work at each launch, as long as what is in it") {
  for (const auto* scenario : {"captured", "captured, blocking", "captured, per thread"}) {
    CAPTURE(scenario);
    const auto [output, run] = run_sample({scenario});
    CHECK(output == "6 10 ");
    const auto graphs = graphs_of(run);
    REQUIRE(graphs.size() == 2);
    CHECK(graphs[1].waits_for == graphs[0].id);
    for (const auto& each : graphs) {
      std::printf("%s: the graph took %.3f ms\n", scenario, ms(each.begin, each.end));
      CHECK(ms(each.begin, each.end) > 2);
      CHECK(ms(each.begin, each.end) < 20);
      const auto& launch = run.calls.at(each.submitted_by - 1);
      CHECK(launch.name == "cudaGraphLaunch");
      CHECK(launch.stream == each.stream);
      const auto& wait = run.calls.at(each.submitted_by);
      CHECK(wait.name == "cudaStreamSynchronize");
      CHECK(ms(0, wait.blocked) > 1.5);
      const auto uses = uses_of_memory(run, each);
      CHECK(uses.size() == 7);  // two of each copy, three of scale's parameters
      CHECK(std::count_if(uses.begin(), uses.end(), [](const auto& use) { return use.assumed; }) == 3);
    }
    // What was captured is a call, and no work: a set, two graphs and downloads, a record.
    CHECK(run.operations.size() == 6);
    CHECK(call(run, "cudaLaunchKernel").operation == 0);
    CHECK(run.operations.back().kind == operation_kind::event_record);
  }
}

TEST_CASE("a graph made by hand touches what its nodes do, and the graphs in it") {
  const auto [output, run] = run_sample({"added"});
  CHECK(output == "8 7\n");
  const auto graphs = graphs_of(run);
  REQUIRE(graphs.size() == 1);
  const auto uses = uses_of_memory(run, graphs[0]);
  const auto has = [&](const char* of, std::uint64_t begin, std::uint64_t end, bool write, bool assumed) {
    CAPTURE(of);
    CHECK(std::any_of(uses.begin(), uses.end(), [&](const auto& each) {
      return each.begin == begin && each.end == end && each.write == write && each.assumed == assumed;
    }));
  };
  CHECK(uses.size() == 7);
  has("the upload", 0, 400, true, false);
  has("the upload's source", 0, 400, false, false);
  has("scale's source", 0, 4 << 20, false, true);
  has("scale's result", 0, 4 << 20, true, true);
  has("fill, which says so", 2048, 2448, true, false);
  has("the set", 4096, 4196, true, false);
}

TEST_CASE("a graph's uses of memory and a kernel's in another stream are compared") {
  const auto run = run_sample({"graph and kernel"}).run;
  REQUIRE(run.operations.size() == 2);
  const auto &graph = run.operations[0], &kernel = run.operations[1];
  CHECK(graph.kind == operation_kind::graph);
  CHECK(graph.stream != kernel.stream);
  REQUIRE(graph.accesses.size() == 1);
  REQUIRE(kernel.accesses.size() == 1);
  CHECK(graph.accesses[0].allocation == kernel.accesses[0].allocation);
  CHECK(graph.accesses[0].end == 4000);
  CHECK(kernel.accesses[0].begin == 2000);
}

TEST_CASE("a graph that is updated by another touches what that does") {
  const auto run = run_sample({"updated graph"}).run;
  const auto graphs = graphs_of(run);
  REQUIRE(graphs.size() == 2);
  REQUIRE(graphs[0].accesses.size() == 1);
  REQUIRE(graphs[1].accesses.size() == 1);
  CHECK(graphs[0].accesses[0].allocation != graphs[1].accesses[0].allocation);
  CHECK(graphs[1].waits_for == graphs[0].id);
}

TEST_CASE("no capture is spoilt by the recorder, and what spoils one without it does with it") {
  for (const char* schedule : {static_cast<const char*>(nullptr), "submission"}) {
    const auto [output, run] = run_sample({"capture among others"}, true, "", schedule);
    CHECK(output == "1\n");
    CHECK(run.findings.empty());
    CHECK(graphs_of(run).size() == 1);
    CHECK(run.operations.size() == 3);  // and the other thread's upload, and the kernel in the legacy stream
  }
  for (const bool record : {false, true}) {
    CHECK(run_sample({"spoilt capture"}, record).output ==
          "cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureInvalidated\n");
  }
}

TEST_CASE("a graph's launch costs little more, and its work is not lost") {
  const auto cost_of = [](bool record) {
    const auto [output, run] = run_sample({"graph launches", "5000"}, record);
    if (record) CHECK(graphs_of(run).size() == 5001);
    return std::atof(output.c_str());
  };
  const double without = cost_of(false), with = cost_of(true);
  std::printf("a graph's launch takes %.2f us, recorded %.2f us\n", without, with);
}

TEST_CASE("work that runs when main returns is recorded to its end") {
  const auto run = run_sample({"unfinished"}).run;
  CHECK(ms(run.operations.at(0).begin, run.operations.at(0).end) == doctest::Approx(2).epsilon(0.01));
}

// Nothing begins before it is asked for, and no wait returns before what it waits for has ended: what seems
// to, by the record, is the error of the device's times on the host's clock.
TEST_CASE("host and device are on one clock") {
  const auto run = run_sample({"waits"}).run;
  double late_at_most_us = 1e6, early_at_most_us = 1e6;  // the device's times
  for (std::size_t i = 0; i + 1 < run.calls.size(); ++i) {
    if (run.calls[i].operation == 0 || run.calls[i + 1].name != "cudaStreamSynchronize") continue;
    const auto& kernel = run.operations.at(run.calls[i].operation - 1);
    late_at_most_us = std::min(late_at_most_us, 1e3 * ms(run.calls[i].begin, kernel.begin));
    early_at_most_us = std::min(early_at_most_us, 1e3 * ms(kernel.end, run.calls[i + 1].end));
  }
  std::printf("the device's times are at most %.2f us late and %.2f us early on the host's clock\n",
              late_at_most_us, early_at_most_us);
  CHECK(late_at_most_us > 0);
  CHECK(early_at_most_us > 0);
  CHECK(late_at_most_us + early_at_most_us < 20);
}

TEST_CASE("100,000 launches: none is lost, and each costs at most 5 µs more") {
  const auto cost_of = [](bool record) {
    std::vector<double> costs;
    for (int round = 0; round < 3; ++round) {
      const auto [output, run] = run_sample({"launches", "100000"}, record);
      costs.push_back(std::atof(output.c_str()));
      if (record) {
        CHECK(run.operations.size() == 100001);
        CHECK(std::all_of(run.operations.begin(), run.operations.end(),
                          [](const auto& each) { return each.end != trace::unfinished; }));
      }
    }
    std::sort(costs.begin(), costs.end());
    return costs[1];
  };
  const double without = cost_of(false), with = cost_of(true);
  std::printf("a launch takes %.2f us, recorded %.2f us\n", without, with);
  CHECK(with - without <= 5);
}

TEST_CASE("what is held back begins when the other is done, and the values are others") {
  struct expected {
    const char *scenario, *right, *turned;
    std::size_t operations;
  };
  for (const expected& each :
       {expected{"race", "6", "0", 4}, expected{"race with the legacy stream", "6", "0", 4},
        expected{"race with a graph", "6", "0", 4}, expected{"late kernel", "7", "0", 3},
        expected{"two uploads", "5", "3", 4}}) {
    const auto right = run_in_order(each.scenario, "submission");
    const auto slow = run_in_order(each.scenario, "submission slowly");
    const auto turned = run_in_order(each.scenario, "submission hold 2 until 3 for 1000");
    const auto held_alone = run_in_order(each.scenario, "hold 2 until 3 for 1000");
    CAPTURE(each.scenario);
    CHECK(right.value == each.right);
    CHECK(slow.value == right.value);
    for (const auto* run : {&right, &slow, &turned, &held_alone}) {
      CHECK(run->not_kept.empty());
      CHECK(run->run.operations.size() == each.operations);
    }
    CHECK(turned.run.calls.size() == right.run.calls.size());
    CHECK(right.run.operations.at(1).end <= right.run.operations.at(2).begin);
    for (const auto* run : {&turned, &held_alone}) {
      const auto &held = run->run.operations.at(1), &opener = run->run.operations.at(2);
      std::printf("%s: what was held back began %.1f us after the other was done\n", each.scenario,
                  1e3 * ms(opener.end, held.begin));
      CHECK(run->value == each.turned);
      CHECK(held.begin >= opener.end);
      CHECK(ms(opener.end, held.begin) < 20);
    }
  }
}

TEST_CASE("a program that waits where it must comes to the same in every order") {
  const auto turned = run_in_order("ordered", "submission hold 2 until 5 for 1000");
  CHECK(turned.value == "6");
  CHECK(turned.not_kept.find("which itself waits for operation 2") != std::string::npos);
  CHECK(turned.ms < 200);
  CHECK(run_in_order("ordered", "submission").value == "6");
}

TEST_CASE("the host does not wait long for what is held back") {
  const auto turned = run_in_order("race", "submission hold 2 for 2000000000");
  std::printf("held back for a while: the host waited %.1f ms\n", turned.ms);
  CHECK(turned.not_kept.empty());
  CHECK(turned.ms > 40);
  CHECK(turned.ms < 500);
  const auto never = run_in_order("race", "submission hold 2 until 99 for 2000000000");
  CHECK(never.not_kept.find("the host waited before that was submitted") != std::string::npos);
  CHECK(never.ms < 500);
}

TEST_CASE("what the host reads of work that is held back is what was there before") {
  const auto turned = run_in_order("early read", "submission hold 2 for 1000");
  CHECK(turned.value == "1");
  CHECK(turned.not_kept.empty());
  CHECK(run_in_order("early read", "submission").value == "0");
}

TEST_CASE("a gate whose opener never comes opens by itself, and the record says so") {
  const auto seen = run_in_order("asks", "hold 2 until 99 for 60000000000");
  CHECK(seen.value == "0");
  CHECK(seen.ms == doctest::Approx(2000).epsilon(0.1));
  CHECK(seen.not_kept.find("which it was not after 2000 ms") != std::string::npos);
}

TEST_CASE("work that waits for the host is not waited for endlessly") {
  const auto seen = run_in_order("waits for the host", "submission");
  CHECK(seen.not_kept.find("was not done two seconds after it was submitted") != std::string::npos);
}

int main(int argc, char** argv) {
  if (!std::filesystem::exists("/dev/nvidiactl") && !std::filesystem::exists("/dev/dxg")) {
    std::puts("skipped: no NVIDIA driver here");
    return 77;
  }
  return doctest::Context(argc, argv).run();
}

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "../assemble.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trace/reader.hpp>
#include <tuple>

#include "../submissions.hpp"

using namespace lab;
using namespace lab::cupti;
using trace::operation_kind;

namespace {

/// A program on a GPU, told call by call. Each call takes 2 µs and begins when the one before it has ended.
class program {
 public:
  program() { seen_.device = "NVIDIA H200"; }

  seen_call& call(action what, const char* name) {
    seen_call next;
    next.what = what;
    next.name = name;
    next.begin = clock_;
    next.end = clock_ += 2000;
    next.begun = ++sequence_;
    next.returned = ++sequence_;
    seen_.calls.push_back(next);
    return seen_.calls.back();
  }
  seen_call& in_stream(address stream, action what, const char* name) {
    auto& added = call(what, name);
    added.takes_stream = true;
    added.stream = stream;
    return added;
  }
  /// Work that the device begins and ends at these times.
  seen_call& work(address stream, action what, const char* name, trace::time_ns begin, trace::time_ns end) {
    auto& added = in_stream(stream, what, name);
    added.correlations = {++correlation_};
    seen_.device_times[correlation_] = {begin, end};
    return added;
  }
  seen_call& kernel(address stream, const char* name, trace::time_ns begin, trace::time_ns end) {
    auto& added = work(stream, action::launch, "cudaLaunchKernel", begin, end);
    added.kernel = name;
    return added;
  }
  seen_call& event(action what, const char* name, address event) {
    auto& added = call(what, name);
    added.event = event;
    return added;
  }
  void create_stream(address handle, bool non_blocking = false) {
    auto& added = call(action::create_stream, "cudaStreamCreateWithFlags");
    added.stream = handle;
    added.flags = non_blocking;
  }
  seen_call& graph(address stream, address graph, trace::time_ns begin, trace::time_ns end) {
    auto& added = work(stream, action::launch_graph, "cudaGraphLaunch", begin, end);
    added.graph = graph;
    return added;
  }
  void record(address event, address stream) {
    in_stream(stream, action::record_event, "cudaEventRecord").event = event;
  }
  void wait(address stream, address event) {
    in_stream(stream, action::wait_event, "cudaStreamWaitEvent").event = event;
  }
  everything_seen& seen() { return seen_; }
  trace::time_ns now() const { return clock_; }
  trace::sequence next() { return ++sequence_; }

  trace::run recorded() const {
    trace::writer out(seen_.device);
    assemble(seen_, out);
    const int file = memfd_create("trace", 0);
    out.write(dup(file), true);
    std::string bytes(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    REQUIRE(pread(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    close(file);
    trace::symbols none("/proc/self/exe");
    return trace::read(bytes, none);
  }

 private:
  everything_seen seen_;
  trace::time_ns clock_ = 0;
  trace::sequence sequence_ = 0;
  std::uint32_t correlation_ = 0;
};

constexpr address s = 0x5000, t = 0x6000, a = 0xA000, b = 0xB000, memory = 0x7000000;

}  // namespace

TEST_CASE("work has its stream, the call that submitted it, and the device's times") {
  program is;
  is.create_stream(s);
  is.kernel(s, "scale", 9000, 12000);
  const auto run = is.recorded();
  CHECK(run.device.name == "NVIDIA H200");
  CHECK_FALSE(run.device.emulated);
  CHECK(run.complete);
  REQUIRE(run.operations.size() == 1);
  const auto& scale = run.operations[0];
  CHECK(scale.kind == operation_kind::kernel);
  CHECK(scale.name == "scale");
  CHECK(scale.stream == 1);
  CHECK(scale.begin == 9000);
  CHECK(scale.end == 12000);
  CHECK(scale.submitted == 4000);
  CHECK(run.calls[scale.submitted_by - 1].name == "cudaLaunchKernel");
  CHECK(run.calls[1].operation == scale.id);
  CHECK(run.findings.empty());
}

TEST_CASE("pieces of one copy count as one") {
  program is;
  auto& copy = is.work(stream_zero, action::copy, "cudaMemcpy", 5000, 7000);
  copy.direction = trace::copy_direction::host_to_device;
  copy.correlations.push_back(77);
  is.seen().device_times[77] = {8000, 9500};
  const auto run = is.recorded();
  CHECK(run.operations[0].begin == 5000);
  CHECK(run.operations[0].end == 9500);
  CHECK(run.operations[0].name == "copy host to device");
}

TEST_CASE("a wait binds to the record that is current at the call, and to none before the first") {
  program is;
  is.create_stream(s);
  is.create_stream(t);
  is.event(action::create_event, "cudaEventCreate", a);
  is.wait(t, a);
  is.kernel(s, "scale", 20000, 50000);
  is.record(a, s);
  is.wait(t, a);
  is.record(a, t);
  const auto run = is.recorded();
  REQUIRE(run.operations.size() == 5);
  CHECK(run.operations[0].waits_for == 0);
  CHECK(run.operations[2].kind == operation_kind::event_record);
  CHECK(run.operations[3].waits_for == run.operations[2].id);
  CHECK(run.operations[3].event == 1);
  CHECK(run.operations[4].stream == 2);
}

TEST_CASE("what the GPU tells no time of happens once what is before it has") {
  program is;
  is.create_stream(s);
  is.create_stream(t, true);
  is.event(action::create_event, "cudaEventCreate", a);
  is.kernel(s, "scale", 20000, 50000);
  is.record(a, s);
  is.wait(t, a);
  is.kernel(t, "add", 51000, 60000);
  const auto run = is.recorded();
  CHECK(run.operations[1].end == 50000);
  CHECK(run.operations[2].end == 50000);
  CHECK(run.findings.empty());
}

TEST_CASE("a record has the device's own time where there is one") {
  program is;
  is.event(action::create_event, "cudaEventCreate", a);
  is.kernel(stream_zero, "scale", 20000, 50000);
  is.work(stream_zero, action::record_event, "cudaEventRecord", 50700, 50700).event = a;
  CHECK(is.recorded().operations[1].end == 50700);
}

TEST_CASE("an elapsed time names the two records it subtracts") {
  program is;
  is.event(action::create_event, "cudaEventCreate", a);
  is.event(action::create_event, "cudaEventCreate", b);
  is.record(a, stream_zero);
  is.record(b, stream_zero);
  auto& elapsed = is.event(action::elapsed_time, "cudaEventElapsedTime", a);
  elapsed.stop_event = b;
  elapsed.milliseconds = 1.5;
  const auto run = is.recorded();
  const auto& call = run.calls.back();
  CHECK(call.start_record == 1);
  CHECK(call.stop_record == 2);
  CHECK(call.milliseconds == 1.5);
}

TEST_CASE("the host waited as long as the call took, where work was pending, and not where none was") {
  program is;
  is.kernel(stream_zero, "scale", 3000, 9000);
  auto& waited = is.call(action::synchronize_device, "cudaDeviceSynchronize");
  waited.end = 9400;
  auto& idle = is.call(action::synchronize_device, "cudaDeviceSynchronize");
  idle.begin = 10000;
  idle.end = 10500;
  const auto run = is.recorded();
  CHECK(run.calls[1].blocked == 9400 - 2000);
  CHECK(run.calls[2].blocked == 0);
}

TEST_CASE(
    "a wait for a stream does not count other streams' work, a wait for the legacy stream the blocking "
    "ones'") {
  for (const bool non_blocking : {false, true}) {
    program is;
    is.create_stream(s, non_blocking);
    is.create_stream(t, non_blocking);
    is.kernel(s, "scale", 8000, 90000);
    is.in_stream(t, action::synchronize_stream, "cudaStreamSynchronize");
    is.in_stream(stream_zero, action::synchronize_stream, "cudaStreamSynchronize");
    const auto run = is.recorded();
    CHECK(run.calls[3].blocked == 0);
    CHECK((run.calls[4].blocked > 0) == !non_blocking);
  }
}

TEST_CASE("a copy that returned before it was done did not wait") {
  program is;
  auto& copy = is.work(stream_zero, action::copy, "cudaMemcpyAsync", 1000, 90000);
  copy.direction = trace::copy_direction::device_to_host;
  auto& blocking = is.work(stream_zero, action::copy, "cudaMemcpy", 90000, 95000);
  blocking.direction = trace::copy_direction::device_to_host;
  blocking.end = 96000;
  const auto run = is.recorded();
  CHECK(run.calls[0].blocked == 0);
  CHECK(run.calls[1].blocked == 94000);
}

TEST_CASE("a handle that is none any more is told, whatever the call answered") {
  program is;
  is.create_stream(s);
  is.create_stream(t);
  for (const address each : {a, b}) is.event(action::create_event, "cudaEventCreate", each);
  is.event(action::destroy_event, "cudaEventDestroy", a);
  is.event(action::query_event, "cudaEventQuery", a);
  is.event(action::destroy_event, "cudaEventDestroy", a).status = 700;
  auto& elapsed = is.event(action::elapsed_time, "cudaEventElapsedTime", b);
  elapsed.stop_event = a;
  elapsed.status = 400;
  is.in_stream(s, action::destroy_stream, "cudaStreamDestroy");
  is.record(b, s);
  is.event(action::create_event, "cudaEventCreate", a);  // CUDA gives old handles again
  is.record(a, t);
  is.call(action::reset_device, "cudaDeviceReset");
  is.event(action::synchronize_event, "cudaEventSynchronize", a).status = 709;
  const auto run = is.recorded();
  std::vector<std::string> told;
  for (const auto& finding : run.findings) {
    CHECK(finding.kind == trace::finding_kind::destroyed_handle);
    CHECK(finding.message.rfind(run.calls[finding.call - 1].name, 0) == 0);
    told.push_back(finding.message);
  }
  CHECK(told == std::vector<std::string>{
                    "cudaEventQuery was given an event that cudaEventDestroy had destroyed",
                    "cudaEventDestroy was given an event that cudaEventDestroy had destroyed",
                    "cudaEventElapsedTime was given an event that cudaEventDestroy had destroyed",
                    "cudaEventRecord was given a stream that cudaStreamDestroy had destroyed",
                    "cudaEventSynchronize was given an event that cudaDeviceReset had destroyed"});
}

TEST_CASE("that a handle never was one is told where CUDA says so") {
  program is;
  is.event(action::destroy_event, "cudaEventDestroy", 0).status =
      400;  // names none, and is no mistake of a handle
  CHECK(is.recorded().findings.empty());
  is.event(action::query_event, "cudaEventQuery", a).status = 400;
  is.in_stream(s, action::synchronize_stream, "cudaStreamSynchronize").status = 400;
  const auto run = is.recorded();
  REQUIRE(run.findings.size() == 2);
  CHECK(run.findings[0].message == "cudaEventQuery was given an event that was never created");
  CHECK(run.findings[1].message == "cudaStreamSynchronize was given a stream that was never created");
}

TEST_CASE("what is in a stream, or waits for an event, that something unseen has created cannot be placed") {
  program in_a_stream;
  in_a_stream.in_stream(s, action::synchronize_stream, "cudaStreamSynchronize");
  in_a_stream.kernel(s, "scale", 9000, 12000);
  in_a_stream.in_stream(stream_zero, action::synchronize_stream, "cudaStreamSynchronize");
  const auto run = in_a_stream.recorded();
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].kind == trace::finding_kind::incomplete_record);
  CHECK(
      run.findings[0].message ==
      "cudaStreamSynchronize was given a stream that no call in the record has created, the first of 2 such "
      "calls");
  program behind_an_event;
  behind_an_event.wait(stream_zero, a);
  REQUIRE(behind_an_event.recorded().findings.size() == 1);
  CHECK(behind_an_event.recorded().findings[0].message ==
        "cudaStreamWaitEvent was given an event that no call in the record has created");
}

TEST_CASE("a copy's and a kernel's accesses name the allocation, and ordinary memory has one name") {
  program is;
  auto& allocation = is.call(action::allocate, "cudaMalloc");
  allocation.memory = memory;
  allocation.bytes = 4096;
  auto& copy = is.work(stream_zero, action::copy, "cudaMemcpyAsync", 5000, 6000);
  copy.direction = trace::copy_direction::host_to_device;
  copy.touches = {{0x1234, 1024, false}, {memory + 512, 1024, true}};
  is.kernel(stream_zero, "scale", 6000, 7000).touches = {{memory + 1024, 0, false, true}};
  is.call(action::free_memory, "cudaFree").memory = memory;
  const auto run = is.recorded();
  REQUIRE(run.allocations.size() == 2);
  CHECK(run.allocations[0].freed_by == run.calls.back().id);
  CHECK(run.allocations[1].allocated_by == 0);
  CHECK(run.allocations[1].kind == trace::memory_kind::pageable);
  REQUIRE(run.operations[0].accesses.size() == 2);
  CHECK(run.operations[0].accesses[0].allocation == 2);
  const auto& upload = run.operations[0].accesses[1];
  CHECK(upload.allocation == 1);
  CHECK(upload.begin == 512);
  CHECK(upload.end == 1536);
  CHECK(upload.write);
  CHECK_FALSE(upload.assumed);
  CHECK(run.operations[1].accesses[0].begin == 1024);
  CHECK(run.operations[1].accesses[0].end == 4096);
  CHECK(run.operations[1].accesses[0].assumed);
}

TEST_CASE("what host code uses has the name that its memory had then") {
  program is;
  const auto host_uses = [&](address begin, std::uint64_t bytes, bool write) {
    is.seen().host_accesses.push_back({0, is.next(), begin, begin + bytes, 0, write, false});
  };
  constexpr address buffer = 0x4000;
  auto& upload = is.work(s, action::copy, "cudaMemcpyAsync", 1000, 2000);
  upload.direction = trace::copy_direction::host_to_device;
  upload.touches = {{buffer, 1024, false}};
  host_uses(buffer + 8, 16, true);
  auto& registers = is.call(action::register_memory, "cudaHostRegister");
  registers.memory = buffer;
  registers.bytes = 1024;
  host_uses(buffer + 8, 2048, false);
  is.call(action::unregister_memory, "cudaHostUnregister").memory = buffer;
  host_uses(buffer, 4, true);
  const auto run = is.recorded();
  REQUIRE(run.allocations.size() == 2);
  const trace::id ordinary = 1, registered = 2;
  CHECK(run.allocations[0].kind == trace::memory_kind::pageable);
  CHECK(run.allocations[0].bytes == 1024);
  CHECK(run.operations[0].accesses[0].allocation == ordinary);
  CHECK(run.operations[0].accesses[0].begin == 0);
  REQUIRE(run.host_accesses.size() == 3);
  const auto& [before, meanwhile, after] =
      std::tie(run.host_accesses[0], run.host_accesses[1], run.host_accesses[2]);
  CHECK(before.bytes.allocation == ordinary);
  CHECK(before.bytes.begin == 8);
  CHECK(before.bytes.end == 24);
  CHECK(before.bytes.write);
  CHECK(before.when == 3);
  CHECK(meanwhile.bytes.allocation == registered);
  CHECK(meanwhile.bytes.end == 1024);
  CHECK_FALSE(meanwhile.bytes.write);
  CHECK(after.bytes.allocation == ordinary);
}

TEST_CASE("managed memory is what both the host and kernels use") {
  program is;
  auto& allocation = is.call(action::allocate_managed, "cudaMallocManaged");
  allocation.memory = memory;
  allocation.bytes = 4096;
  is.kernel(stream_zero, "scale", 6000, 7000).touches = {{memory + 1024, 0, true, true}};
  is.seen().host_accesses.push_back({0, is.next(), memory, memory + 8, 0, false, false});
  const auto run = is.recorded();
  CHECK(run.findings.empty());
  REQUIRE(run.allocations.size() == 1);
  CHECK(run.allocations[0].kind == trace::memory_kind::managed);
  CHECK(run.operations[0].accesses[0].allocation == 1);
  CHECK(run.host_accesses[0].bytes.allocation == 1);
}

TEST_CASE("device memory that nobody allocated has no name") {
  program is;
  auto& copy = is.work(stream_zero, action::copy, "cudaMemcpyAsync", 1000, 2000);
  copy.direction = trace::copy_direction::host_to_device;
  copy.touches = {{0x4000, 64, false}, {0x7F00000, 64, true}};  // the address of a __device__ variable
  const auto run = is.recorded();
  CHECK(run.allocations.size() == 1);
  CHECK(run.operations[0].accesses.size() == 1);
}

TEST_CASE("a handle that is given out again is another object") {
  program is;
  is.create_stream(s);
  is.in_stream(s, action::destroy_stream, "cudaStreamDestroy");
  is.create_stream(s, true);
  is.kernel(s, "scale", 9000, 12000);
  const auto run = is.recorded();
  REQUIRE(run.streams.size() == 2);
  CHECK(run.streams[0].destroyed_by == 2);
  CHECK(run.streams[1].non_blocking);
  CHECK(run.operations[0].stream == 2);
}

TEST_CASE("a call that went into a graph is a call, and no work; an event recorded there is not recorded") {
  program is;
  is.create_stream(s);
  is.event(action::create_event, "cudaEventCreate", a);
  is.record(a, s);
  is.in_stream(s, action::begin_capture, "cudaStreamBeginCapture");
  for (const auto what : {action::launch, action::record_event, action::wait_event}) {
    auto& captured = is.in_stream(s, what, "captured");
    captured.is_captured = true;
    captured.event = what == action::launch ? 0 : a;
    captured.not_placed = "copies memory that is not recorded";
  }
  is.in_stream(s, action::end_capture, "cudaStreamEndCapture");
  is.wait(s, a);
  const auto run = is.recorded();
  REQUIRE(run.operations.size() == 2);
  CHECK(run.operations[0].kind == operation_kind::event_record);
  CHECK(run.operations[1].waits_for == 0);
  CHECK(run.calls[4].operation == 0);
  CHECK(run.calls[4].stream == 1);
  CHECK(run.calls[5].event == 1);
  CHECK(run.findings.empty());
}

TEST_CASE("a graph launched is one piece of work, from its first node to its last, after its launch before") {
  program is;
  is.create_stream(s);
  is.create_stream(t);
  is.call(action::make_graph, "cudaGraphInstantiate").graph = a;
  is.graph(s, a, 9000, 12000);
  is.graph(t, b, 9000, 12000);
  is.graph(t, a, 20000, 24000);
  is.call(action::make_graph, "cudaGraphUpload");
  is.graph(t, a, 30000, 34000);
  is.call(action::make_graph, "cudaGraphInstantiate").graph = a;  // the handle, given out again
  is.graph(s, a, 40000, 44000);
  const auto run = is.recorded();
  REQUIRE(run.operations.size() == 5);
  const auto& first = run.operations[0];
  CHECK(first.kind == operation_kind::graph);
  CHECK(first.name == "graph");
  CHECK(first.stream == 1);
  CHECK(first.begin == 9000);
  CHECK(first.end == 12000);
  CHECK(first.waits_for == 0);
  CHECK(run.operations[1].waits_for == 0);
  CHECK(run.operations[2].waits_for == first.id);
  CHECK(run.operations[3].waits_for == run.operations[2].id);
  CHECK(run.operations[4].waits_for == 0);
  CHECK(run.findings.empty());
}

TEST_CASE("a graph touches what its nodes do, and the variables where a kernel in it says nothing of them") {
  for (const bool annotated : {true, false}) {
    program is;
    is.seen().variables = {{"counter", memory + 8192, 4, false}};
    auto& allocation = is.call(action::allocate, "cudaMalloc");
    allocation.memory = memory;
    allocation.bytes = 4096;
    auto& graph = is.graph(stream_zero, a, 6000, 7000);
    graph.touches = {{0x1234, 1024, false, false, false, true}, {memory + 512, 1024, true}};
    graph.is_annotated = annotated;
    const auto run = is.recorded();
    const auto& accesses = run.operations[0].accesses;
    REQUIRE(accesses.size() == (annotated ? 2 : 4));
    CHECK(run.allocations[accesses[0].allocation - 1].kind == trace::memory_kind::pageable);
    CHECK(accesses[1].begin == 512);
    CHECK(accesses[1].end == 1536);
    CHECK(run.allocations[accesses.back().allocation - 1].name == (annotated ? "" : "counter"));
  }
}

TEST_CASE("a graph has its times, but for one that has no work in it") {
  program is;
  auto& graph = is.in_stream(stream_zero, action::launch_graph, "cudaGraphLaunch");
  CHECK(is.recorded().findings.size() == 1);
  graph.is_timed = false;
  CHECK(is.recorded().findings.empty());
  CHECK(is.recorded().operations[0].end == graph.begin);
}

TEST_CASE("each thread that uses it has a default stream of its own") {
  program is;
  is.kernel(per_thread_stream_handle, "scale", 3000, 4000);
  auto& other = is.kernel(stream_zero, "scale", 5000, 6000);
  other.per_thread = true;
  other.thread = 1;
  is.kernel(legacy_stream_handle, "scale", 7000, 8000);
  const auto run = is.recorded();
  REQUIRE(run.streams.size() == 2);
  CHECK(run.operations[0].stream == 1);
  CHECK(run.operations[1].stream == 2);
  CHECK(run.streams[1].thread == 1);
  CHECK(run.operations[2].stream == trace::legacy_stream);
}

TEST_CASE("a call that failed submitted nothing, and says its error") {
  program is;
  auto& launch = is.kernel(stream_zero, "scale", 0, 0);
  launch.status = 9;
  launch.error = "cudaErrorInvalidConfiguration";
  const auto run = is.recorded();
  CHECK(run.operations.empty());
  CHECK(run.calls[0].error == "cudaErrorInvalidConfiguration");
  CHECK(run.findings.empty());
}

TEST_CASE("a host function has the thread, the times and the order of its run") {
  program is;
  auto& launch = is.in_stream(stream_zero, action::launch_host_function, "cudaLaunchHostFunc");
  launch.host_function = 0xF00;
  is.seen().host_functions[0xF00] = {3, {5000, 6000}, 11, 12};
  const auto run = is.recorded();
  CHECK(run.operations[0].thread == 3);
  CHECK(run.operations[0].begin == 5000);
  CHECK(run.operations[0].end == 6000);
  CHECK(run.operations[0].begun == 11);
}

TEST_CASE("calls are told in the order in which they began, whichever thread saw its end first") {
  program is;
  is.kernel(stream_zero, "first", 3000, 4000);
  is.kernel(stream_zero, "second", 4000, 5000);
  std::swap(is.seen().calls[0], is.seen().calls[1]);
  CHECK(is.recorded().operations[0].name == "first");
}

TEST_CASE("a call whose effect is not in the record is told, with how many there are") {
  program is;
  is.call(action::other, "cudaStreamBeginCapture").not_placed = "begins a graph";
  is.call(action::other, "cudaGraphLaunch").not_placed = "launches a graph";
  const auto run = is.recorded();
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].kind == trace::finding_kind::incomplete_record);
  CHECK(run.findings[0].message == "cudaStreamBeginCapture begins a graph, the first of 2 such calls");
  CHECK(run.findings[0].call == 1);

  program failed;
  auto& launch = failed.call(action::other, "cudaGraphLaunch");
  launch.not_placed = "launches a graph";
  launch.status = 1;
  CHECK(failed.recorded().findings.empty());
}

TEST_CASE("work that no call is known to submit is told") {
  program unknown;
  unknown.call(action::other, "cudaNewInSomeVersion").correlations = {77};
  unknown.seen().device_times[77] = {5000, 6000};
  REQUIRE(unknown.recorded().findings.size() == 1);
  CHECK(unknown.recorded().findings[0].message.find("cudaNewInSomeVersion") == 0);

  program by_driver;
  by_driver.kernel(stream_zero, "scale", 3000, 4000);
  by_driver.seen().device_times[77] = {5000, 6000};
  REQUIRE(by_driver.recorded().findings.size() == 1);
  CHECK(by_driver.recorded().findings[0].message.find("1 piece of work") != std::string::npos);

  program earlier;
  earlier.call(action::other, "cudaGetDevice");
  earlier.kernel(stream_zero, "scale", 3000, 4000);
  earlier.seen().device_times[77] = {-2000, -1000};
  CHECK(earlier.recorded().findings.empty());
}

TEST_CASE("a reset waits for everything and destroys it, but for the program's variables") {
  program is;
  is.seen().variables = {{"counter", memory + 8192, 4, false}};
  is.create_stream(s);
  is.event(action::create_event, "cudaEventCreate", a);
  auto& allocation = is.call(action::allocate, "cudaMalloc");
  allocation.memory = memory;
  allocation.bytes = 4096;
  auto& freed = is.call(action::allocate, "cudaMalloc");
  freed.memory = memory + 4096;
  freed.bytes = 4096;
  is.call(action::free_memory, "cudaFree").memory = memory + 4096;
  is.kernel(s, "scale", 13000, 13500);
  is.call(action::reset_device, "cudaDeviceReset").status = 700;
  const auto run = is.recorded();
  const auto reset = run.calls.back().id;
  CHECK(run.calls.back().blocked > 0);
  CHECK(run.streams[0].destroyed_by == reset);
  CHECK(run.events[0].destroyed_by == reset);
  CHECK(run.allocations[0].freed_by == 0);
  CHECK(run.allocations[1].freed_by == reset);
  CHECK(run.allocations[2].freed_by == reset - 2);
}

TEST_CASE("managed variables and several GPUs are told") {
  program managed;
  managed.kernel(stream_zero, "scale", 3000, 4000);
  managed.seen().managed_variable = "n::shared";
  REQUIRE(managed.recorded().findings.size() == 1);
  CHECK(managed.recorded().findings[0].message.find("n::shared is __managed__") != std::string::npos);

  program two;
  two.kernel(stream_zero, "scale", 3000, 4000);
  two.seen().gpus = {0, 1};
  REQUIRE(two.recorded().findings.size() == 1);
  CHECK(two.recorded().findings[0].message.find("2 GPUs") != std::string::npos);
}

TEST_CASE("the rows of a rectangle are ranges, and what lies between them is not") {
  program is;
  auto& allocation = is.call(action::allocate, "cudaMallocPitch");
  allocation.memory = memory;
  allocation.bytes = 4096;
  auto& set = is.work(stream_zero, action::memset, "cudaMemset2DAsync", 5000, 6000);
  add_rows(set.touches, memory + 64, 512, 100, 3, true);
  auto& dense = is.work(stream_zero, action::memset, "cudaMemset2DAsync", 6000, 7000);
  add_rows(dense.touches, memory, 512, 512, 3, true);
  add_rows(dense.touches, memory, 512, 0, 3, true);
  const auto run = is.recorded();
  const auto& rows = run.operations[0].accesses;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].begin == 64);
  CHECK(rows[0].end == 164);
  CHECK(rows[2].begin == 64 + 2 * 512);
  CHECK(rows[2].write);
  REQUIRE(run.operations[1].accesses.size() == 1);
  CHECK(run.operations[1].accesses[0].end == 3 * 512);
}

TEST_CASE(
    "a kernel that does not say what it uses may use the program's variables, and not write constants") {
  program is;
  is.seen().variables = {{"counter", memory, 4, false}, {"factors", memory + 256, 32, true}};
  auto& copy = is.work(stream_zero, action::copy, "cudaMemcpyToSymbolAsync", 5000, 6000);
  copy.direction = trace::copy_direction::host_to_device;
  copy.touches = {{0x4000, 8, false}, {memory + 256 + 8, 8, true}};
  is.kernel(stream_zero, "scale", 6000, 7000);
  is.kernel(stream_zero, "says_it", 7000, 8000).is_annotated = true;
  const auto run = is.recorded();
  CHECK(run.allocations[0].name == "counter");
  CHECK(run.allocations[1].name == "factors");
  CHECK(run.operations[0].accesses[1].allocation == 2);
  CHECK(run.operations[0].accesses[1].begin == 8);
  const auto& may = run.operations[1].accesses;
  REQUIRE(may.size() == 3);
  CHECK(may[0].assumed);
  CHECK(may[1].write);
  CHECK(may[1].allocation == 1);
  CHECK(may[1].end == 4);
  CHECK_FALSE(may[2].write);
  CHECK(may[2].allocation == 2);
  CHECK(run.operations[2].accesses.empty());
}

TEST_CASE("a record with a hole says so") {
  program lost;
  lost.seen().lost_records = 3;
  REQUIRE(lost.recorded().findings.size() == 1);
  CHECK(lost.recorded().findings[0].kind == trace::finding_kind::incomplete_record);

  program without_times;
  without_times.in_stream(stream_zero, action::launch, "cudaLaunchKernel").kernel = "scale";
  REQUIRE(without_times.recorded().findings.size() == 1);

  program refused;
  refused.seen().trouble = "CUPTI refuses to watch the program";
  REQUIRE(refused.recorded().findings.size() == 1);
  CHECK(refused.recorded().findings[0].kind == trace::finding_kind::not_recorded);
  CHECK(refused.recorded().findings[0].message == "CUPTI refuses to watch the program");
}

TEST_CASE("work that a fault took with it has no time, which is no hole in the record") {
  program is;
  is.in_stream(stream_zero, action::launch, "cudaLaunchKernel").kernel = "scale";
  is.call(action::synchronize_device, "cudaDeviceSynchronize").status = 700;
  const auto run = is.recorded();
  CHECK(run.findings.empty());
  CHECK(run.operations[0].failed);
  CHECK(run.operations[0].end == trace::unfinished);
}

TEST_CASE("what is destroyed after a fault is destroyed, though the call says that fault") {
  program is;
  is.event(action::create_event, "cudaEventCreate", a);
  is.call(action::synchronize_device, "cudaDeviceSynchronize").status = 700;
  is.event(action::destroy_event, "cudaEventDestroy", a).status = 700;
  CHECK(is.recorded().events[0].destroyed_by == 3);
}

TEST_CASE("the numbers of work are those that it had while it was submitted") {
  program is;
  is.create_stream(s);
  is.event(action::create_event, "cudaEventCreate", a);
  is.kernel(s, "scale", 9000, 12000);
  is.work(s, action::copy, "cudaMemcpyAsync", 12000, 13000);
  is.kernel(s, "scale", 0, 0).status = 9;
  is.work(s, action::memset, "cudaMemsetAsync", 13000, 14000);
  is.record(a, s);
  is.event(action::query_event, "cudaEventQuery", a);
  is.wait(stream_zero, a);
  auto& allocated = is.in_stream(s, action::allocate_in_stream, "cudaMallocAsync");
  allocated.memory = memory;
  allocated.bytes = 64;
  is.in_stream(s, action::launch_host_function, "cudaLaunchHostFunc");
  is.graph(s, a, 60000, 70000);
  is.in_stream(s, action::free_in_stream, "cudaFreeAsync").memory = memory;
  is.call(action::synchronize_device, "cudaDeviceSynchronize");
  submissions live{trace::held_work()};
  const auto run = is.recorded();
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const seen_call& call = is.seen().calls[i];
    CAPTURE(call.name);
    const auto number = submits_work(call.what) ? live.begin(call).number : 0;
    if (call.status == 0 && submits_work(call.what)) CHECK(run.calls[i].operation == number);
    if (call.status != 0) live.failed();
  }
  CHECK(run.operations.size() == 9);
}

TEST_CASE("an order that was not kept is told") {
  program is;
  is.kernel(stream_zero, "scale", 3000, 4000);
  is.seen().order_not_kept = "the program ended first";
  REQUIRE(is.recorded().findings.size() == 1);
  CHECK(is.recorded().findings[0].kind == trace::finding_kind::order_not_kept);
  CHECK(is.recorded().findings[0].message == "the program ended first");
}

TEST_CASE("why the recorder has ended the program is told last, where the program was") {
  program is;
  is.seen().stacks = {{}, {0x1000}, {0x2000}};
  is.seen().lost_records = 3;
  is.call(action::synchronize_device, "cudaDeviceSynchronize").stack = 1;
  is.seen().ended_because = "endless loop?";
  is.seen().ended_at = 2;
  const auto run = is.recorded();
  REQUIRE(run.findings.size() == 2);
  CHECK(run.findings[1].kind == trace::finding_kind::budget);
  CHECK(run.findings[1].message == "endless loop?");
}

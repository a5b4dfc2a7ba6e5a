#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tests/support/program.hpp>

#include "../commands/findings.hpp"

using namespace lab;

// What is told of a record that a real GPU left. That of the emulated one has its script, findings.sh.

namespace {

struct told {
  int found = 0;
  std::string text;
};

told told_of(const program& made) {
  const int file = ::memfd_create("stderr", 0), kept = ::dup(2);
  ::dup2(file, 2);
  told result;
  try {
    result.found = cli::tell_findings(analysis::recording(made.run), "student.cu", "/nowhere", nullptr);
  } catch (const cli::told_error& error) {
    result.found = -1;
    result.text = error.what();
  }
  ::dup2(kept, 2);
  ::close(kept);
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), ' ');
  REQUIRE(::pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  ::close(file);
  result.text += text;
  return result;
}

bool has(const told& result, const char* part) {
  return result.text.find(part) != std::string::npos;
}

/// A kernel in one stream writes what a kernel in another reads.
program two_kernels(bool assumed, bool waits) {
  program made;
  made.run.device = {"NVIDIA H200", false};
  made.run.complete = true;
  const auto one = made.stream(true), other = made.stream(true), event = made.event(), d = made.device();
  auto written = program::writes(d);
  written.assumed = assumed;
  made.kernel("scale", one, 10, {written});
  if (waits) {
    made.record(event, one, 11);
    made.wait(other, event, 12);
  }
  made.kernel("sum", other, 13, {program::reads(d)});
  made.device_sync(14);
  made.free(d, 15);
  made.destroy_event(event, 16);
  made.destroy_stream(one, 17);
  made.destroy_stream(other, 18);
  return made;
}

}  // namespace

TEST_CASE("a race on a real GPU is told in the same words, without a proof") {
  const told result = told_of(two_kernels(false, false));
  CAPTURE(result.text);
  CHECK(result.found == 1);
  CHECK(has(result, "lab: race: sum ("));
  CHECK(has(result, "nothing orders the two"));
  CHECK_FALSE(has(result, "proof:"));
  CHECK(has(result, "./lab run student.cu --check"));
}

TEST_CASE("what rests on a kernel's parameters is told and does not count") {
  const told result = told_of(two_kernels(true, false));
  CAPTURE(result.text);
  CHECK(result.found == 0);
  CHECK(has(result, "lab: perhaps: race: sum ("));
  CHECK(has(result, "Of scale only the parameters are known"));
  CHECK_FALSE(has(result, "are ordered"));
}

TEST_CASE("a right program is told to be right") {
  const told result = told_of(two_kernels(true, true));
  CAPTURE(result.text);
  CHECK(result.found == 0);
  CHECK_FALSE(has(result, "race"));
  CHECK(has(result, "all uses of memory are ordered"));
  CHECK(has(result, "checked on NVIDIA H200"));
}

TEST_CASE("a fault of the GPU is found, whatever else there is") {
  auto made = two_kernels(false, true);
  for (auto& call : made.run.calls) {
    if (call.name == "cudaDeviceSynchronize") call.status = 700, call.error = "cudaErrorIllegalAddress";
  }
  const told result = told_of(made);
  CAPTURE(result.text);
  CHECK(result.found >= 1);
  CHECK(has(result, "every call from cudaDeviceSynchronize ("));
  CHECK(has(result, "returns cudaErrorIllegalAddress"));
}

TEST_CASE("several host threads are told to be left out") {
  auto made = two_kernels(false, true);
  made.thread = 1;
  made.other_call("cudaGetLastError", 19);
  const told result = told_of(made);
  CAPTURE(result.text);
  CHECK(result.found == 0);
  CHECK(has(result, "how host threads wait for each other"));
}

TEST_CASE("a record that is not whole tells nothing") {
  auto made = two_kernels(false, false);
  made.run.findings.push_back(
      {trace::finding_kind::incomplete_record, "CUPTI lost 3 records of what the GPU did", 0, 0, {}});
  const told result = told_of(made);
  CHECK(result.found == -1);
  CHECK(has(result, "was not checked: CUPTI lost 3 records"));
}

TEST_CASE("a call whose work is not recorded is told with its line") {
  auto made = two_kernels(false, true);
  made.run.findings.push_back(
      {trace::finding_kind::incomplete_record,
       "cudaGraphLaunch launches a graph with a host function in it, which is not recorded",
       1,
       0,
       {{"student.cu", 12, "main"}}});
  const told result = told_of(made);
  CHECK(result.found == -1);
  CHECK(has(result,
            "was not checked: cudaGraphLaunch launches a graph with a host function in it, which is not "
            "recorded (student.cu:12)."));
}

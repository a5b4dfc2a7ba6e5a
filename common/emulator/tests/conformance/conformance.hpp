#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

/// Cases about the CUDA runtime, each a sentence that is true of the emulated GPU and of a real one. Plain
/// CUDA C++: nvcc compiles these files unchanged. Each case runs in a process of its own, so cases may break
/// the context and need not free anything.
namespace conformance {

struct test_case {
  const char* sentence;
  void (*body)();
};

inline std::vector<test_case>& cases() {
  static std::vector<test_case> all;
  return all;
}

inline std::atomic<int> failures{0};

struct registration {
  registration(const char* sentence, void (*body)()) { cases().push_back({sentence, body}); }
};

inline void expect(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

inline void expect_status(cudaError_t wanted, cudaError_t got, const char* call, const char* file, int line) {
  if (got == wanted) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: %s returned %s, not %s\n", file, line, call, cudaGetErrorName(got),
               cudaGetErrorName(wanted));
}

#define CONFORMANCE_JOIN(a, b) a##b
#define CONFORMANCE_CASE(sentence, line)                                        \
  static void CONFORMANCE_JOIN(case_, line)();                                  \
  static const ::conformance::registration CONFORMANCE_JOIN(registered_, line)( \
      sentence, &CONFORMANCE_JOIN(case_, line));                                \
  static void CONFORMANCE_JOIN(case_, line)()
#define CASE(sentence) CONFORMANCE_CASE(sentence, __LINE__)

#define EXPECT(...) ::conformance::expect((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define RETURNS(status, ...) \
  ::conformance::expect_status(status, (__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define OK(...) RETURNS(cudaSuccess, __VA_ARGS__)

/// `program --list` prints the sentences; `program SENTENCE` runs that case: 0 it holds, 1 it does not, 2
/// there is none.
inline int run(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER",
         1);  // lazy loading of a kernel waits for running ones, which hides their order
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto& one : cases()) std::puts(one.sentence);
    return 0;
  }
  for (const auto& one : cases()) {
    if (argc == 2 && std::strcmp(argv[1], one.sentence) == 0) {
      one.body();
      return failures == 0 ? 0 : 1;
    }
  }
  std::fprintf(stderr, "usage: %s --list | SENTENCE\n", argv[0]);
  return 2;
}

}  // namespace conformance

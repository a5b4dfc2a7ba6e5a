#include <doctest/doctest.h>

#include "translated.hpp"

using namespace lab::emulator::translate::tests;

namespace {

/// Whether the source is rejected with exactly one sentence, at this place and with these words.
void check_rejected(const std::string& source, const std::string& place, const std::string& words) {
  const std::string errors = errors_of(source);
  CAPTURE(source);
  CAPTURE(errors);
  CHECK(errors.compare(0, place.size() + 19, "student.cu:" + place + ": error:") == 0);
  CHECK(holds(errors, words));
  CHECK(errors.find('\n') == errors.size() - 1);
}

void check_accepted(const std::string& source) {
  CAPTURE(source);
  CHECK(errors_of(source) == "");
}

}  // namespace

TEST_SUITE_BEGIN("rejections");

TEST_CASE("launching what is no kernel is rejected") {
  check_rejected("void f(int) {}\nint main() { f<<<1, 2>>>(3); }", "2:14",
                 "'f' is no kernel and cannot be launched: add __global__ to its declaration at line 1");
  check_rejected("__device__ void f(int);\nint main() {\n  f<<<1, 2>>>(3); }", "3:3",
                 "it is a __device__ function");
  check_rejected("namespace n { float f(int) { return 1; } }\nint main() { n::f<<<1, 2>>>(3); }", "2:14",
                 "'f' is no kernel");
  check_rejected("template <class T> void f(T) {}\nint main() { f<int><<<1, 2>>>(3); }", "2:14",
                 "'f' is no kernel");
}

TEST_CASE("what may be a kernel after all is accepted") {
  check_accepted("void f(int);\n__global__ void f(float);\nint main() { f<<<1, 2>>>(3); }");
  check_accepted("void f(int);\nvoid run(void (*f)(int)) { f<<<1, 2>>>(3); }");
  check_accepted("void f(int);\nint main() { auto f = pick(); f<<<1, 2>>>(3); }");
  check_accepted("namespace n { void f(int); }\nint main() { f<<<1, 2>>>(3); }");
  check_accepted("struct S { void f(int); };\nint main() { f<<<1, 2>>>(3); }");
  check_accepted("void f(int);\nstruct S { void (*f)(int); void run() { f<<<1, 2>>>(3); } };");
  check_accepted("#define f k\nvoid f(int);\nint main() { f<<<1, 2>>>(3); }");
  check_accepted("int main() { f<<<1, 2>>>(3); }");
}

TEST_CASE("a kernel that returns a value is rejected") {
  check_rejected("__global__ int k() { return 1; }", "1:16",
                 "the kernel 'k' returns int, but a __global__ function must return void");
  check_rejected("\ntemplate <class T> __global__ float* k(T);", "2:38", "returns float*");
  check_rejected("__global__ __launch_bounds__(3) std::size_t k();", "1:45", "returns std::size_t");
  check_rejected("__global__ void* k();", "1:18", "returns void*");
  check_accepted("using nothing = void; __global__ nothing k(); __global__ auto m() -> void;");
}

TEST_CASE("a launch must be whole") {
  check_rejected("void f() { k<<<1, 2; }", "1:13", "has <<< but no >>>");
  check_rejected("void f() { k<<<1, 2>>>; }", "1:20", "no argument list");
  check_rejected("void f() { k<<<1, 2>>> n; }", "1:20", "no argument list");
  check_rejected("void f() { k<<<1, 2>>>(3; }", "1:23", "argument list of this launch is never closed");
  check_rejected("void f() { <<<1, 2>>>(3); }", "1:12", "there is no kernel before <<<");
  check_rejected("void f() { k<<<(1, 2>>>(3); }", "1:13", "has <<< but no >>>");
  check_rejected("#define GO(k) k<<<1, 2\n", "1:16", "has <<< but no >>>");
}

TEST_CASE("braces among arguments that must be deduced are rejected") {
  check_rejected("template <class T> __global__ void k(T, float2);\nvoid f() { k<<<1, 2>>>(3, {1, 2}); }",
                 "2:27", "needs the type before the {");
  check_accepted("__global__ void k(float2);\nvoid f() { k<<<1, 2>>>({1, 2}); }");
}

TEST_CASE("a configuration has two to four entries") {
  check_rejected("void f() { k<<<>>>(); }", "1:13", "nothing between <<< and >>>");
  check_rejected("void f() { k<<<1>>>(); }", "1:13", "only a grid");
  check_rejected("void f() { k<<<1, 2, 3, 4, 5>>>(); }", "1:28", "has 5 entries");
  check_rejected("void f() { k<<<1, , 2>>>(); }", "1:13", "an entry of this launch's configuration is empty");
}

TEST_CASE("a shared variable has no initial value and a size") {
  check_rejected("void k() { __shared__ int x = 3; }", "1:29",
                 "the __shared__ variable 'x' cannot have an initial value");
  check_rejected("void k() { __shared__ int x[2] = {1, 2}; }", "1:32", "cannot have an initial value");
  check_rejected("void k() { __shared__ int x{3}; }", "1:28", "cannot have an initial value");
  check_rejected("void k() { __shared__ int x(3); }", "1:28", "cannot have an initial value");
  check_rejected("void k() { __shared__ int x[]; }", "1:28", "needs a size");
  check_rejected("struct S { __shared__ int x; };", "1:12", "a member cannot be __shared__");
  check_rejected("void k(__shared__ int* x) {}", "1:8", "not to parameters");
  check_rejected("__shared__ int x;", "1:1", "outside of a function");
  check_rejected("void k() { __shared__ int }", "1:12", "missing ;");
  check_rejected("void k() { __shared__ x; }", "1:12", "needs a type and a name");
  check_rejected("#define HALF __shared__ float\n", "1:14", "part of a __shared__ declaration");
}

TEST_CASE("a line with # inside a rewritten stretch is rejected, not lost") {
  check_rejected("void k() { __shared__ int x[\n#ifdef A\n1\n#else\n2\n#endif\n]; }", "1:12",
                 "a line with # splits");
  check_rejected("void f() {\n#ifdef A\nk\n#else\nm\n#endif\n<<<1, 2>>>(); }", "7:1", "a line with # splits");
}

TEST_CASE("device coordinates in host code are rejected") {
  check_rejected("int main() { int i = threadIdx.x; }", "1:22",
                 "threadIdx exists in device code only, and 'main' is a host function");
  check_rejected("static void f() { if (1) { __syncthreads(); } }", "1:28",
                 "__syncthreads exists in device code only");
}

TEST_CASE("device coordinates that may be device code's are accepted") {
  for (const std::string source :
       {"__device__ int f() { return threadIdx.x; }", "template <class T> T f() { return threadIdx.x; }",
        "constexpr int f() { return threadIdx.x; }", "HD int f() { return threadIdx.x; }",
        "T f() { return threadIdx.x; }", "int main() { auto f = [] __device__ { return threadIdx.x; }; }",
        "struct S { int f() { return threadIdx.x; } };",
        "int main() { struct S { __device__ int f() { return threadIdx.x; } }; }",
        "int main() { dim3 threadIdx; f(threadIdx.x); }",
        "#define HD __host__ __device__\nHD int f() { return threadIdx.x; }",
        "void __syncthreads(); int main() { __syncthreads(); }",
        "#ifdef A\nint main() { f(threadIdx.x); }\n#endif"})
    check_accepted(source);
}

TEST_CASE("a kernel called like a function is rejected") {
  check_rejected("__global__ void k(int, int = 1);\nint main() { k(1); }", "2:14",
                 "'k' is a kernel and cannot be called like a function");
  check_rejected("namespace n { template <class T> __global__ void k(T); }\nint main() { n::k<int>(1); }",
                 "2:17", "launch it");
}

TEST_CASE("calls that may mean something else are accepted") {
  for (const std::string call : {"k(1, 2, 3);", "x.k(1);", "int k(1);", "std::k(1);", "auto k = f; k(1);",
                                 "f(k);", "if (k(1)) ;", "m::k(1);", "int y = k(1);"})
    check_accepted("namespace n {} __global__ void k(int);\nint main() { " + call + " }");
  check_accepted("__global__ void k(int); void k(float);\nint main() { k(1); }");
  check_accepted("namespace n { __global__ void k(int); }\nint main() { k(1); }");
  check_accepted("using namespace std; __global__ void fill(int);\nint main() { fill(1); }");
  check_accepted("__global__ void k(int);\nint main() {\n#ifdef A\n k(1);\n#endif\n}");
}

TEST_CASE("nothing is rejected in text that is not compiled") {
  const std::string wrong = "don't k<<<1>>>; __shared__ int x = 3; __global__ int m(); \n";
  for (const std::string opening :
       {"#if 0\n", "#if 1\n#else\n", "#ifdef A\n", "#if defined(__CUDACC__)\n#elif B\n",
        "#ifndef __CUDACC__\n", "#if false\n#if 1\n#endif\n"})
    check_accepted(opening + wrong + "#endif\n");
  check_rejected("#if 0\n#else\nvoid f() { k<<<1>>>(); }\n#endif", "3:13", "only a grid");
  check_rejected("#ifdef __CUDACC__\nvoid f() { k<<<1>>>(); }\n#endif", "2:13", "only a grid");
  check_rejected("#ifndef H\n#define H\nvoid f() { k<<<1>>>(); }\n#endif", "3:13", "only a grid");
}

TEST_CASE("every mistake is reported, in the order of the source, up to twenty") {
  std::string source = "void f() {\n";
  for (int i = 0; i < 40; ++i) source += "k<<<1>>>();\n";
  const std::string errors = errors_of(source + "}");
  CHECK(errors.find("student.cu:2:2:") == 0);
  CHECK(holds(errors, "student.cu:21:2:"));
  CHECK_FALSE(holds(errors, "student.cu:22:2:"));
}

TEST_SUITE_END();

#include <doctest/doctest.h>

#include "translated.hpp"

using namespace lab::emulator::translate::tests;

namespace {

std::string in_kernel(const std::string& declaration) {
  const std::string before = "__global__ void k() { ";
  const std::string text = text_of(before + declaration + " }");
  if (text.compare(0, before.size(), before) != 0) return text;
  return text.substr(before.size(), text.size() - before.size() - 2);
}

/// What follows the type of variable `name`: the variable itself, but for the semicolon.
std::string variable(const std::string& name) {
  const std::string type = "lab_type_" + name;
  return "; static ::lab::emulator::shared_site lab_shared_" + name + "; " + type + "& " + name +
         " = *static_cast<" + type + "*>(::lab::emulator::shared_variable(lab_shared_" + name + ", sizeof(" +
         type + "), alignof(" + type + ")))";
}

std::string array(const std::string& name) {
  return "; static_assert(__builtin_constant_p(sizeof(lab_type_" + name +
         ")), \"the size of a __shared__ array must be known when it is compiled: use a constant, or extern "
         "__shared__ and the third value of the launch.\")" +
         variable(name);
}

const std::string x = variable("x") + ";";
const std::string array_x = array("x") + ";";
const std::string dynamic_x =
    "; lab_type_x& x = *static_cast<lab_type_x*>(::lab::emulator::dynamic_shared());";

}  // namespace

TEST_SUITE_BEGIN("shared_memory");

TEST_CASE("a shared variable becomes a reference to the block's memory") {
  CHECK(in_kernel("__shared__ float x;") == "typedef    float lab_type_x" + x);
  CHECK(in_kernel("__shared__ float x[N][M + 1];") == "typedef    float lab_type_x[N][M + 1]" + array_x);
  CHECK(in_kernel("static __shared__ unsigned long x[3];") ==
        "       typedef    unsigned long lab_type_x[3]" + array_x);
  CHECK(in_kernel("volatile __shared__ int x[3];") == "volatile typedef    int lab_type_x[3]" + array_x);
  CHECK(in_kernel("__shared__ volatile int x[3];") == "typedef    volatile int lab_type_x[3]" + array_x);
  CHECK(in_kernel("int __shared__ volatile x[3];") == "int typedef    volatile lab_type_x[3]" + array_x);
}

TEST_CASE("every kind of type can be shared") {
  CHECK(in_kernel("__shared__ struct point x;") == "typedef    struct point lab_type_x" + x);
  CHECK(in_kernel("__shared__ struct { int a; float b; } x;") ==
        "typedef    struct { int a; float b; } lab_type_x" + x);
  CHECK(in_kernel("__shared__ struct P : B { int a; } x;") ==
        "typedef    struct P : B { int a; } lab_type_x" + x);
  CHECK(in_kernel("__shared__ union U { int a; float b; } x;") ==
        "typedef    union U { int a; float b; } lab_type_x" + x);
  CHECK(in_kernel("__shared__ std::pair<int, A<3>> x[2];") ==
        "typedef    std::pair<int, A<3>> lab_type_x[2]" + array_x);
  CHECK(in_kernel("std::pair<int, float> __shared__ x;") ==
        "std::pair<int, float> typedef    lab_type_x" + x);
  CHECK(in_kernel("__shared__ typename R<T>::template S<3>::type x;") ==
        "typedef    typename R<T>::template S<3>::type lab_type_x" + x);
  CHECK(in_kernel("__shared__ decltype(a + b) x;") == "typedef    decltype(a + b) lab_type_x" + x);
  CHECK(in_kernel("__shared__ ::T x;") == "typedef    ::T lab_type_x" + x);
  CHECK(in_kernel("__shared__ float* x;") == "typedef    float* lab_type_x" + x);
  CHECK(in_kernel("__shared__ float (*x)[4];") == "typedef    float (*lab_type_x)[4]" + array_x);
  CHECK(in_kernel("__shared__ T (*x)[4];") == "typedef    T (*lab_type_x)[4]" + array_x);
  CHECK(in_kernel("__shared__ void (*x[2])(int, T);") ==
        "typedef    void (*lab_type_x[2])(int, T)" + array_x);
  CHECK(in_kernel("__shared__ ALIGN(16) float x[4];") ==
        "typedef    ALIGN(16) float lab_type_x[4]" + array_x);
}

TEST_CASE("several declarators share one statement") {
  CHECK(in_kernel("__shared__ float a[N], *b, c;") ==
        "typedef    float lab_type_a[N], *lab_type_b, lab_type_c" + array("a") + variable("b") +
            variable("c") + ";");
}

TEST_CASE("alignment is kept, however it is spelled") {
  for (const std::string spelled :
       {"__shared__ __align__(16) float x[4];", "__align__(16) __shared__ float x[4];",
        "__shared__ alignas(16) float x[4];", "__shared__ float x[4] __attribute__((aligned(16)));",
        "__shared__ __attribute__((aligned(16))) float x[4];"}) {
    CAPTURE(spelled);
    const std::string text = in_kernel(spelled);
    CHECK(holds(text, "typedef "));
    CHECK(holds(text, " float lab_type_x[4]"));
    CHECK(holds(text, "; struct alignas(16) lab_aligned_x {}; static_assert"));
    CHECK(holds(text,
                "sizeof(lab_type_x), alignof(lab_type_x) > alignof(lab_aligned_x) ? alignof(lab_type_x) "
                ": alignof(lab_aligned_x)));"));
  }
  CHECK(holds(in_kernel("__shared__ alignas(T) char x[sizeof(T)];"), "struct alignas(T) lab_aligned_x {};"));
}

TEST_CASE("dynamic shared memory comes from the launch") {
  CHECK(in_kernel("extern __shared__ float x[];") == "       typedef    float lab_type_x[]" + dynamic_x);
  CHECK(in_kernel("extern __shared__ T x[][32];") == "       typedef    T lab_type_x[][32]" + dynamic_x);
  CHECK(in_kernel("extern volatile __shared__ int x[];") ==
        "       volatile typedef    int lab_type_x[]" + dynamic_x);
  CHECK(in_kernel("extern __shared__ __align__(16) unsigned char x[];") ==
        "       typedef                  unsigned char lab_type_x[]" + dynamic_x);
}

TEST_CASE("dynamic shared memory may be declared outside of functions, and again") {
  const std::string type = "       typedef    float lab_type_x[]";
  const std::string once =
      type + "; [[maybe_unused]] static const ::lab::emulator::dynamic_shared_array<lab_type_x> x{};";
  CHECK(text_of("extern __shared__ float x[];\n") == once + "\n");
  CHECK(text_of("extern __shared__ float x[];\nextern __shared__ float x[];\n") ==
        once + "\n" + type + ";\n");
  CHECK(holds(text_of("namespace n { extern __shared__ int4 x[]; }"), "int4 lab_type_x[]; [[maybe_unused]]"));
}

TEST_CASE("a declaration keeps its lines, and its columns up to the name") {
  CHECK(text_of("void k() {\n  __shared__ float a[4], // first\n      b;\n}\n") ==
        "void k() {\n  typedef    float lab_type_a[4], // first\n      lab_type_b" + array("a") +
            variable("b") + ";\n}\n");
  CHECK(text_of("void k() {\n  __shared__ __align__(\n 8) int x;\n}\n")
            .find("void k() {\n  typedef    \n int ") == 0);
}

TEST_CASE("macros may declare shared memory") {
  CHECK(text_of("#define ONE(name) __shared__ float name\n") ==
        "#define ONE(name) typedef    float lab_type_ ## name; static ::lab::emulator::shared_site "
        "lab_shared_ ## name; lab_type_ ## name& name = *static_cast<lab_type_ ## "
        "name*>(::lab::emulator::shared_variable(lab_shared_ ## name, sizeof(lab_type_ ## name), "
        "alignof(lab_type_ ## name)))\n");
  CHECK(holds(text_of("#define TILE(name) __shared__ float name[4]\n"),
              "typedef    float lab_type_ ## name[4]; static_assert(__builtin_constant_p(sizeof(lab_type_ ## "
              "name)),"));
  CHECK(holds(
      text_of("#define TILE(n) __shared__ float tile_ ## n;\n"),
      "typedef    float lab_type_tile_ ## n; static ::lab::emulator::shared_site lab_shared_tile_ ## n;"));
  CHECK(holds(text_of("#define SHARED volatile __shared__\nvoid k() { SHARED int x; }"),
              "volatile typedef int lab_type_x" + x));
}

TEST_CASE("the word alone, in text or in its own definition, is left alone") {
  const std::string source =
      "#ifndef __shared__\n#define __shared__\n#endif\nconst char* s = \"__shared__\"; // __shared__\n";
  CHECK(text_of(source) == source);
}

TEST_CASE("shared memory in a lambda and in a member function is inside a function") {
  CHECK(holds(text_of("auto f = [] { __shared__ int x; };"), "typedef    int lab_type_x" + x));
  CHECK(holds(text_of("struct S { __device__ void f() const { __shared__ int x; } };"),
              "typedef    int lab_type_x" + x));
}

TEST_SUITE_END();

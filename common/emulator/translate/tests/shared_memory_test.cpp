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

/// What declares one variable, given its base and what its declarator adds to that.
std::string variable(const std::string& name, const std::string& base, const std::string& added = "") {
  const std::string type = "lab_type_" + name;
  return " using " + type + " = " + base + added + "; static ::lab::emulator::shared_site lab_shared_" +
         name + "; " + type + "& " + name + " = *static_cast<" + type +
         "*>(::lab::emulator::shared_variable(lab_shared_" + name + ", sizeof(" + type + "), alignof(" +
         type + ")));";
}

std::string static_shared(const std::string& name, const std::string& type, const std::string& added = "") {
  return "using lab_base_" + name + " = " + type + ";" + variable(name, "lab_base_" + name, added);
}

std::string dynamic_shared(const std::string& name, const std::string& type, const std::string& added) {
  return "using lab_base_" + name + " = " + type + "; using lab_type_" + name + " = lab_base_" + name +
         added + "; lab_type_" + name + "& " + name + " = *static_cast<lab_type_" + name +
         "*>(::lab::emulator::dynamic_shared());";
}

}  // namespace

TEST_SUITE_BEGIN("shared_memory");

TEST_CASE("a shared variable becomes a reference to the block's memory") {
  CHECK(in_kernel("__shared__ float x;") == static_shared("x", "float"));
  CHECK(in_kernel("__shared__ float x[N][M + 1];") == static_shared("x", "float", " [N][M + 1]"));
  CHECK(in_kernel("static __shared__ unsigned long x[3];") == static_shared("x", "unsigned long", " [3]"));
  CHECK(in_kernel("volatile __shared__ int x[3];") == static_shared("x", "volatile int", " [3]"));
  CHECK(in_kernel("__shared__ volatile int x[3];") == static_shared("x", "volatile int", " [3]"));
  CHECK(in_kernel("int __shared__ volatile x[3];") == static_shared("x", "int volatile", " [3]"));
}

TEST_CASE("every kind of type can be shared") {
  CHECK(in_kernel("__shared__ struct point x;") == static_shared("x", "struct point"));
  CHECK(in_kernel("__shared__ struct { int a; float b; } x;") ==
        static_shared("x", "struct { int a; float b; }"));
  CHECK(in_kernel("__shared__ std::pair<int, A<3>> x[2];") ==
        static_shared("x", "std::pair<int, A<3>>", " [2]"));
  CHECK(in_kernel("std::pair<int, float> __shared__ x;") == static_shared("x", "std::pair<int, float>"));
  CHECK(in_kernel("__shared__ typename R<T>::template S<3>::type x;") ==
        static_shared("x", "typename R<T>::template S<3>::type"));
  CHECK(in_kernel("__shared__ decltype(a + b) x;") == static_shared("x", "decltype(a + b)"));
  CHECK(in_kernel("__shared__ ::T x;") == static_shared("x", "::T"));
  CHECK(in_kernel("__shared__ float* x;") == static_shared("x", "float", " * "));
  CHECK(in_kernel("__shared__ float (*x)[4];") == static_shared("x", "float", " (* )[4]"));
}

TEST_CASE("several declarators share one base") {
  CHECK(in_kernel("__shared__ float a[N], *b, c;") == static_shared("a", "float", " [N]") +
                                                          variable("b", "lab_base_a", " * ") +
                                                          variable("c", "lab_base_a"));
}

TEST_CASE("alignment is kept, however it is spelled") {
  for (const std::string spelled :
       {"__shared__ __align__(16) float x[4];", "__align__(16) __shared__ float x[4];",
        "__shared__ alignas(16) float x[4];", "__shared__ float x[4] __attribute__((aligned(16)));",
        "__shared__ __attribute__((aligned(16))) float x[4];"}) {
    CAPTURE(spelled);
    const std::string text = in_kernel(spelled);
    CHECK(holds(text, "using lab_base_x = float;"));
    CHECK(holds(text, "struct alignas(16) lab_aligned_x {};"));
    CHECK(holds(
        text, "alignof(lab_type_x) > alignof(lab_aligned_x) ? alignof(lab_type_x) : alignof(lab_aligned_x)"));
  }
}

TEST_CASE("dynamic shared memory comes from the launch") {
  CHECK(in_kernel("extern __shared__ float x[];") == dynamic_shared("x", "float", " []"));
  CHECK(in_kernel("extern __shared__ T x[][32];") == dynamic_shared("x", "T", " [][32]"));
  CHECK(in_kernel("extern volatile __shared__ int x[];") == dynamic_shared("x", "volatile int", " []"));
  CHECK(in_kernel("extern __shared__ __align__(16) unsigned char x[];") ==
        dynamic_shared("x", "unsigned char", " []"));
}

TEST_CASE("dynamic shared memory may be declared outside of functions, and again") {
  const std::string once = "[[maybe_unused]] static const ::lab::emulator::dynamic_shared_array<float> x{};";
  CHECK(text_of("extern __shared__ float x[];\n") == once + "\n");
  CHECK(text_of("extern __shared__ float x[];\nextern __shared__ float x[];\n") == once + "\n\n");
  CHECK(holds(text_of("namespace n { extern __shared__ int4 x[]; }"), "dynamic_shared_array<int4> x{};"));
}

TEST_CASE("a declaration keeps its lines") {
  CHECK(text_of("void k() {\n  __shared__ float a[4], // first\n      b;\n}\n") ==
        "void k() {\n  " + static_shared("a", "float", " [4]") + variable("b", "lab_base_a") + "\n\n}\n");
}

TEST_CASE("macros may declare shared memory") {
  CHECK(
      text_of("#define TILE(name) __shared__ float name[4]\n") ==
      "#define TILE(name) using lab_base_ ## name = float; using lab_type_ ## name = lab_base_ ## name [4]; "
      "static "
      "::lab::emulator::shared_site lab_shared_ ## name; lab_type_ ## name& name = *static_cast<lab_type_ ## "
      "name*>(::lab::emulator::shared_variable(lab_shared_ ## name, sizeof(lab_type_ ## name), "
      "alignof(lab_type_ ## name)))\n");
  CHECK(holds(text_of("#define SHARED volatile __shared__\nvoid k() { SHARED int x; }"),
              static_shared("x", "volatile int")));
}

TEST_CASE("the word alone, in text or in its own definition, is left alone") {
  const std::string source =
      "#ifndef __shared__\n#define __shared__\n#endif\nconst char* s = \"__shared__\"; // __shared__\n";
  CHECK(text_of(source) == source);
}

TEST_CASE("shared memory in a lambda and in a member function is inside a function") {
  CHECK(holds(text_of("auto f = [] { __shared__ int x; };"), static_shared("x", "int")));
  CHECK(holds(text_of("struct S { __device__ void f() const { __shared__ int x; } };"),
              static_shared("x", "int")));
}

TEST_SUITE_END();

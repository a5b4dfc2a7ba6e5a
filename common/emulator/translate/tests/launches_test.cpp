#include <doctest/doctest.h>

#include "translated.hpp"

using namespace lab::emulator::translate::tests;

namespace {

/// The translation of a launch statement: `launch(configure(CONFIGURATION), CALLEE)(ARGUMENTS);`.
std::string plain(const std::string& callee, const std::string& configuration, const std::string& arguments) {
  return "::lab::emulator::launch(::lab::emulator::configure(" + configuration + "), " + callee + ")(" +
         arguments + ");";
}

std::string deduced(const std::string& callee, const std::string& configuration,
                    const std::string& arguments) {
  return "::lab::emulator::launch_deduced(::lab::emulator::configure(" + configuration + "), \"" + callee +
         "\", [](auto... lab_arguments) { " + callee + "(lab_arguments...); })(" + arguments + ");";
}

/// The translation of `statement` in a function behind `declarations`.
std::string launch(const std::string& declarations, const std::string& statement) {
  const std::string text = text_of(declarations + "\nvoid host(int n) { " + statement + " }");
  const std::string before = "void host(int n) { ";
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return text;
  return text.substr(begin + before.size(), text.rfind(" }") - begin - before.size());
}

}  // namespace

TEST_SUITE_BEGIN("launches");

TEST_CASE("a launch becomes a call with the kernel's own parameters") {
  CHECK(launch("__global__ void k(int*);", "k<<<1, 2>>>(p);") == plain("k", "1, 2", "p"));
  CHECK(launch("", "k<<<grid, block, bytes, stream>>>();") == plain("k", "grid, block, bytes, stream", ""));
  CHECK(launch("__global__ void k(int*);", "k<<<1, 2>>>(0);") == plain("k", "1, 2", "0"));
}

TEST_CASE("braces in the configuration become dim3") {
  CHECK(launch("", "k<<<{1, 2}, {3}>>>();") == plain("k", "dim3{1, 2}, dim3{3}", ""));
  CHECK(launch("", "k<<<dim3{1, 2}, 3, {}>>>();") == plain("k", "dim3{1, 2}, 3, {}", ""));
}

TEST_CASE("whatever C++ can name can be launched") {
  for (const std::string callee : {"ns::k",
                                   "::k",
                                   "::a::b::k",
                                   "k<float>",
                                   "k<float, (B > 2)>",
                                   "k<A<B<int>>>",
                                   "k<sizeof(int), 3>",
                                   "tab[1]",
                                   "tab[i][j + 1]",
                                   "(*fp)",
                                   "obj.member",
                                   "obj->member",
                                   "this->member",
                                   "obj.a.b->c[2]",
                                   "pick(1, 2)",
                                   "pick<int>(1)",
                                   "Foo<T>::template bar<N>",
                                   "Foo<T>::k",
                                   "A<B>::C<D>::k",
                                   "decltype(x)::k",
                                   "static_cast<F>(p)",
                                   "obj.*member",
                                   "f(1)(2)"}) {
    CAPTURE(callee);
    CHECK(launch("", callee + "<<<1, 2>>>(n);") == plain(callee, "1, 2", "n"));
  }
}

TEST_CASE("what stands before the callee stays outside") {
  CHECK(launch("", "if (n) (*fp)<<<1, 2>>>();") == "if (n) " + plain("(*fp)", "1, 2", ""));
  CHECK(launch("", "while (n < 2) k<<<1, 2>>>();") == "while (n < 2) " + plain("k", "1, 2", ""));
  CHECK(launch("", "return (*fp)<<<1, 2>>>();") == "return " + plain("(*fp)", "1, 2", ""));
  CHECK(launch("", "if (n) ; else ::k<<<1, 2>>>();") == "if (n) ; else " + plain("::k", "1, 2", ""));
  CHECK(launch("", "(void)k<<<1, 2>>>();") == "(void)" + plain("k", "1, 2", ""));
  CHECK(launch("", "case 1: k<<<1, 2>>>();") == "case 1: " + plain("k", "1, 2", ""));
  CHECK(launch("", "a < b; k<<<1, 2>>>();") == "a < b; " + plain("k", "1, 2", ""));
  CHECK(launch("", "f(a < b, k<<<1, 2>>>());").find("f(a < b, ::lab") == 0);
}

TEST_CASE("shifts, comparisons and templates between the brackets are told apart") {
  for (const std::string configuration :
       {"n >> 5, 32", "n << 1, 32", "n < 4 ? 1 : 2, 32", "n < 4 ? 1 : 2, n > 3 ? 1 : 2", "(n + 31) / 32, 32",
        "f<int>(n), 32", "f<A<int>>(n), 32", "f<A<B<int>>>(n), 32", "1, sizeof_all<A, B>", "1, v<A<int>>",
        "A<B<int>>::grid, A<int>::block", "n < m >> 1, 32", "g(a < b, c > d), 32", "n, (a > b)", "1, n < m",
        "a && n < 2 ? 1 : 3, c || n > 3 ? 1 : 2", "[&] { return n; }(), 1"}) {
    CAPTURE(configuration);
    CHECK(launch("", "k<<<" + configuration + ">>>(n);") == plain("k", configuration, "n"));
  }
}

TEST_CASE("a launch may hold another in its arguments") {
  CHECK(launch("", "k<<<1, 2>>>([&] { m<<<3, 4>>>(n); });") ==
        plain("k", "1, 2", "[&] { " + plain("m", "3, 4", "n") + " }"));
}

TEST_CASE("strings, comments and shifts that look like launches stay as they are") {
  const std::string source =
      "const char* a = \"k<<<1, 2>>>(x)\"; // k<<<1, 2>>>(x)\n/* k<<< */ auto b = R\"(k<<<1,2>>>())\";\n"
      "int c = 1 << 2 >> 3; template <> struct X<A<B<int>>> {};\nstd::ostream& operator<<<T>(std::ostream&, "
      "T);\n";
  CHECK(text_of(source) == source);
}

TEST_CASE("the lines of a launch stay where they were") {
  CHECK(text_of("void f() {\n  k\n  <<<1,\n     2>>>(\n   3);\n}\n") ==
        "void f() {\n  ::lab::emulator::launch(::lab::emulator::configure(\n1,\n     2), k)(\n   "
        "3);\n}\n");
  CHECK(text_of("void f() {\r\n  k<<<1,\r\n 2>>>();\r\n}\r\n") ==
        "void f() {\r\n  ::lab::emulator::launch(::lab::emulator::configure(1,\r\n 2), k)();\r\n}\r\n");
}

TEST_CASE("what only the call can tell goes by its text on one line") {
  const std::string pack = "template <class... T> __global__ void k(T...);\n";
  CHECK(holds(text_of(pack + "void f() { k<\n  int, /* why */ B>  <<<1, 2>>>(); }"),
              "\"k< int, B>\", [](auto..."));
  CHECK(holds(text_of(pack + "void f() { k<'\"', \"\\\\\"><<<1, 2>>>(); }"),
              "\"k<'\\\"', \\\"\\\\\\\\\\\">\", [](auto..."));
  CHECK(holds(text_of(pack + "#define GO(T) \\\n  ns::k<T> \\\n <<<1, 2>>>()\n"),
              "\"ns::k<\" #T \">\", [](auto..."));
}

TEST_CASE("macros may launch, and pass the kernel's name through") {
  CHECK(text_of("#define GO(k, g, ...) k<<<g, 2>>>(__VA_ARGS__)\n") ==
        "#define GO(k, g, ...) ::lab::emulator::launch(::lab::emulator::configure(g, 2), k)(__VA_ARGS__)\n");
  CHECK(
      text_of("#define GO(k, T) \\\n  ns::k<T> \\\n <<<1, 2>>>()\n") ==
      "#define GO(k, T) \\\n  ::lab::emulator::launch(::lab::emulator::configure( \\\n1, 2), ns::k<T>)()\n");
  CHECK(text_of("#define GO(n) k_##n<<<1, 2>>>()\n") ==
        "#define GO(n) ::lab::emulator::launch(::lab::emulator::configure(1, 2), k_##n)()\n");
  CHECK(text_of("#define GO k<<<1, 2>>>\n") ==
        "#define GO ::lab::emulator::launch(::lab::emulator::configure(1, 2), k)\n");
  CHECK(holds(text_of("#define GO(c) k<<<c>>>()\n"), "configure(c)"));
  CHECK(holds(text_of("#define SHAPE 1, 2\nvoid f() { k<<<SHAPE>>>(); }\n"), "configure(SHAPE)"));
}

TEST_CASE("a macro that is given a template to deduce lets the call deduce it") {
  const std::string macro = "#define GO(kernel, ...) kernel<<<1, 2>>>(__VA_ARGS__)\n";
  CHECK(holds(text_of(macro + "template <class T> __global__ void k(T);\nvoid f() { GO(k, 1); }"),
              "launch_deduced(::lab::emulator::configure(1, 2), #kernel, [](auto... lab_arguments) { "
              "kernel(lab_arguments...); })(__VA_ARGS__)"));
  CHECK_FALSE(holds(text_of(macro + "template <class T> __global__ void k(T);\nvoid f() { GO(k<int>, 1); }"),
                    "launch_deduced"));
}

TEST_CASE("the kernel may reach the macro that launches it through others") {
  const std::string macros =
      "#define RUN(k, n) GO(n, k)\n#define GO(n, kernel) kernel<<<1, 2>>>(n)\n#define AGAIN(k) RUN(k, 1)\n"
      "template <class T> __global__ void f(T); __global__ void g(int);\n";
  CHECK(holds(text_of(macros + "void h() { AGAIN(f); }"), "launch_deduced("));
  CHECK(holds(text_of(macros + "void h() { GO(1, f); }"), "launch_deduced("));
  CHECK_FALSE(holds(text_of(macros + "void h() { AGAIN(g); RUN(f<int>, 1); }"), "launch_deduced("));
  CHECK_FALSE(holds(text_of(macros + "void h() { RUN(g, f); }"), "launch_deduced("));
  CHECK(errors_of("#define A(k) B(k)\n#define B(k) A(k) k<<<1, 2>>>()\nvoid h() { A(f); }") == "");
}

TEST_CASE("the argument list may be a macro's") {
  CHECK(text_of("#define GO(k, args) k<<<1, 2>>> args\n") ==
        "#define GO(k, args) ::lab::emulator::launch(::lab::emulator::configure(1, 2), k) args\n");
  CHECK(launch("#define NONE ()", "k<<<1, 2>>> NONE;") ==
        "::lab::emulator::launch(::lab::emulator::configure(1, 2), k) NONE;");
}

TEST_CASE("text that is not compiled is translated all the same") {
  CHECK(holds(text_of("#if 0\nvoid f() { k<<<1, 2>>>(); }\n#endif\n"), "launch("));
}

TEST_CASE("branches that open different braces do not confuse what follows") {
  CHECK(holds(text_of("void f() {\n#ifdef A\n if (x) {\n#else\n if (y) {\n#endif\n k<<<(1), 2>>>(); } "
                      "}\n__global__ void d(int = 0);\nvoid g() { d<<<1, 2>>>(); }"),
              deduced("d", "1, 2", "")));
  CHECK(holds(text_of("void f() { k<<<1,\n#ifdef A\n (2\n#else\n (3\n#endif\n)>>>(x); }"), ")), k)(x)"));
}

TEST_CASE("template arguments left to deduction are deduced by the call") {
  const std::string add = "template <typename T, int N = 4>\n__global__ void add(const T* a, T* b);";
  CHECK(launch(add, "add<<<1, 2>>>(a, b);") == deduced("add", "1, 2", "a, b"));
  CHECK(launch(add, "add<float><<<1, 2>>>(a, b);") == deduced("add<float>", "1, 2", "a, b"));
  CHECK(launch(add, "add<float, 3><<<1, 2>>>(a, 0);") == plain("add<float, 3>", "1, 2", "a, 0"));
  CHECK(launch("template <class... T> __global__ void all(T...);", "all<int><<<1, 2>>>(1);") ==
        deduced("all<int>", "1, 2", "1"));
  CHECK(launch("template <class T> void other(T); __global__ void k(int);", "k<<<1, 2>>>(1);") ==
        plain("k", "1, 2", "1"));
}

TEST_CASE("a zero for a pointer among deduced arguments stays one") {
  const std::string k = "template <class T> __global__ void k(T, int*, int, T* p);";
  CHECK(launch(k, "k<<<1, 2>>>(x, NULL, 0, 0);") ==
        deduced("k", "1, 2", "x, ::lab::emulator::zero_literal{}, 0, ::lab::emulator::zero_literal{}"));
  CHECK(launch(k, "k<<<1, 2>>>(0, nullptr, 0, (0));") == deduced("k", "1, 2", "0, nullptr, 0, (0)"));
  CHECK(launch("__global__ void k(int); __global__ void k(int*);", "k<<<1, 2>>>(0);") ==
        deduced("k", "1, 2", "0"));
}

TEST_CASE("default arguments and overloads are chosen by the call") {
  const std::string defaulted = "__global__ void k(int* p, int n = 3);\n__global__ void k(int* q, int m) {}";
  CHECK(launch(defaulted, "k<<<1, 2>>>(p);") == deduced("k", "1, 2", "p"));
  CHECK(launch(defaulted, "k<<<1, 2>>>(p, 2);") == plain("k", "1, 2", "p, 2"));
  CHECK(launch("__global__ void k(int); __global__ void k(float);", "k<<<1, 2>>>(1);") ==
        deduced("k", "1, 2", "1"));
  CHECK(launch("namespace a { __global__ void k(int); } namespace b { __global__ void k(float); }",
               "a::k<<<1, 2>>>(1);") == plain("a::k", "1, 2", "1"));
}

TEST_CASE("a redeclaration is no overload") {
  CHECK(launch("__global__ void k(const float*, unsigned, struct P, Q);\n__global__ void k(const float* "
               "__restrict__ a, unsigned n, struct P p, Q q) {}",
               "k<<<1, 2>>>(a, 1, p, q);") == plain("k", "1, 2", "a, 1, p, q"));
}

TEST_CASE("kernels are recognised however they are declared") {
  for (const std::string declaration :
       {"__global__ __launch_bounds__(256, 2) void k(int = 0);",
        "__global__ void __launch_bounds__(256) k(int = 0);", "extern \"C\" __global__ void k(int = 0);",
        "extern \"C\" { __global__ void k(int = 0) {} }", "static inline __global__ void k(int = 0) {}",
        "__attribute__((used)) __global__ void k(int = 0) {}", "void __global__ k(int = 0) {}",
        "[[maybe_unused]] __global__ void k(int = 0) {}", "struct S { friend __global__ void k(int = 0); };",
        "struct S { public: static __global__ void k(int = 0) {} };",
        "#define KERNEL extern \"C\" __global__\nKERNEL void k(int = 0);",
        "#define BOUNDS(n)\nBOUNDS(256) __global__ void k(int = 0) {}",
        "class A { A() : a_{1}, b_(2) {} int a_, b_; }; __global__ void k(int = 0) {}",
        "int x[] = {1, 2}; auto l = [](int) { return 1; }; __global__ void k(int = 0) {}",
        "bool operator<(A, B) { return true; } bool operator>(A, B) { return true; } __global__ void k(int = "
        "0);",
        "enum class E : int { a, b }; template <class T> struct X { T t; }; __global__ void k(int = 0);",
        "#if 0\n}\n#endif\n__global__ void k(int = 0);"}) {
    CAPTURE(declaration);
    CHECK(launch(declaration, "k<<<1, 2>>>();") == deduced("k", "1, 2", ""));
  }
}

TEST_CASE("kernels are listed where the program may launch them by address") {
  const std::string by_address = "void host(void* p) { cudaLaunchKernel(p, 1, 1, nullptr); }\n";
  const auto listed = [&](const std::string& declaration) {
    return holds(text_of(declaration + "\n" + by_address), "LAB_LAUNCHABLE(k)");
  };
  CHECK(text_of("namespace n { __global__ void k(int) { if (1) {} } }\n" + by_address) ==
        "namespace n { __global__ void k(int) { if (1) {} } LAB_LAUNCHABLE(k) }\n" + by_address);
  CHECK(listed("__global__ void k(int); __global__ void k(int) {}"));
  CHECK(listed("extern \"C\" { static __global__ void __launch_bounds__(2) k(int, int = 0) {} }"));
  CHECK_FALSE(holds(text_of("__global__ void k(int) {}"), "LAB_LAUNCHABLE"));
  CHECK_FALSE(listed("__global__ void k(int);"));
  CHECK_FALSE(listed("void k(int) {}"));
  CHECK_FALSE(listed("template <class T> __global__ void k(T) {}"));
  CHECK_FALSE(listed("template <class T> __global__ void k(T) {} template <> __global__ void k(int) {}"));
  CHECK_FALSE(listed("__global__ void k(int) {} __global__ void k(float) {}"));
  CHECK_FALSE(listed("void k(float); __global__ void k(int) {}"));
}

TEST_SUITE_END();

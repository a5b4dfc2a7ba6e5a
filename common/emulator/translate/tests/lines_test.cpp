#include <doctest/doctest.h>

#include <algorithm>

#include "translated.hpp"

using namespace lab::emulator::translate;
using namespace lab::emulator::translate::tests;

TEST_SUITE_BEGIN("lines");

TEST_CASE("the translation begins with the runtime's header and the name of the source") {
  options how;
  CHECK(translate_text("int x;\n", "dir/a.cu", how).text ==
        "#include <cuda_runtime.h>\n#line 1 \"dir/a.cu\"\nint x;\n");
  how.source_name = "a \"b\"\\c.cu";
  CHECK(holds(translate_text("", "dir/a.cu", how).text, "#line 1 \"a \\\"b\\\"\\\\c.cu\"\n"));
}

TEST_CASE("a text without CUDA syntax passes as it is") {
  for (const std::string& source :
       {std::string(), std::string("\n"), std::string("int x"), std::string("\r\n\r\n")})
    CHECK(text_of(source) == source);
}

TEST_CASE("a byte order mark is dropped and does not count as a column") {
  CHECK(text_of("\xef\xbb\xbfint x;\n") == "int x;\n");
  CHECK(holds(errors_of("\xef\xbb\xbf__global__ int k();"), "student.cu:1:16:"));
}

TEST_CASE("every translation has as many lines as its source") {
  for (const std::string source :
       {"void f() { k<<<1,\n2>>>\n(\n); }\n", "void k() { __shared__\n int\n x[\n3\n]; }\n",
        "#define A(k) \\\n k \\\n <<<1, \\\n 2>>> \\\n ()\nint x;\n",
        "template <class T>\n__global__ void k(T);\nvoid f() { k\n<<<\n1\n,\n2\n>>>\n(\n0\n)\n; }",
        "extern\n__shared__\nint x\n[];\nint y;"}) {
    CAPTURE(source);
    const std::string text = text_of(source);
    CHECK(std::count(text.begin(), text.end(), '\n') == std::count(source.begin(), source.end(), '\n'));
    CHECK(errors_of(source) == "");
  }
}

TEST_CASE("text between rewritten stretches keeps its bytes") {
  CHECK(text_of("int a;\t/* x */ void f() { k<<<1,  2>>>( a , /*b*/c );  } // end") ==
        "int a;\t/* x */ void f() { ::lab::emulator::launch(::lab::emulator::configure(1,  2), k)( a "
        ", /*b*/c );  } // end");
}

TEST_SUITE_END();

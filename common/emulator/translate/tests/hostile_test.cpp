#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "translated.hpp"

using namespace lab::emulator::translate;
using namespace lab::emulator::translate::tests;

namespace {

constexpr std::size_t many = 100'000;  // tokens; quadratic work on them would take minutes

std::string repeat(const std::string& part, std::size_t times) {
  std::string all;
  all.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

double seconds_to_translate(const std::string& source) {
  const std::clock_t begin = std::clock();  // CPU time: the machine may be busy with other tests
  const result done = run(source);
  CHECK(done.read_files.size() == 1);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

const std::vector<std::string> soup_words = {"<<<",
                                             ">>>",
                                             "<",
                                             ">",
                                             "(",
                                             ")",
                                             "[",
                                             "]",
                                             "{",
                                             "}",
                                             ";",
                                             ",",
                                             "::",
                                             ".",
                                             "->",
                                             "__shared__",
                                             "__global__",
                                             "extern",
                                             "template",
                                             "<int>",
                                             "void",
                                             "int",
                                             "float",
                                             "k",
                                             "k(",
                                             "x",
                                             "y<",
                                             "0",
                                             "NULL",
                                             "\"",
                                             "'",
                                             "/*",
                                             "*/",
                                             "//",
                                             "\\\n",
                                             "\n",
                                             "\n#if 0\n",
                                             "\n#if A\n",
                                             "\n#else\n",
                                             "\n#endif\n",
                                             "\n#define M(a, ...) ",
                                             "##",
                                             "#",
                                             "R\"(",
                                             ")\"",
                                             "operator",
                                             "struct",
                                             "namespace n",
                                             "=",
                                             "if",
                                             "else",
                                             "return",
                                             "*",
                                             "&",
                                             "?",
                                             ":",
                                             "__align__(8)",
                                             "typename",
                                             "...",
                                             "\xc3\xa9",
                                             "\xff",
                                             "\r\n",
                                             "threadIdx.x",
                                             "[]",
                                             "static",
                                             "k<<<1, 2>>>(x);",
                                             "__shared__ int x[3];",
                                             "asm(",
                                             "\"mov.u64 %0, %clock64;\" : \"=l\"(",
                                             "union {",
                                             "M(k)"};

std::string soup(std::mt19937& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += soup_words[random() % soup_words.size()];
    if (random() % 3 != 0) text += ' ';
  }
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("hostile");

TEST_CASE("what is no text is refused in a sentence") {
  CHECK(holds(errors_of(std::string("int\0x;\n", 7)), "student.cu:1:4: error: there is a NUL byte here"));
  CHECK(holds(errors_of(std::string("\xff\xfei\0n\0", 6)), "UTF-16"));
  CHECK(holds(errors_of("int \xff;"), "1:5: error: the bytes here are neither UTF-8"));
  CHECK(holds(errors_of(std::string((16u << 20) + 1, 'x')), "larger than 16 MiB"));
  CHECK(errors_of("// caf\xe9\nconst char* s = \"\xe9\"; int \xc3\xa9;\n") == "");
}

TEST_CASE("what is left open is named where it opens") {
  CHECK(holds(errors_of("int x;\n  \"abc\n"), "2:3: error: this string is not closed"));
  CHECK(holds(errors_of("char c = 'a;\n"), "1:10: error: this character is not closed"));
  CHECK(holds(errors_of("\n\n /* abc\n"), "3:2: error: this comment is never closed"));
  CHECK(holds(errors_of("auto s = R\"x(abc)\";\n"), "1:11: error: this raw string is never closed"));
  CHECK(holds(errors_of("#if 0\n/* abc\n#endif\n"), "2:1: error: this comment is never closed"));
}

TEST_CASE("ten megabytes take about as long as reading them") {
  CHECK(seconds_to_translate(repeat("void f() { int x = 1 + 2; }\n", 370'000)) < 10);
  CHECK(seconds_to_translate(std::string(10'000'000, 'x')) < 10);
}

TEST_CASE("no text takes quadratic time") {
  for (const std::string part : {"(",
                                 ")",
                                 "{",
                                 "}",
                                 "[",
                                 "<",
                                 ">",
                                 "<<<",
                                 ">>>",
                                 "a<",
                                 "k<<<",
                                 "k<<<1,2>>>(",
                                 "k<<<1,2>>>() ",
                                 "__shared__ ",
                                 "__shared__ int x,",
                                 "namespace a{",
                                 "struct a{",
                                 "void f(){",
                                 "a::",
                                 "a.",
                                 "f()",
                                 "[]{",
                                 "extern __shared__ int x[];",
                                 "template<",
                                 "template<class T,",
                                 "R\"(",
                                 "\"",
                                 "'",
                                 "#if A\n(",
                                 "#if A\n(\n#else\n)\n#endif\n",
                                 "#define k(a) k<<<1,2>>>()\n",
                                 "= ",
                                 "X():a{1},b{2}",
                                 "k(a);",
                                 "int x[a<b",
                                 "f<a>::",
                                 "operator<",
                                 "__global__ void k(int);",
                                 "? < ",
                                 "k<<<1, n < 2 ? ",
                                 "void f(){k<<<1>>>();}\n#ifdef A\n",
                                 "__global__ void k();void f(){k();auto k=1;k();}",
                                 "#if 0\n<<<\n#endif\n",
                                 "\\\n",
                                 "\\",
                                 "/",
                                 "##",
                                 "a##",
                                 "asm ",
                                 "asm(",
                                 "asm(\"mov.u64 %0, %clock64;\" : \"=l\"(",
                                 "asm(\"a.b c; \"",
                                 "#define m(a) m(a)\nm("}) {
    CAPTURE(part);
    CHECK(seconds_to_translate(repeat(part, many)) < 10);
  }
  const std::string nested = repeat("(", many) + "k<<<1, 2>>>()" + repeat(")", many);
  CHECK(seconds_to_translate(nested) < 10);
  CHECK(seconds_to_translate(repeat("asm(", many) + repeat(")", many)) < 10);
  CHECK(seconds_to_translate("#define m(a) a\n" + repeat("m(x,", many) + repeat(")", many)) < 10);
  CHECK(seconds_to_translate("asm(\"" + repeat("mov.u64 %0, %clock64;", many) + "\" : \"=l\"(x))") < 10);
  CHECK(seconds_to_translate("__global__ void f(); void k(int);\n#ifdef A\nvoid g() {" +
                             repeat("k<<<1, 2>>>(3); f();", many / 8) + "}\n#endif") < 10);
  CHECK(seconds_to_translate("void k(int);\nvoid g() { run(k);" + repeat("k<<<1, 2>>>(3);", many / 8) + "}") <
        20);
}

TEST_CASE("random soups of tokens end, translated or rejected") {
  std::mt19937 random(20261129);
  for (int i = 0; i < 1500; ++i) {
    const std::string source = soup(random, 1 + random() % 200);
    const result done = run(source);
    CHECK(done.read_files.size() == 1);
    if (done.errors.empty()) {
      const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
      CAPTURE(source);
      CHECK(lines(done.text) == lines(source) + 2);
    }
  }
}

TEST_CASE("a program cut off anywhere is translated or rejected") {
  const std::string whole =
      "#include <cstdio>\n#define GO(k, ...) k<<<1, 2>>>(__VA_ARGS__)\ntemplate <class T, int N = 2> "
      "__global__ void add(T* p) {\n"
      "  __shared__ __align__(16) T tile[N][3], *q;\n  extern __shared__ float s[];\n  p[threadIdx.x] = "
      "tile[0][1]; }\n"
      "#if 0\nbad <<< text\n#endif\nint main() { add<A<B<int>>, 3><<<{1, 2}, (n > 3), 0, s>>>(0); // end\n "
      "GO(add<int>, R\"(a)\", 'c'); }\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const result done = run(whole.substr(0, length));
    CHECK(done.read_files.size() == 1);
    if (length == whole.size()) CHECK(done.errors.empty());
  }
}

TEST_SUITE_END();

#include <doctest/doctest.h>

#include "diagnostics.hpp"
#include "scratch.hpp"

using namespace lab::cli;

namespace {

source_in_question student(const std::string& text) {
  return {"/course/labs/01_x/student.cu",
          text,
          {"/course/common/emulator/include", "/course/common/include"},
          {}};
}

/// The lines of a quotation, for a check of the whole message.
std::string told(const std::string& location, const std::string& message, const std::string& quote) {
  return "/course/labs/01_x/student.cu:" + location + ": error: " + message + quote;
}

}  // namespace

TEST_CASE("g++: the first error, at the student's line, and nothing else") {
  const auto source = student("int f() {\n\treturn y;\n}\n");
  const std::string output =
      "/course/labs/01_x/student.cu: In function 'int f()':\n"
      "/course/labs/01_x/student.cu:1:5: warning: unused something [-Wunused]\n"
      "/course/labs/01_x/student.cu:2:9: error: 'y' was not declared in this scope\n"
      "    2 | \treturn y;\n      |                ^\n"
      "/course/labs/01_x/student.cu:3:1: error: another\n";
  CHECK(first_compile_error(output, source) ==
        told("2:9", "'y' was not declared in this scope", "\n    2 | \treturn y;\n      | \t       ^"));
}

TEST_CASE("clang++: the same") {
  const auto source = student("int f() {\n  return y;\n}\n");
  const std::string output =
      "/course/labs/01_x/student.cu:2:10: error: use of undeclared identifier 'y'\n"
      "  return y;\n         ^\n1 error generated.\n";
  CHECK(first_compile_error(output, source) ==
        told("2:10", "use of undeclared identifier 'y'", "\n    2 |   return y;\n      |          ^"));
}

TEST_CASE(
    "a line that the translator rewrote is shown without a column, its assertion without the compiler's "
    "words") {
  const auto source = student("\n  __shared__ float tile[n];\n");
  const std::string sentence = "the size of a __shared__ array must be known when it is compiled.";
  for (const std::string& output :
       {"/course/labs/01_x/student.cu:2:38: error: static assertion failed: " + sentence,
        "/course/labs/01_x/student.cu:2:38: error: static_assert failed due to requirement 'x' \"" +
            sentence + "\""}) {
    CHECK(first_compile_error(output, source) ==
          told("2", sentence, "\n    2 |   __shared__ float tile[n];"));
  }
}

TEST_CASE("an error inside a library is told at the line that led to it") {
  const auto source = student("\n\n  sort(v);\n");
  SUBCASE("g++ names it before the error") {
    const std::string output =
        "In file included from /usr/include/c++/12/algorithm:61,\n"
        "                 from /course/labs/01_x/student.cu:1:\n"
        "/usr/include/c++/12/bits/stl_algo.h: In instantiation of 'void f()':\n"
        "/usr/include/c++/12/bits/stl_algo.h:1918:25:   required from 'void std::sort()'\n"
        "/course/labs/01_x/student.cu:3:7:   required from here\n"
        "/usr/include/c++/12/bits/stl_algo.h:43:23: error: no match for 'operator<'\n";
    CHECK(first_compile_error(output, source) ==
          told("3:7", "no match for 'operator<' (found in stl_algo.h, which this line uses)",
               "\n    3 |   sort(v);\n      |       ^"));
  }
  SUBCASE("clang names it after the error") {
    const std::string output =
        "In file included from /course/labs/01_x/student.cu:1:\n"
        "/usr/include/c++/12/bits/stl_algo.h:43:23: error: invalid operands to binary expression\n"
        "      { return *it1 < *it2; }\n"
        "               ~~~~ ^ ~~~~\n"
        "/usr/include/c++/12/bits/stl_algo.h:1918:25: note: in instantiation of function template requested "
        "here\n"
        "/course/labs/01_x/student.cu:3:3: note: in instantiation of function template 'sort' requested "
        "here\n";
    CHECK(first_compile_error(output, source)
              .rfind("/course/labs/01_x/student.cu:3:3: error: invalid operands", 0) == 0);
  }
  SUBCASE("only an include leads there") {
    const std::string output =
        "In file included from /course/labs/01_x/student.cu:3:\n"
        "/usr/include/odd.h:7:1: error: unknown type name 'x'\n";
    CHECK(first_compile_error(output, source).rfind("/course/labs/01_x/student.cu:3", 0) == 0);
  }
}

TEST_CASE("no caret where the translator changed the columns") {
  const auto source = student("  spin<<<1, 1>>>(2);\n");
  const auto text = first_compile_error("/course/labs/01_x/student.cu:1:60: error: no\n", source);
  CHECK(text == told("1", "no", "\n    1 |   spin<<<1, 1>>>(2);"));
}

TEST_CASE("warnings: those in the student's own file, once each, a forgotten return first") {
  const auto source = student("  if (x = 1) return;\n  k<<<1, 1>>>(a = b);\n}\n");
  const std::string file = "/course/labs/01_x/student.cu";
  const std::string output = file + ":2:90: warning: assignment [-Wparentheses]\n" +
                             "/course/common/include/lab/check.hpp:3:1: warning: not the student's\n" + file +
                             ":1:7: warning: assignment [-Wparentheses]\n" +
                             "  if (x = 1) return;\n      ^\n" + file + ":1:7: note: not a warning\n" + file +
                             ":1:7: warning: assignment [-Wparentheses]\n" + file +
                             ":3:1: warning: no return [-Wreturn-type]\n";
  const std::vector<std::string> all{
      "3:1: warning: no return [-Wreturn-type]\n    3 | }\n      | ^",
      "1:7: warning: assignment [-Wparentheses]\n    1 |   if (x = 1) return;\n      |       ^",
      "2: warning: assignment [-Wparentheses]\n    2 |   k<<<1, 1>>>(a = b);"};
  CHECK(own_warnings(output, source, 3) == all);
  CHECK(own_warnings(output, source, 1) == std::vector<std::string>{all.front()});
  CHECK(own_warnings("", source, 3).empty());
}

TEST_CASE("a launch with the wrong arguments is told in the kernel's words") {
  const auto source = student("  k<<<1, 1>>>(y, 3);\n");
  const std::string where = "/course/labs/01_x/student.cu:1:3: error: ";
  const std::string quote = "\n    1 |   k<<<1, 1>>>(y, 3);";
  CHECK(first_compile_error(
            where + "no match for call to '(lab::emulator::launcher<float*, int>) (int*&, int)'\n", source) ==
        told("1", "the kernel takes (float*, int), the launch passes (int*&, int)", quote));
  CHECK(first_compile_error(
            where + "no matching function for call to object of type 'launcher<float *, int>'\n", source) ==
        told("1", "the kernel takes (float *, int), and the launch passes something else", quote));
}

TEST_CASE("a stranger's bytes cannot hurt the terminal") {
  CHECK(quoted_line("\x1b]0;x\x07\n", 1, 1) == "");
}

TEST_CASE("a line of a file from Windows is quoted as any other") {
  CHECK(quoted_line("\xEF\xBB\xBFint x\r\nint y\r\n", 1, 5) == "\n    1 | int x\n      |     ^");
  CHECK(quoted_line("\xEF\xBB\xBFint x\r\nint y\r\n", 2, 0) == "\n    2 | int y");
}

TEST_CASE("columns are bytes, a caret stands under a character") {
  CHECK(quoted_line("f(µ, x)\n", 1, 7) == "\n    1 | f(µ, x)\n      |      ^");
}

TEST_CASE("a definition that the linker does not see is told from one that differs") {
  const scratch files;
  const auto contract = files.write("exercise.hpp", "extern const double guess;\n\nint timer(int x);\n");
  const auto told = [&](const std::string& text, const std::string& symbol) {
    auto source = student(text);
    source.contract = contract;
    auto message = link_error("a.o: undefined reference to `" + symbol + "'\n", source);
    if (const auto at = message.find(contract.string()); at != std::string::npos)
      message.erase(at, contract.string().size() - std::string("exercise.hpp").size());
    return message.substr(message.rfind("student.cu:") + 11);
  };
  CHECK(
      told("int timer(int x);\nnamespace {\nint timer(int x) { return x; }\n}\n", "timer(int)") ==
      "3 defines `timer` inside a namespace without a name, so it is not what exercise.hpp:3 declares. Move "
      "it out of that namespace.");
  CHECK(told("namespace mine {\nint timer(int x) { return x; }\n}\n", "timer(int)")
            .rfind("2 defines `timer` inside namespace mine, so", 0) == 0);
  CHECK(told("static int timer(int x) { return x; }\n", "timer(int)")
            .rfind("1 defines `timer` as static, for this file alone, so", 0) == 0);
  CHECK(
      told("const double guess = 3;\n", "guess").rfind("1 defines `guess` as a constant for this file", 0) ==
      0);
  const std::string other = "has a `timer`, but exercise.hpp:3 declares it as `timer(int)`. Give it exactly";
  CHECK(told("int timer(long x) { return x; }\n", "timer(int)").rfind("1 " + other, 0) == 0);
  CHECK(told("namespace { int timer() { return 1; } }\nint timer(long x) { return x; }\n", "timer(int)")
            .rfind("1 " + other, 0) == 0);
  CHECK(told("void helper();\nint main() { helper(); }\nnamespace { void helper() {} }\n", "helper()") ==
        "1 uses `helper()`, but line 3 defines it inside a namespace without a name. Move it out of that "
        "namespace.");
}

TEST_CASE("undefined and doubly defined symbols, as each linker says it") {
  const auto source = student("int helper();\nint main() { return helper(); }\n");
  for (const auto* output :
       {"student.cu:(.text+0x5): undefined reference to `helper()'\ncollect2: error: ld returned 1\n",
        "student.cu:2: error: undefined reference to 'helper()'\n",
        "ld.lld: error: undefined symbol: helper()\n>>> referenced by student.cu:2\n"}) {
    CHECK(link_error(output, source) ==
          "/course/labs/01_x/student.cu:1 uses `helper()`, which nothing defines.");
  }
  for (const auto* output : {"b.o: in function `main':\nmain.cpp:(.text+0x0): multiple definition of `main'; "
                             "a.o:x.cpp:(.text+0x0): first defined here\n",
                             "/usr/bin/ld.gold: error: b.o: multiple definition of 'main'\n/usr/bin/ld.gold: "
                             "a.o: previous definition here\n",
                             "ld.lld: error: duplicate symbol: main\n>>> defined at x\n"}) {
    const auto text = link_error(output, source);
    CHECK(text.rfind("/course/labs/01_x/student.cu:2 defines main()", 0) == 0);
  }
}

#include <doctest/doctest.h>

#include "translated.hpp"

using namespace lab::emulator::translate::tests;

namespace {

/// The translation of one statement of a kernel.
std::string in_kernel(const std::string& statement) {
  const std::string before = "__global__ void k(unsigned long long* t) { ";
  const std::string text = text_of(before + statement + " }");
  return text.compare(0, before.size(), before) == 0
             ? text.substr(before.size(), text.size() - before.size() - 2)
             : text;
}

const std::string globaltimer = "(t) = ::lab::emulator::globaltimer();";

}  // namespace

TEST_SUITE_BEGIN("inline_ptx");

TEST_CASE("a read of a special register becomes an assignment") {
  const auto read = [](const std::string& bits, const std::string& name, const std::string& constraint) {
    return in_kernel("asm volatile(\"mov.u" + bits + " %0, %%" + name + ";\" : \"=" + constraint + "\"(t));");
  };
  CHECK(read("64", "globaltimer", "l") == globaltimer);
  CHECK(read("32", "globaltimer_lo", "r") == "(t) = static_cast<unsigned>(::lab::emulator::globaltimer());");
  CHECK(read("32", "globaltimer_hi", "r") ==
        "(t) = static_cast<unsigned>(::lab::emulator::globaltimer() >> 32);");
  CHECK(read("64", "clock64", "l") == "(t) = ::clock64();");
  CHECK(read("32", "clock", "r") == "(t) = static_cast<unsigned>(::clock64());");
  CHECK(read("32", "laneid", "r") == "(t) = ::lab::emulator::laneid();");
  CHECK(read("32", "warpid", "r") == "(t) = ::lab::emulator::warpid();");
  CHECK(read("32", "smid", "r") == "(t) = ::lab::emulator::smid();");
}

TEST_CASE("the statement may be spelled in every way") {
  for (const std::string statement :
       {"asm(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));",
        "asm volatile (\"mov.u64 %0, %%globaltimer;\" : \"=l\" (t) :: \"memory\");",
        "asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t) : : \"memory\");",
        "__asm__ __volatile__(\"mov.u64 \\t%0, %%globaltimer;\\n\\t\" : \"=l\"(t));",
        "__asm volatile(\"mov.s64 %0,%globaltimer ;\" : \"=l\"(t));",
        "asm volatile(\"{ mov.b64 %0, %%globaltimer; }\" : \"=l\"(t));",
        "asm volatile(\"mov.u64\" \" %0, %%globaltimer;\" : \"=l\"(t));",
        "asm volatile(R\"(mov.u64 %0, %globaltimer;)\" : \"=l\"(t));",
        "asm volatile(R\"ptx(\n    mov.u64 %0, %globaltimer;\n  )ptx\" : \"=l\"(t));"}) {
    CAPTURE(statement);
    const std::string text = in_kernel(statement);
    CHECK(text.substr(0, globaltimer.size() - 1) == globaltimer.substr(0, globaltimer.size() - 1));
    CHECK(text.back() == ';');
    CHECK_FALSE(holds(text, "asm"));
  }
}

TEST_CASE("the variable may be any expression, and several registers may be read at once") {
  CHECK(in_kernel("if (i) asm(\"mov.u64 %0, %clock64;\" : \"=l\"(p->t[i + 1])); else f();") ==
        "if (i) (p->t[i + 1]) = ::clock64(); else f();");
  CHECK(in_kernel("asm(\"mov.u32 %1, %clock; mov.u64 %0, %clock64;\" : \"=l\"(f(a, b)), \"=r\"(c));") ==
        "(c) = static_cast<unsigned>(::clock64()), (f(a, b)) = ::clock64();");
  CHECK(in_kernel("asm volatile(\n\"mov.u64 %0, %clock64;\"\n: \"=l\"(*\nt));") ==
        "(* t) = ::clock64()\n\n\n;");
}

TEST_CASE("macros and headers may hold inline PTX") {
  CHECK(text_of("#define NOW(t) asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t))\n") ==
        "#define NOW(t) (t) = ::lab::emulator::globaltimer()\n");
  CHECK(text_of("#define NOW(t) \\\n asm(\"mov.u64 %0, %clock64;\" \\\n : \"=l\"(t))\n") ==
        "#define NOW(t) \\\n (t) = ::clock64() \\\n\n");
}

TEST_CASE("other PTX is rejected by name where it stands") {
  CHECK(errors_of(
            "__device__ void f(int s) {\n  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\\n\" :: "
            "\"r\"(s));\n}") ==
        "student.cu:2:3: error: inline PTX `cp.async.ca.shared.global [%0], [%1], 16` is not emulated: write "
        "it "
        "in CUDA C++.\n");
  for (const std::string instruction :
       {"ld.global.f32 %0, [%1];", "membar.gl;", "trap;", "mov.u32 %0, %lanemask_lt;", "bar.sync 0;",
        ".reg .pred p; setp.eq.u32 p, %0, 0;", "@p bra.uni done;", "mov.u64 %0, %1;", "add.u32 %0, %1, %2"}) {
    const std::string errors = errors_of("__device__ void f() { asm(\"" + instruction + "\" : \"=r\"(x)); }");
    CAPTURE(errors);
    CHECK(errors.find("student.cu:1:23: error: inline PTX `" + instruction.substr(0, instruction.find(';')) +
                      "` is not emulated") == 0);
  }
  CHECK(holds(errors_of("void f() { asm(\"" + std::string(100, 'a') + ".b;\"); }"), "aaa...` is not"));
}

TEST_CASE("a register that is read the wrong way is told the right one") {
  for (const std::string wrong :
       {"\"mov.u32 %0, %globaltimer;\" : \"=r\"(t)", "\"mov.u64 %0, %globaltimer;\" : \"=r\"(t)",
        "\"mov.u64 %1, %globaltimer;\" : \"=l\"(t)", "\"mov.u64 %0, %globaltimer\" : \"=l\"(t)",
        "\"mov.f64 %0, %globaltimer;\" : \"=l\"(t)", "\"mov.u64 %0, %globaltimer;\" :: \"l\"(t)",
        "\"mov.u64 x, %globaltimer;\" : \"=l\"(t)"}) {
    CAPTURE(wrong);
    CHECK(errors_of("void f() { asm(" + wrong + "); }") ==
          "student.cu:1:12: error: %globaltimer is read as in asm volatile(\"mov.u64 %0, %%globaltimer;\" : "
          "\"=l\"(variable)): write it so.\n");
  }
}

TEST_CASE("PTX that may not be compiled is rejected by the compiler, if it is") {
  const std::string pragma =
      "_Pragma(\"GCC error \\\"inline PTX `membar.gl` is not emulated: write it in CUDA C++.\\\"\")";
  CHECK(text_of("#ifdef A\nvoid f() { asm(\"membar.gl;\"); }\n#endif\n") ==
        "#ifdef A\nvoid f() { " + pragma + "; }\n#endif\n");
  CHECK(text_of("#define FENCE() asm volatile(\"membar.gl;\" ::: \"memory\")\n") ==
        "#define FENCE() " + pragma + "\n");
  CHECK(text_of("#if 0\nasm(\"membar.gl;\");\n#endif\n") == "#if 0\nasm(\"membar.gl;\");\n#endif\n");
}

TEST_CASE("assembly of the host is left alone") {
  for (const std::string host :
       {"void f() { asm volatile(\"\" ::: \"memory\"); }",
        "void f() { asm volatile(\"rdtsc\" : \"=a\"(a), \"=d\"(d)); }",
        "void f() { __asm__ __volatile__(\"pause\\n\\tlfence; rep; nop\"); }", "int f() asm(\"f.v2\");",
        "asm(\".symver memcpy,memcpy@GLIBC_2.2.5\");",
        "void f() { asm(\"1: lock; cmpxchgl %1, %0; jne 1b\"); }",
        "void f() { asm(\"movq %%fs:0, %0\" : \"=r\"(p)); }", "void f() { asm(\"call g.part.0\"); }",
        "register int x asm(\"ebx\");", "void f() { asm goto(\"jmp %l0\" :::: out); out:; }", "asm",
        "void f() { asm("}) {
    CAPTURE(host);
    CHECK(text_of(host) == host);
  }
}

TEST_CASE("a # line within the statement is not lost") {
  CHECK(holds(errors_of("void f() { asm(\"mov.u64 %0, %clock64;\"\n#ifdef A\n: \"=l\"(a)\n#else\n: "
                        "\"=l\"(b)\n#endif\n); }"),
              "student.cu:1:12: error: a line with # splits this asm statement"));
}

TEST_SUITE_END();

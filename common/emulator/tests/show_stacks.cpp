#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "trace/reader.hpp"

/// Prints which functions of the program each CUDA call of a trace is made in: show_stacks PROGRAM <TRACE
///
/// From within outwards, each once, without lambdas and the standard library's: how many of these there are
/// depends on the compiler.

using namespace lab;

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    trace::symbols names(argv[1]);
    for (const auto& call : trace::read(bytes, names).calls) {
      std::string text, last;
      for (const auto& frame : call.stack) {
        const std::string name = frame.function.substr(0, frame.function.find('('));
        if (name.find_first_of("<:{ ") != std::string::npos || name == "operator" || name == last) continue;
        text += " " + name;
        last = name;
      }
      std::printf("%s in%s\n", call.name.c_str(), text.c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no trace: %s\n", error.what());
    return 1;
  }
}

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "trace/reader.hpp"

/// Prints the findings of a trace, and whether the program came to its own end: show_findings PROGRAM <TRACE
int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    lab::trace::symbols names(argv[1]);
    const auto run = lab::trace::read(bytes, names);
    for (const auto& finding : run.findings) {
      std::string place;
      if (!finding.stack.empty()) {
        const auto& source = finding.stack.front();
        place =
            " [" + source.file.substr(source.file.rfind('/') + 1) + ":" + std::to_string(source.line) + "]";
      }
      std::printf("%s%s\n", finding.message.c_str(), place.c_str());
    }
    std::puts(run.complete ? "complete" : "stopped");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no trace: %s\n", error.what());
    return 1;
  }
}

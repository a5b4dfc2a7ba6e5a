#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "trace/json.hpp"
#include "trace/reader.hpp"

/// Prints all that a trace says, times included: show_run PROGRAM <TRACE
int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  try {
    lab::trace::symbols names(argv[1]);
    std::cout << lab::trace::to_json(lab::trace::read(bytes, names)).dump(1) << '\n';
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no trace: %s\n", error.what());
    return 1;
  }
}

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "trace/symbols.hpp"

/// lab-where PROGRAM ADDRESS...: prints "file:line" of the first address whose source is known. The emulator
/// asks it when it has something to say about a running program, so that the program itself need not carry
/// what finds them.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: lab-where PROGRAM ADDRESS...\n");
    return 64;
  }
  lab::trace::symbols symbols(argv[1], std::filesystem::current_path());
  for (int i = 2; i < argc; ++i) {
    const auto& places = symbols.at(std::strtoull(argv[i], nullptr, 10));
    if (places.empty()) continue;
    std::printf("%s:%d\n", places.front().file.c_str(), places.front().line);
    return 0;
  }
  return 1;
}

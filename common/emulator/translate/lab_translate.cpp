#include <CLI/CLI.hpp>
#include <cstdio>
#include <system_error>

#include "translate.hpp"

/// `lab-translate INPUT --output OUT`: the translator as a program, for the build system.
/// Exit code: 0 done, 1 the source is wrong (nothing is written), 2 a file could not be written.
int main(int argc, char** argv) {
  namespace translate = lab::emulator::translate;
  CLI::App app("Turns CUDA C++ into C++ for the emulated GPU.");
  std::string input, output, depfile;
  translate::options how;
  std::vector<std::string> include_dirs;
  app.add_option("INPUT", input, "the CUDA source")->required();
  app.add_option("-o,--output", output, "where the C++ goes; copies of headers go beside it")->required();
  app.add_option("--depfile", depfile,
                 "where to write the files that were read, as a rule for Make or Ninja");
  app.add_option("-I,--include-dir", include_dirs, "a folder that holds headers; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--source-name", how.source_name, "what messages call the source, instead of its path");
  CLI11_PARSE(app, argc, argv);

  how.output = output;
  how.include_dirs.assign(include_dirs.begin(), include_dirs.end());
  const translate::result done = translate::translate_file(input, how);
  for (const translate::diagnostic& error : done.errors)
    std::fprintf(stderr, "%s\n", translate::to_string(error).c_str());
  if (!done.errors.empty()) return 1;
  try {
    translate::write(done, output);
    if (!depfile.empty()) translate::write_file(depfile, translate::dependency_rule(done, output));
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "lab-translate: cannot write %s\n", error.what());
    return 2;
  }
  return 0;
}

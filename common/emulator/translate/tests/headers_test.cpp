#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "translated.hpp"

using namespace lab::emulator::translate;
using lab::emulator::translate::tests::holds;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, gone afterwards.
class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "translate_test.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = fs::canonical(name);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { fs::remove_all(path_); }

  fs::path operator/(const std::string& name) const { return path_ / name; }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  std::string get(const std::string& name) const {
    std::ifstream in(path_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path path_;
};

result translate(const folder& in, std::vector<fs::path> include_dirs = {}) {
  options how;
  how.include_dirs = std::move(include_dirs);
  how.output = in / "out/a.cu.cpp";
  return translate_file(in / "a.cu", how);
}

std::string errors(const result& done) {
  std::string all;
  for (const diagnostic& error : done.errors) all += to_string(error) + "\n";
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("headers");

TEST_CASE("a header with a launch gets a translated copy, one without is included where it lies") {
  const folder in;
  in.put("a.cu",
         "#include \"launches.hpp\"\n#include \"plain.hpp\"\n#include <vector>\n#include \"missing.hpp\"\n");
  in.put("launches.hpp", "#pragma once\ninline void f() { k<<<1, 2>>>(); }\n");
  in.put("plain.hpp", "int x;\n");
  const result done = translate(in);
  REQUIRE(errors(done) == "");
  REQUIRE(done.includes.size() == 1);
  CHECK(done.includes[0].file_name == "a.cu.cpp.1.launches.hpp");
  CHECK(done.includes[0].original == in / "launches.hpp");
  CHECK(done.includes[0].text.find("#line 1 \"" + (in / "launches.hpp").string() + "\"\n#pragma once\n") ==
        0);
  CHECK(holds(done.includes[0].text, "launch("));
  CHECK(holds(done.text, "#include \"a.cu.cpp.1.launches.hpp\"\n#include \"" + (in / "plain.hpp").string() +
                             "\"\n#include <vector>\n#include \"missing.hpp\"\n"));
}

TEST_CASE("a header reached on two routes has one copy, and what includes a copied header is copied") {
  const folder in;
  in.put("a.cu", "#include \"x/one.hpp\"\n#include \"two.hpp\"\n#include <deep.hpp>\n");
  in.put("x/one.hpp", "#pragma once\n#include \"../include/deep.hpp\"\n#include \"near.hpp\"\n");
  in.put("x/near.hpp", "int near;\n");
  in.put("two.hpp", "#ifndef TWO\n#define TWO\n#include \"x/one.hpp\"\n#endif\n");
  in.put("include/deep.hpp", "#pragma once\n__device__ void d() { __shared__ int s; }\n");
  const result done = translate(in, {in / "include"});
  REQUIRE(errors(done) == "");
  CHECK(done.includes.size() == 3);
  const auto copy = [&](const std::string& name) {
    const auto found =
        std::find_if(done.includes.begin(), done.includes.end(),
                     [&](const translated_include& i) { return i.original.filename() == name; });
    return found == done.includes.end() ? translated_include() : *found;
  };
  const std::string deep = "#include \"" + copy("deep.hpp").file_name + "\"";
  CHECK(holds(done.text, deep));
  CHECK(holds(copy("one.hpp").text, deep));
  CHECK(holds(copy("one.hpp").text, "#include \"" + (in / "x/near.hpp").string() + "\""));
  CHECK(holds(copy("two.hpp").text, "#include \"" + copy("one.hpp").file_name + "\""));
  CHECK(holds(done.text, "#include \"" + copy("two.hpp").file_name + "\""));
}

TEST_CASE("kernels that a header declares are known to the source") {
  const folder in;
  in.put("a.cu", "#include \"contract.hpp\"\nvoid f() { k<<<1, 2>>>(1); }\n");
  in.put("contract.hpp", "#pragma once\ntemplate <class T> __global__ void k(T);\n");
  const result done = translate(in);
  CHECK(errors(done) == "");
  CHECK(done.includes.empty());
  CHECK(holds(done.text, "launch_deduced("));
}

TEST_CASE("a mistake in a header is reported there, unless the header is not compiled") {
  const folder in;
  in.put("wrong.hpp", "\nvoid f() { k<<<1>>>(); }\n");
  in.put("a.cu", "#include \"wrong.hpp\"\n");
  CHECK(errors(translate(in)).find((in / "wrong.hpp").string() + ":2:13: error: ") == 0);
  in.put("a.cu", "#if 0\n#include \"wrong.hpp\"\n#endif\n");
  CHECK(errors(translate(in)) == "");
}

TEST_CASE("headers may include each other and themselves") {
  const folder in;
  in.put("a.cu", "#include \"b.hpp\"\n#include \"a.cu\"\n");
  in.put("b.hpp", "#pragma once\n#include \"c.hpp\"\n#include \"b.hpp\"\n__shared__\n");
  in.put("c.hpp", "#pragma once\n#include \"b.hpp\"\ninline void f() { k<<<1, 2>>>(); }\n");
  CHECK(translate(in).read_files.size() == 3);
}

TEST_CASE("what is written can be read again, and names every file that was read") {
  const folder in;
  in.put("a.cu", "#include \"my header.hpp\"\n");
  in.put("my header.hpp", "inline void f() { k<<<1, 2>>>(); }\n");
  in.put("out/a.cu.cpp", "old");
  const result done = translate(in);
  write(done, in / "out/a.cu.cpp");
  CHECK(in.get("out/a.cu.cpp") == done.text);
  CHECK(in.get("out/a.cu.cpp.1.my header.hpp") == done.includes.at(0).text);
  CHECK(std::distance(fs::directory_iterator(in / "out"), {}) == 2);  // no temporary file stays
  const std::string rule = dependency_rule(done, "o$ut.cpp");
  CHECK(rule.find("o$$ut.cpp: \\\n  ") == 0);
  CHECK(holds(rule, "/a.cu \\\n  "));
  CHECK(holds(rule, "/my\\ header.hpp\n"));
}

TEST_CASE("what cannot be written or read is named") {
  const folder in;
  in.put("a.cu", "int x;\n");
  CHECK_THROWS_AS(write(translate(in), in / "no/such/folder/a.cpp"), std::system_error);
  CHECK(holds(errors(translate_file(in / "missing.cu", {})), "missing.cu: error: there is no such file."));
  CHECK(holds(errors(translate_file(in / "", {})), "not a file of text"));
}

TEST_SUITE_END();

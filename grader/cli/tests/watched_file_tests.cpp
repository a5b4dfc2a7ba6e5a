#include <doctest/doctest.h>

#include "scratch.hpp"
#include "watched_file.hpp"

using namespace lab::cli;
using std::chrono::milliseconds;

namespace {

/// Looks every 100 ms at contents named by letters ('.': the file is gone) and gives those that count.
std::string noticed(const std::string& seen) {
  settling_content content({'a', true});
  std::string found;
  auto now = settling_content::time_point() + milliseconds(1'000'000);
  for (const char each : seen) {
    if (content.changed({static_cast<std::uint64_t>(each), each != '.'}, now)) found += each;
    now += milliseconds(100);
  }
  return found;
}

}  // namespace

TEST_CASE("a new content counts once it has stayed for a moment, and once") {
  CHECK(noticed("aaaaaaa") == "");
  CHECK(noticed("abbbbbbbbbbb") == "b");
  CHECK(noticed("abcdefgggggg") == "g");
  CHECK(noticed("abbbbbaaaaaa") == "ba");
  CHECK(noticed("abaaaaaaaaaa") == "");
  CHECK(noticed("abababababbbb") == "b");
}

TEST_CASE("a file that is gone may come back for a while") {
  CHECK(noticed("a.......aaaaa") == "");
  CHECK(noticed("a.......bbbbb") == "b");
  CHECK(noticed("a" + std::string(30, '.') + "aaaa") == ".a");
}

TEST_CASE("a source's content is that of its folder's headers too") {
  const scratch files;
  const auto folder = files.folder.path();
  const auto file =
      files.write("student.cu",
                  "#include \"a.hpp\"\n# include \"sub/b.hpp\"\n#include <vector>\n"
                  "#include \"../outside.hpp\"\n#include \"missing.hpp\"\n#include \"student.cu\"\n");
  files.write("a.hpp", "1");
  files.write("sub/b.hpp", "#include \"c.hpp\"");
  files.write("sub/c.hpp", "1");
  auto before = content_with_headers(file);
  CHECK(before.there);
  CHECK(content_with_headers(file) == before);
  for (const auto* header : {"a.hpp", "sub/b.hpp", "sub/c.hpp", "missing.hpp", "student.cu"}) {
    files.write(header, read_file(fs::exists(folder / header) ? folder / header : file) + "//");
    const auto now = content_with_headers(file);
    CHECK_MESSAGE(now != before, header);
    before = now;
  }
  files.write("other.hpp", "1");
  CHECK(content_with_headers(file) == before);
  fs::remove(folder / "a.hpp");
  CHECK(content_with_headers(file) != before);
  files.write("a.hpp", "1//");
  CHECK(content_with_headers(file) == before);
}

TEST_CASE("what cannot be read is a content too") {
  const scratch files;
  const auto folder = files.folder.path();
  CHECK_FALSE(content_with_headers(folder / "none.cu").there);
  const auto empty = files.write("empty.cu", "");
  CHECK_FALSE(content_with_headers(empty).there);
  CHECK(content_with_headers(empty) != content_with_headers(folder / "none.cu"));
  CHECK(content_with_headers(folder).there);
  const auto large = files.write("large.cu", std::string(3u << 20, 'x'));
  CHECK(content_with_headers(large).there);
}

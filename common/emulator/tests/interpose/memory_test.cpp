#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fake_emulator.hpp"
#include "opaque.hpp"

using namespace lab::emulator;

namespace {

/// An address in the device window. Nothing is mapped there: whatever touched it would crash.
char* const device = reinterpret_cast<char*>(device_window_begin + 4096);

struct expected_range {
  const void* address;
  std::size_t bytes;
  bool write;
};

void check_ranges(const std::vector<fake::range>& noted, const std::vector<expected_range>& expected) {
  REQUIRE(noted.size() == expected.size());
  for (std::size_t i = 0; i < noted.size(); ++i) {
    CAPTURE(i);
    CHECK(noted[i].address == expected[i].address);
    CHECK(noted[i].bytes == expected[i].bytes);
    CHECK(noted[i].write == expected[i].write);
  }
}

}  // namespace

TEST_CASE("copies of every small size and overlap are right") {
  for (std::size_t size = 0; size < 300; ++size) {
    for (const std::size_t shift : {0, 1, 3, 8, 17}) {
      std::vector<unsigned char> bytes(700), expected;
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 + size);
      expected = bytes;
      const std::vector<unsigned char> original = bytes;
      for (std::size_t i = 0; i < size; ++i) expected[100 + shift + i] = original[100 + i];
      std::memmove(opaque(bytes.data() + 100 + shift), bytes.data() + 100, opaque(size));
      REQUIRE(bytes == expected);
      std::memmove(opaque(bytes.data() + 100), bytes.data() + 100 + shift, opaque(size));
      REQUIRE(std::equal(bytes.begin() + 100, bytes.begin() + 100 + static_cast<long>(size),
                         original.begin() + 100));
      std::vector<unsigned char> other(size + 2, 9);
      std::memcpy(opaque(other.data() + 1), original.data(), opaque(size));
      REQUIRE(std::equal(original.begin(), original.begin() + static_cast<long>(size), other.begin() + 1));
      REQUIRE(other.front() == 9);
      REQUIRE(other.back() == 9);
    }
  }
}

TEST_CASE("host code that touches device memory through libc is stopped") {
  std::vector<char> host(1000, 'x');
  fake::take_notes();
  const auto stopped = [](const char* function) {
    const auto ranges = fake::take_notes().host_ranges;
    REQUIRE(ranges.size() == 1);
    CHECK(ranges[0].function == function);
    return ranges[0];
  };

  std::memcpy(opaque(host.data()), device, opaque(100));
  auto range = stopped("memcpy");
  CHECK(range.address == device);
  CHECK(range.bytes == 100);
  CHECK_FALSE(range.write);
  std::memcpy(opaque(device), host.data(), opaque(100));
  CHECK(stopped("memcpy").write);
  std::memmove(opaque(device), host.data(), opaque(100));
  CHECK(stopped("memmove").write);
  std::memset(opaque(device), 0, opaque(100));
  CHECK(stopped("memset").write);
  CHECK(std::memcmp(opaque(device), host.data(), opaque(100)) == 0);
  CHECK_FALSE(stopped("memcmp").write);
  CHECK(std::strlen(opaque(device)) == 0);
  stopped("strlen");
  CHECK(std::strcmp(opaque(device), host.data()) == 0);
  stopped("strcmp");
  CHECK(std::memchr(opaque(device), 'x', opaque(100)) == nullptr);
  stopped("memchr");
  CHECK(std::strchr(opaque(device), 'x') == nullptr);
  stopped("strchr");
  std::strcpy(opaque(device), opaque("text"));
  CHECK(stopped("strcpy").bytes == 5);
  CHECK(std::fwrite(device, 1, 100, stderr) == 0);
  stopped("fwrite");
  CHECK(std::puts(opaque(device)) == EOF);
  stopped("puts");
  CHECK(write(2, device, 100) == -1);
  CHECK(errno == EFAULT);
  stopped("write");
  iovec part{device, 100};
  CHECK(writev(2, &part, 1) == -1);
  stopped("writev");
}

TEST_CASE("libstdc++ is stopped where the program hands it device memory") {
  fake::take_notes();
  const std::string copied(device, opaque(50));
  CHECK(fake::take_notes().host_ranges.size() == 1);
  std::ostringstream stream;
  stream << static_cast<const char*>(device);
  CHECK_FALSE(fake::take_notes().host_ranges.empty());
  std::ofstream file("/dev/null");
  file.write(device, 100'000);
  file.flush();
  CHECK_FALSE(fake::take_notes().host_ranges.empty());
}

TEST_CASE("ranges next to the device window are nobody's business") {
  fake::take_notes();
  std::vector<char> host(100);
  std::memcpy(opaque(host.data()), reinterpret_cast<char*>(device_window_begin), opaque(0));
  CHECK(fake::take_notes().host_ranges.empty());
}

TEST_CASE("host code pays for the bytes it moves") {
  const auto charged_for = [](auto action) {
    fake::take_notes();
    action();
    return fake::take_notes().charged_bytes;
  };
  std::vector<char> from(5000, 'a'), to(5000);
  CHECK(charged_for([&] { std::memcpy(opaque(to.data()), from.data(), opaque(5000)); }) == 5000);
  CHECK(charged_for([&] { std::memset(opaque(to.data()), 0, opaque(400)); }) == 400);
  CHECK(charged_for([&] { std::strcpy(to.data(), opaque("four")); }) == 5);
  CHECK(charged_for([&] {
          runtime_section emulator;
          std::memcpy(opaque(to.data()), from.data(), opaque(5000));
        }) == 0);
}

TEST_CASE("a kernel's copies are its accesses") {
  std::vector<char> from(100, 'a'), to(100);
  fake::take_notes();
  {
    fake::kernel_section kernel;
    std::memcpy(opaque(to.data()), from.data(), opaque(100));
    std::memset(opaque(to.data()), 'b', opaque(10));
  }
  check_ranges(fake::take_notes().kernel_ranges,
               {{from.data(), 100, false}, {to.data(), 100, true}, {to.data(), 10, true}});
  CHECK(to[9] == 'b');
  CHECK(to[10] == 'a');
  {
    fake::kernel_section kernel;
    std::strcpy(opaque(to.data()), opaque("four"));
  }
  const auto ranges = fake::take_notes().kernel_ranges;
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].bytes == 5);
  CHECK(ranges[1].write);
}

TEST_CASE("printf in a kernel goes to the device's buffer, however the compiler calls it") {
  fake::take_notes();
  {
    fake::kernel_section kernel;
    std::printf("%d and %s\n", opaque(7), "text");
    std::printf("a line\n");
    std::printf("%c", opaque('z'));
    std::printf("%s\n", opaque("a string"));
  }
  CHECK(fake::take_notes().device_output == "7 and text\na line\nza string\n");
}

TEST_CASE("string functions do what libc's do") {
  char text[32] = "abc";
  std::strcat(text, opaque("def"));
  CHECK(std::string(text) == "abcdef");
  std::strncat(text, opaque("ghij"), 2);
  CHECK(std::string(text) == "abcdefgh");
  CHECK(std::strchr(opaque(text), 'd') == text + 3);
  CHECK(std::strrchr(opaque(text), 'a') == text);
  CHECK(std::strchr(opaque(text), 'z') == nullptr);
  CHECK(std::strncmp(opaque(text), "abX", 2) == 0);
  CHECK(std::strcmp(opaque(text), "abcdefgi") < 0);
  CHECK(strnlen(opaque(text), 5) == 5);
  CHECK(stpcpy(text, opaque("xy")) == text + 2);
  std::strncpy(text, opaque("q"), 5);
  CHECK(std::memcmp(text, "q\0\0\0\0", 5) == 0);
}

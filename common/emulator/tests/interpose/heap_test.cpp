#include <doctest/doctest.h>
#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "interpose/heap_layout.hpp"
#include "interpose/hooks.hpp"
#include "opaque.hpp"

using namespace lab::emulator;
using heap_layout::fresh_byte;

namespace {

bool holds(const void* memory, std::size_t bytes, unsigned char value) {
  const auto* byte = static_cast<const unsigned char*>(opaque(memory));
  for (std::size_t i = 0; i < bytes; ++i) {
    if (byte[i] != value) return false;
  }
  return true;
}

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

const std::vector<std::size_t> sizes = {
    0,   1,    15,   16,   17,    127,     128,           129,     160,           161,
    255, 4095, 4096, 4097, 65536, 1 << 20, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 50'000'000};

}  // namespace

TEST_CASE("malloc gives memory in the window that is aligned and nowhere zero") {
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    auto* memory = static_cast<unsigned char*>(std::malloc(size));
    CHECK(address(memory) >= heap_window_begin);
    CHECK(address(memory) + size <= heap_window_end);
    CHECK(address(memory) % 16 == 0);
    CHECK(holds(memory, size, fresh_byte));
    std::memset(memory, 1, size);
    std::free(memory);
    memory = static_cast<unsigned char*>(std::malloc(size));  // the same block again
    CHECK(holds(memory, size, fresh_byte));
    std::free(memory);
  }
}

TEST_CASE("calloc gives zeros, from fresh and from used memory") {
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    for (int round = 0; round < 2; ++round) {
      void* memory = std::calloc(size, 1);
      CHECK(holds(memory, size, 0));
      std::memset(memory, 1, size);
      std::free(memory);
    }
  }
}

TEST_CASE("every size class holds the sizes that name it, and wastes at most a quarter") {
  for (std::size_t size = 1; size < 300'000; size += size / 50 + 1) {
    const std::size_t held = heap_layout::class_bytes(heap_layout::class_of(size));
    CAPTURE(size);
    CHECK(held >= size);
    CHECK(held <= size + std::max<std::size_t>(16, size / 4));
    CHECK(heap_layout::class_bytes(heap_layout::class_of(held)) == held);
  }
}

TEST_CASE("freed memory is overwritten") {
  auto* memory = static_cast<unsigned char*>(std::malloc(1000));
  std::memset(memory, 1, 1000);
  auto* volatile stale = memory;
  std::free(memory);
  CHECK(holds(const_cast<unsigned char*>(stale), 1000, heap_layout::freed_byte));
}

TEST_CASE("a freed large block is known as such and comes back") {
  void* memory = std::malloc(5 << 20);
  const auto at = address(memory) + 5000;  // a number: the compiler knows what a pointer is worth after free
  const auto* inside = reinterpret_cast<const char*>(at);
  CHECK_FALSE(in_freed_heap_block(inside));
  std::free(memory);
  CHECK(in_freed_heap_block(inside));
  void* again = std::malloc(5 << 20);
  CHECK(address(again) + 5000 == at);
  CHECK_FALSE(in_freed_heap_block(inside));
  std::free(again);
}

TEST_CASE("aligned allocations are aligned, writable to their end and freed like others") {
  for (std::size_t alignment = 16; alignment <= (4 << 20); alignment *= 2) {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{300'000}}) {
      CAPTURE(alignment);
      CAPTURE(size);
      void* memory = nullptr;
      REQUIRE(posix_memalign(&memory, alignment, size) == 0);
      CHECK(address(memory) % alignment == 0);
      CHECK(holds(memory, size, fresh_byte));
      CHECK(malloc_usable_size(memory) >= size);
      std::memset(memory, 1, size);
      memory = std::realloc(memory, size + 100);
      CHECK(holds(memory, size, 1));
      std::free(memory);
    }
  }
  struct alignas(256) wide {
    char bytes[256];
  };
  std::vector<wide> many(17);
  CHECK(address(many.data()) % 256 == 0);
  void* unchanged = nullptr;
  CHECK(posix_memalign(&unchanged, 24, 10) == EINVAL);
  CHECK(std::aligned_alloc(64, 640) != nullptr);
}

TEST_CASE("realloc keeps the contents and poisons what is new") {
  auto* memory = static_cast<unsigned char*>(std::malloc(1));
  memory[0] = 7;
  for (std::size_t size = 1; size < 2'000'000; size = size * 3 / 2 + 1) {
    const std::size_t grown = size * 3 / 2 + 1;
    memory = static_cast<unsigned char*>(std::realloc(memory, grown));
    CAPTURE(grown);
    CHECK(holds(memory, size, 7));
    CHECK(holds(memory + size, grown - size, fresh_byte));
    std::memset(memory, 7, grown);
  }
  memory = static_cast<unsigned char*>(std::realloc(memory, 10));
  CHECK(holds(memory, 10, 7));
  CHECK(std::realloc(memory, 0) == nullptr);
}

TEST_CASE("too much memory is refused with ENOMEM") {
  volatile std::size_t huge = std::numeric_limits<std::size_t>::max() - 100;
  errno = 0;
  CHECK(std::malloc(huge) == nullptr);
  CHECK(errno == ENOMEM);
  CHECK(std::calloc(huge, 16) == nullptr);
  CHECK(reallocarray(nullptr, huge, 16) == nullptr);
  CHECK_THROWS_AS(::operator delete(::operator new(huge)), std::bad_alloc);
}

TEST_CASE("random allocations never overlap") {
  std::mt19937 random(1);
  std::map<unsigned char*, std::pair<std::size_t, unsigned char>> live;
  for (int step = 0; step < 30'000; ++step) {
    if (live.size() < 300 || random() % 2 == 0) {
      const std::size_t size = random() % 10 == 0 ? random() % 400'000 : random() % 600;
      auto* memory = static_cast<unsigned char*>(std::malloc(size));
      const auto value = static_cast<unsigned char>(random());
      std::memset(memory, value, size);
      live[memory] = {size, value};
    } else {
      const auto victim =
          std::next(live.begin(), static_cast<long>(random() % std::min<std::size_t>(live.size(), 20)));
      REQUIRE(holds(victim->first, victim->second.first, victim->second.second));
      std::free(victim->first);
      live.erase(victim);
    }
  }
  for (const auto& [memory, what] : live) {
    REQUIRE(holds(memory, what.first, what.second));
    std::free(memory);
  }
}

TEST_CASE("allocation works again after a crash handler opened the heap") {
  void* before = std::malloc(100);
  std::free(before);
  heap_after_crash();
  void* after = std::malloc(100);
  CHECK(after != before);
  std::free(after);
}

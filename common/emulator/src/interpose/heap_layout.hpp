#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/hooks.hpp"

/// Blocks of the program's heap: a header of 16 bytes, then the memory. Size classes are four to a doubling.
/// Small blocks follow each other in the lower part of the window; a large one has pages of its own in the
/// upper part, the header at the end of the page before its memory.
namespace lab::emulator::heap_layout {

/// What memory holds that nothing was written to: never zero, and a number so large in every format (int,
/// half, float, double) that no tolerance hides it; as a pointer it faults.
inline constexpr unsigned char fresh_byte = 0xFA;
inline constexpr unsigned char freed_byte = 0xDD;

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t most_bytes = std::size_t{1} << 38;
inline constexpr std::uintptr_t large_begin = heap_window_begin + (heap_window_end - heap_window_begin) / 4;

/// Larger blocks are poisoned this far only; beyond, an allocation that nobody touches costs nothing and
/// reads zero.
inline constexpr std::size_t most_poisoned_bytes = std::size_t{1} << 30;

enum class state : std::uint32_t { allocated = 0x41110CA7, freed = 0xF4EEDB10, aligned = 0xA119EDB1 };

struct block {
  std::uint32_t check;
  std::uint32_t size_class;
  union {
    std::uint64_t
        requested;  ///< bytes the program asked for; where `aligned`, the address of the block's own header
    block* next_free;
  };
};
static_assert(sizeof(block) == header_bytes);

inline long address_of(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

/// Differs from block to block, so that a header copied along with memory is no header.
inline std::uint32_t check_of(const block* b, state s) {
  const auto address = reinterpret_cast<std::uintptr_t>(b);
  return static_cast<std::uint32_t>(s) ^ static_cast<std::uint32_t>((address * 0x9E3779B97F4A7C15) >> 32);
}

inline unsigned char* memory_of(block* b) {
  return reinterpret_cast<unsigned char*>(b) + header_bytes;
}
inline const unsigned char* memory_of(const block* b) {
  return reinterpret_cast<const unsigned char*>(b) + header_bytes;
}
inline block* block_of(void* memory) {
  return reinterpret_cast<block*>(static_cast<unsigned char*>(memory) - header_bytes);
}

// Classes 0..7 hold 16, 32 ... 128 bytes; then 160, 192, 224, 256, 320 ... : quarter steps between powers of
// two.
inline constexpr unsigned linear_classes = 8;

constexpr std::size_t class_bytes(unsigned size_class) {
  if (size_class < linear_classes) return 16 * (std::size_t{size_class} + 1);
  const unsigned step = size_class - linear_classes;
  return (std::size_t{128} << (step / 4)) / 4 * (step % 4 + 5);
}

constexpr unsigned class_of(std::size_t bytes) {
  if (bytes <= 128) return bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 16);
  const unsigned doubling = 63 - static_cast<unsigned>(__builtin_clzl(bytes - 1));  // 128 << n < bytes: 7 + n
  const auto quarter = static_cast<unsigned>((bytes - 1) >> (doubling - 2)) & 3;
  return linear_classes + (doubling - 7) * 4 + quarter;
}

inline constexpr unsigned first_large_class = class_of(4 << 20);
inline constexpr unsigned class_count = class_of(most_bytes) + 1;
static_assert(class_bytes(class_of(129)) == 160 && class_bytes(class_of(160)) == 160);
static_assert(class_bytes(class_of(161)) == 192 && class_bytes(class_of(64 * 1024)) == 64 * 1024);
static_assert(class_bytes(first_large_class) % page_bytes == 0 &&
              class_bytes(first_large_class + 1) % page_bytes == 0);

constexpr bool is_large(unsigned size_class) {
  return size_class >= first_large_class;
}

/// Bytes [first, last) of a freed block that must still hold freed_byte when it is taken again. (The ones
/// before may be the inner header of an aligned allocation.)
inline constexpr std::size_t first_guarded = 4;
inline constexpr std::size_t last_guarded = 16;

/// Bytes after the requested ones that must still be fresh when the block is freed.
constexpr std::size_t guarded_tail(std::size_t requested, std::size_t capacity) {
  return capacity - requested < 16 ? capacity - requested : 16;
}

}  // namespace lab::emulator::heap_layout

#include "byte_set.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace lab::emulator {

namespace {

constexpr std::size_t most_on_heap = 4096;  // a page: no less can be mapped

constexpr std::uint64_t all = ~std::uint64_t{0};

std::uint64_t from_bit(std::size_t offset) {
  return all << (offset & 63);
}
std::uint64_t below_bit(std::size_t offset) {
  return (offset & 63) == 0 ? all : all >> (64 - (offset & 63));
}

}  // namespace

byte_set::byte_set(std::size_t bytes) : size_((bytes / 64 + 2) * sizeof(std::uint64_t)) {}

byte_set::~byte_set() {
  if (words_ == nullptr) return;
  if (size_ <= most_on_heap) {
    std::free(words_);
  } else {
    munmap(words_, size_);
  }
}

void byte_set::make_words() {
  void* memory = size_ <= most_on_heap ? std::calloc(size_, 1)
                                       : mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == nullptr || memory == MAP_FAILED) throw std::bad_alloc();
  words_ = static_cast<std::uint64_t*>(memory);
}

byte_set::byte_set(byte_set&& other) noexcept {
  *this = std::move(other);
}

byte_set& byte_set::operator=(byte_set&& other) noexcept {
  std::swap(words_, other.words_);
  std::swap(size_, other.size_);
  std::swap(low_, other.low_);
  std::swap(high_, other.high_);
  return *this;
}

void byte_set::insert(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  if (words_ == nullptr) make_words();
  low_ = std::min(low_, begin);
  high_ = std::max(high_, end);
  const std::size_t first = begin >> 6;
  const std::size_t last = (end - 1) >> 6;
  if (first == last) {
    words_[first] |= from_bit(begin) & below_bit(end);
    return;
  }
  words_[first] |= from_bit(begin);
  std::fill(words_ + first + 1, words_ + last, all);
  words_[last] |= below_bit(end);
}

void byte_set::insert(const byte_set& other) {
  if (other.empty()) return;
  if (words_ == nullptr) make_words();
  for (std::size_t word = other.low_ >> 6; word <= (other.high_ - 1) >> 6; ++word)
    words_[word] |= other.words_[word];
  low_ = std::min(low_, other.low_);
  high_ = std::max(high_, other.high_);
}

std::optional<std::size_t> byte_set::first_missing(std::size_t begin, std::size_t end) const {
  if (words_ == nullptr) return begin < end ? std::optional(begin) : std::nullopt;
  for (std::size_t word = begin >> 6; word << 6 < end; ++word) {
    std::uint64_t missing = ~words_[word];
    if (word == begin >> 6) missing &= from_bit(begin);
    if (word == (end - 1) >> 6) missing &= below_bit(end);
    if (missing != 0) return (word << 6) + static_cast<unsigned>(__builtin_ctzll(missing));
  }
  return std::nullopt;
}

std::size_t byte_set::find(std::size_t from, bool value) const {
  for (std::size_t word = from >> 6; word << 6 < high_; ++word) {
    std::uint64_t bits = value ? words_[word] : ~words_[word];
    if (word == from >> 6) bits &= from_bit(from);
    if (bits != 0) return std::min(high_, (word << 6) + static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  return high_;
}

}  // namespace lab::emulator

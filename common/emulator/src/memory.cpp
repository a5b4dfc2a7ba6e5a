#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "interpose/hooks.hpp"
#include "liveness.hpp"
#include "profile.hpp"

namespace lab::emulator::memory {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_mapped_at_once = std::size_t{4} << 20;
constexpr std::size_t chunk_bytes = std::size_t{256} << 10;  // that small blocks share
constexpr std::size_t small_limit = std::size_t{64} << 10;
constexpr std::uintptr_t pinned_window_begin = 0x300000000000;
constexpr std::uintptr_t pinned_window_end = 0x310000000000;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

/// A file of poison, of at least so many bytes; fresh memory is a private mapping of it, so poisoning costs
/// nothing until a page is written.
int poison_file(std::size_t bytes) {
  static const int file = memfd_create("poison", MFD_CLOEXEC);
  static const std::vector<std::uint32_t> words((std::size_t{64} << 10) / sizeof poison_word, poison_word);
  static std::size_t written = 0;
  while (written < bytes) {
    const std::size_t left =
        words.size() * sizeof poison_word - written % (words.size() * sizeof poison_word);
    const ssize_t count = write(file, words.data(), left);
    if (count <= 0)
      end_run(trace::finding_kind::crash, "this machine has no memory left for the emulated GPU.");
    written += static_cast<std::size_t>(count);
  }
  return file;
}

bool map_poison(std::uintptr_t begin, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += most_mapped_at_once) {
    void* at = reinterpret_cast<void*>(begin + done);
    const std::size_t part = std::min(most_mapped_at_once, bytes - done);
    if (mmap(at, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison_file(part),
             0) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

void unmap(std::uintptr_t begin, std::size_t bytes) {
  mmap(reinterpret_cast<void*>(begin), bytes, PROT_NONE,
       MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// Addresses of one window: small blocks from shared chunks, large ones page by page; freed ones are used
/// again by requests of the same rounded size, so that addresses depend on the sequence of calls alone.
class window {
 public:
  window(std::uintptr_t begin, std::uintptr_t end) : next_(begin), end_(end) {}

  /// Calls `visit(begin, bytes)` for each range that is mapped.
  template <class Visit>
  void each_mapped(Visit visit) const {
    for (const auto& [begin, bytes] : mapped_) visit(begin, bytes);
  }
  std::size_t mapped_bytes() const { return mapped_bytes_; }

  std::uintptr_t take(std::size_t bytes) {
    const std::size_t rounded = rounded_size(bytes);
    auto& free = free_[rounded];
    if (!free.empty()) {
      const std::uintptr_t address = free.back();
      if (rounded >= small_limit && !map(address, rounded)) return 0;
      free.pop_back();
      return address;
    }
    return rounded < small_limit ? take_small(rounded) : take_pages(rounded);
  }

  void poison(std::uintptr_t address, std::size_t bytes) {
    const std::size_t rounded = rounded_size(bytes);
    if (rounded >= small_limit && map_poison(address, rounded)) return;
    auto* words = reinterpret_cast<std::uint32_t*>(address);
    std::fill(words, words + rounded / sizeof poison_word, poison_word);
  }

  void give_back(std::uintptr_t address, std::size_t bytes) {
    const std::size_t rounded = rounded_size(bytes);
    if (rounded < small_limit) {
      poison(address, bytes);
    } else {
      unmap(address, rounded);
      mapped_.erase(address);
      mapped_bytes_ -= rounded;
    }
    free_[rounded].push_back(address);
  }

 private:
  // A gap after every block, so that running past one is never the next one's business.
  static std::size_t rounded_size(std::size_t bytes) {
    const std::size_t gap = gpu().allocation_alignment;
    return bytes + gap < small_limit ? round_up(bytes, gap) + gap : round_up(bytes, page) + page;
  }

  std::uintptr_t take_small(std::size_t rounded) {
    if (chunk_left_ < rounded) {
      const std::uintptr_t chunk = take_pages(chunk_bytes);
      if (chunk == 0) return 0;
      chunk_ = chunk;
      chunk_left_ = chunk_bytes;
    }
    const std::uintptr_t address = chunk_;
    chunk_ += rounded;
    chunk_left_ -= rounded;
    return address;
  }

  std::uintptr_t take_pages(std::size_t bytes) {
    if (bytes > end_ - next_ || !map(next_, bytes)) return 0;
    const std::uintptr_t address = next_;
    next_ += bytes;
    return address;
  }

  bool map(std::uintptr_t begin, std::size_t bytes) {
    if (!map_poison(begin, bytes)) return false;
    mapped_[begin] = bytes;
    mapped_bytes_ += bytes;
    return true;
  }

  std::uintptr_t next_;
  std::uintptr_t end_;
  std::map<std::uintptr_t, std::size_t> mapped_;
  std::size_t mapped_bytes_ = 0;
  std::uintptr_t chunk_ = 0;
  std::size_t chunk_left_ = 0;
  std::map<std::size_t, std::vector<std::uintptr_t>> free_;
};

struct everything {
  window device{device_window_begin + page, device_window_end};
  window pinned{pinned_window_begin, pinned_window_end};
  std::map<std::uintptr_t, std::shared_ptr<allocation>> live;
  std::map<std::uintptr_t, freed_memory> freed;
  std::size_t device_bytes = 0;
  bool closed = false;
  int closings_left = 4000;
};

// Never destroyed: exit handlers of the program may still use it.
everything& all() {
  static everything& instance = *new everything;
  return instance;
}

allocation* enter(std::shared_ptr<allocation> fresh) {
  constexpr std::size_t most_allocations = 2'000'000;
  if (all().live.size() >= most_allocations) {
    end_run(trace::finding_kind::budget,
            "endless loop? The program holds 2 million allocations that it has not freed.");
  }
  auto& freed = all().freed;
  for (auto at = freed.lower_bound(fresh->begin); at != freed.end() && at->first < fresh->end();)
    at = freed.erase(at);
  return (all().live[fresh->begin] = std::move(fresh)).get();
}

}  // namespace

allocation* allocate(trace::memory_kind kind, std::size_t bytes, std::size_t expected) {
  const bool device = kind == trace::memory_kind::device;
  if (device && bytes > device_bytes_left() + expected) return nullptr;
  if (device) open_device();
  const std::uintptr_t begin = (device ? all().device : all().pinned).take(bytes);
  if (begin == 0) return nullptr;
  auto fresh = std::make_shared<allocation>();
  fresh->kind = kind;
  fresh->begin = begin;
  fresh->bytes = bytes;
  if (device) {
    fresh->forget_written();
    all().device_bytes += bytes;
  }
  return enter(std::move(fresh));
}

allocation* adopt(void* address, std::size_t bytes, unsigned flags) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  auto after = all().live.lower_bound(begin + bytes);
  if (after != all().live.begin() && std::prev(after)->second->end() > begin) return nullptr;
  auto fresh = std::make_shared<allocation>();
  fresh->kind = trace::memory_kind::registered;
  fresh->begin = begin;
  fresh->bytes = bytes;
  fresh->flags = flags;
  registered_host_memory.widen(begin, begin + bytes);
  return enter(std::move(fresh));
}

void poison(allocation& allocation) {
  open_device();
  all().device.poison(allocation.begin, allocation.bytes);
  allocation.forget_written();
}

void release(allocation* gone) {
  if (gone->kind == trace::memory_kind::device) {
    open_device();
    all().device.give_back(gone->begin, gone->bytes);
    all().device_bytes -= gone->bytes;
  } else if (gone->kind == trace::memory_kind::pinned) {
    all().pinned.give_back(gone->begin, gone->bytes);
  }
  if (gone->kind != trace::memory_kind::registered) {
    all().freed[gone->begin] = {gone->begin, gone->bytes, gone->id, gone->in_stream_order};
  }
  all().live.erase(gone->begin);
}

allocation* containing(std::uintptr_t address) {
  auto after = all().live.upper_bound(address);
  if (after == all().live.begin()) return nullptr;
  auto* candidate = std::prev(after)->second.get();
  return address < candidate->end() ? candidate : nullptr;
}

allocation* starting_at(std::uintptr_t address) {
  auto found = all().live.find(address);
  return found == all().live.end() ? nullptr : found->second.get();
}

allocation* known_around(std::uintptr_t address) {
  auto* found = containing(address);
  return found != nullptr && found->being_freed ? nullptr : found;
}

allocation* known_at(std::uintptr_t address) {
  auto* found = starting_at(address);
  return found != nullptr && found->being_freed ? nullptr : found;
}

std::vector<allocation*> living() {
  std::vector<allocation*> all_of_them;
  for (const auto& [begin, memory] : all().live) all_of_them.push_back(memory.get());
  return all_of_them;
}

const allocation* last_before(std::uintptr_t address) {
  auto after = all().live.upper_bound(address);
  return after == all().live.begin() ? nullptr : std::prev(after)->second.get();
}

const allocation* first_after(std::uintptr_t address) {
  auto after = all().live.upper_bound(address);
  return after == all().live.end() ? nullptr : after->second.get();
}

freed_memory freed_around(std::uintptr_t address) {
  auto after = all().freed.upper_bound(address);
  if (after == all().freed.begin()) return {};
  const freed_memory& before = std::prev(after)->second;
  return address < before.begin + before.bytes ? before : freed_memory{};
}

std::size_t device_bytes_in_use() {
  return all().device_bytes;
}

std::size_t device_bytes_left() {
  const std::size_t all_bytes = gpu().global_bytes - gpu().context_bytes;
  return all_bytes - std::min(all_bytes, all().device_bytes);
}

void open_device() {
  if (!all().closed) return;
  all().device.each_mapped([](std::uintptr_t begin, std::size_t bytes) {
    mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE);
  });
  all().closed = false;
}

void close_device() {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  auto& state = all();
  const std::size_t bytes = state.device.mapped_bytes();
  if (state.closed || bytes == 0 || bytes > most_bytes || state.closings_left == 0) return;
  --state.closings_left;
  state.device.each_mapped([](std::uintptr_t begin, std::size_t mapped) {
    mprotect(reinterpret_cast<void*>(begin), mapped, PROT_NONE);
  });
  state.closed = true;
}

}  // namespace lab::emulator::memory

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <new>

#include "interpose/heap_layout.hpp"
#include "interpose/hooks.hpp"
#include "interpose/syscalls.hpp"

/// The program's heap: at the same addresses in every run (pointer-keyed hash order, and with it access
/// counts and virtual times, would differ otherwise), and never zero where nothing was written.
///
/// One size class per block, free lists per class, last freed first out. Small blocks are cut from slabs; a
/// large one (from 64 KiB) is a mapping of its own whose pages go back to the system when it is freed, and
/// stay inaccessible, so that a use after free faults. The window only ever grows; what a class once took
/// stays that class's.
namespace lab::emulator {

namespace {

using namespace heap_layout;

class spin_lock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) raw_syscall(SYS_sched_yield);
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

class locked {
 public:
  explicit locked(spin_lock& lock) : lock_(lock) { lock_.lock(); }
  ~locked() { lock_.unlock(); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  spin_lock& lock_;
};

/// All state, constant-initialised and never destroyed: malloc runs before constructors and after main. The
/// lock is for the moments in which an OS thread does not hold the baton (its start, its very end).
struct {
  spin_lock lock;
  std::uintptr_t small_frontier = heap_window_begin;  ///< small blocks lie below
  std::uintptr_t small_mapped = heap_window_begin;
  std::uintptr_t large_frontier = large_begin;
  block* free_blocks[class_count] = {};
} heap;

constexpr std::size_t slab_bytes = 1 << 20;
constexpr std::size_t huge_page_bytes = 2 << 20;

/// Deliberately not memset(): that one is interposed, and charged to the program.
void fill(void* begin, unsigned char value, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(begin), "+c"(bytes) : "a"(value) : "memory");
}

void copy(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/// The function that the program called, as it knows it, and where.
struct user {
  const char* function;
  const void* caller;
};

[[noreturn]] void fail(user by, const char* what) {
  heap.lock.unlock();
  char sentence[256];
  {
    runtime_section emulator;
    std::snprintf(sentence, sizeof sentence, "%s %s", by.function, what);
  }
  report_host_fault(sentence, by.caller);
}

constexpr user allocation{"malloc (or new)", nullptr};
constexpr const char* freed_before = "got a pointer that has been freed before; every block is freed once.";

[[noreturn]] void fail_for_size(const block& b, user by) {
  heap.lock.unlock();
  char sentence[256];
  {
    runtime_section emulator;
    std::snprintf(
        sentence, sizeof sentence,
        "The program wrote past the end of a heap block of %llu bytes: look at the size it was allocated "
        "with, and at the last index.",
        static_cast<unsigned long long>(b.requested));
  }
  report_host_fault(sentence, by.caller);
}

/// Maps [at, at + bytes) of the window; false where the system has no more.
bool map(std::uintptr_t at, std::size_t bytes, std::uintptr_t limit) {
  if (bytes > limit - at) return false;
  const long mapped =
      raw_syscall(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == static_cast<long>(at)) return true;
  if (mapped == -EEXIST || mapped > 0) {  // a kernel before 4.17 takes the address as a hint
    fail(allocation,
         "found the address range of the emulator's heap taken; run the program without other tools in it.");
  }
  return false;
}

/// Page faults are most of what a large array costs; where the system leaves the choice, take big pages.
void prefer_huge_pages(block* b, std::size_t bytes) {
  if (bytes < 4 * huge_page_bytes) return;
  raw_syscall(SYS_madvise, address_of(memory_of(b)), static_cast<long>(bytes), MADV_HUGEPAGE);
}

block* carve_small(std::size_t bytes) {
  while (heap.small_mapped - heap.small_frontier < bytes) {
    if (!map(heap.small_mapped, slab_bytes, large_begin)) return nullptr;
    heap.small_mapped += slab_bytes;
  }
  auto* b = reinterpret_cast<block*>(heap.small_frontier);
  heap.small_frontier += bytes;
  return b;
}

block* map_large(std::size_t bytes) {
  if (!map(heap.large_frontier, bytes + page_bytes, heap_window_end)) return nullptr;
  auto* b = reinterpret_cast<block*>(heap.large_frontier + page_bytes - header_bytes);
  heap.large_frontier += bytes + page_bytes;
  prefer_huge_pages(b, bytes);
  return b;
}

/// A freed large block is one inaccessible mapping after its header's page.
bool reopen_large(block* b, std::size_t bytes) {
  return raw_syscall(SYS_mprotect, address_of(memory_of(b)), static_cast<long>(bytes),
                     PROT_READ | PROT_WRITE) == 0;
}

void close_large(block* b, std::size_t bytes) {
  raw_syscall(SYS_mmap, address_of(memory_of(b)), static_cast<long>(bytes), PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

[[noreturn]] void fail_for_stale_write(block* b) {
  heap.free_blocks[b->size_class] = nullptr;
  fail(allocation, "found a freed heap block overwritten: something writes through a pointer it has freed.");
}

block* take(unsigned size_class) {
  block* b = heap.free_blocks[size_class];
  const std::size_t bytes = class_bytes(size_class);
  if (b == nullptr) return is_large(size_class) ? map_large(bytes) : carve_small(bytes + header_bytes);
  if (b->check != check_of(b, state::freed)) fail_for_stale_write(b);
  if (is_large(size_class)) {
    if (!reopen_large(b, bytes)) return nullptr;
  } else {
    for (std::size_t i = first_guarded; i < last_guarded; ++i) {
      if (memory_of(b)[i] != freed_byte) fail_for_stale_write(b);
    }
  }
  heap.free_blocks[size_class] = b->next_free;
  return b;
}

enum class content { poison, zero };

/// Of memory that work of the device may be using, it is recorded that one thread has freed it before another
/// has it: what the first did there is over.
bool may_be_used_by_device(const void* memory, std::size_t bytes) {
  return executing == execution::host &&
         watched_host_memory.overlaps(reinterpret_cast<std::uintptr_t>(memory), bytes);
}

void* allocate(std::size_t requested, content wanted) {
  if (requested > most_bytes) {
    errno = ENOMEM;
    return nullptr;
  }
  const unsigned size_class = class_of(requested);
  const std::size_t capacity = class_bytes(size_class);
  block* b;
  {
    locked guard(heap.lock);
    b = take(size_class);
  }
  if (b == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  *b = {check_of(b, state::allocated), size_class, {requested}};
  unsigned char* memory = memory_of(b);
  if (may_be_used_by_device(memory, requested)) host_acquires(memory);
  // A large block's pages are fresh from the system: zero already, and only `requested` bytes are worth
  // touching.
  const std::size_t touched = is_large(size_class) ? requested : capacity;
  if (wanted == content::zero) {
    if (!is_large(size_class)) fill(memory, 0, requested);
    fill(memory + requested, fresh_byte, guarded_tail(requested, capacity));
  } else {
    fill(memory, fresh_byte, touched < most_poisoned_bytes ? touched : most_poisoned_bytes);
    if (is_large(size_class)) fill(memory + requested, fresh_byte, guarded_tail(requested, capacity));
  }
  return memory;
}

bool in_heap(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return address < large_begin ? address >= heap_window_begin + header_bytes && address < heap.small_frontier
                               : address >= large_begin + page_bytes && address < heap.large_frontier;
}

/// The freed large block around `address`, whose memory must not be looked at.
block* freed_large_block(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  if (wanted < large_begin || wanted >= heap.large_frontier) return nullptr;
  for (unsigned size_class = first_large_class; size_class < class_count; ++size_class) {
    for (block* b = heap.free_blocks[size_class]; b != nullptr; b = b->next_free) {
      if (wanted - reinterpret_cast<std::uintptr_t>(memory_of(b)) < class_bytes(size_class)) return b;
    }
  }
  return nullptr;
}

bool in_device_window(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return address >= device_window_begin && address < device_window_end;
}

/// The block whose memory `pointer` begins, aligned allocations included. Does not return for anything else.
block* block_at(void* pointer, user by) {
  if (in_device_window(pointer)) {
    fail(by, "got a pointer from cudaMalloc or cudaMallocHost; free it with cudaFree or cudaFreeHost.");
  }
  if (!in_heap(pointer)) fail(by, "got a pointer that does not come from malloc or new.");
  if (freed_large_block(pointer) != nullptr) fail(by, freed_before);
  if (address_of(pointer) % header_bytes != 0) {
    fail(by, "got a pointer into a heap block; only the pointer to its start can be freed.");
  }
  block* b = block_of(pointer);
  if (b->check == check_of(b, state::aligned)) b = reinterpret_cast<block*>(b->requested);
  if (b->check == check_of(b, state::freed)) fail(by, freed_before);
  if (b->check != check_of(b, state::allocated)) {
    fail(by,
         "got a pointer that is not the start of a heap block, or the bytes before it were overwritten: look "
         "for a "
         "negative index, and for writes past the end of another block.");
  }
  return b;
}

void check_tail(block* b, user by) {
  const unsigned char* tail = memory_of(b) + b->requested;
  for (std::size_t i = 0; i < guarded_tail(b->requested, class_bytes(b->size_class)); ++i) {
    if (tail[i] != fresh_byte) fail_for_size(*b, by);
  }
}

/// Bytes the program may use from `pointer` on: what it asked for, not what the class has.
std::size_t usable_bytes(void* pointer, user by) {
  locked guard(heap.lock);
  const block* b = block_at(pointer, by);
  return static_cast<std::size_t>(memory_of(b) + b->requested - static_cast<unsigned char*>(pointer));
}

void release(void* pointer, user by) {
  if (may_be_used_by_device(pointer, 1)) host_releases(pointer);
  if (executing == execution::host && registered_host_memory.span != 0) {
    const std::size_t bytes = usable_bytes(pointer, by);
    if (registered_host_memory.overlaps(reinterpret_cast<std::uintptr_t>(pointer), bytes)) {
      host_frees(pointer, bytes, by.function, by.caller);
    }
  }
  locked guard(heap.lock);
  block* b = block_at(pointer, by);
  check_tail(b, by);
  const std::size_t capacity = class_bytes(b->size_class);
  if (is_large(b->size_class)) {
    close_large(b, capacity);
  } else {
    fill(memory_of(b), freed_byte, capacity);
    // An aligned address has a header of its own, which is to say so too when it is freed again.
    if (pointer != memory_of(b)) block_of(pointer)->check = check_of(block_of(pointer), state::freed);
  }
  b->check = check_of(b, state::freed);
  b->next_free = heap.free_blocks[b->size_class];
  heap.free_blocks[b->size_class] = b;
}

void* allocate_aligned(std::size_t alignment, std::size_t requested) {
  if (alignment <= 16) return allocate(requested, content::poison);
  if (alignment > most_bytes || requested > most_bytes - alignment) {
    errno = ENOMEM;
    return nullptr;
  }
  void* memory = allocate(requested + alignment, content::poison);
  if (memory == nullptr || address_of(memory) % static_cast<long>(alignment) == 0) return memory;
  // A second header, right before the aligned address, leads back to the block.
  const std::uintptr_t aligned = (reinterpret_cast<std::uintptr_t>(memory) + alignment) & ~(alignment - 1);
  block* inner = block_of(reinterpret_cast<void*>(aligned));
  *inner = {check_of(inner, state::aligned), 0, {reinterpret_cast<std::uintptr_t>(block_of(memory))}};
  return reinterpret_cast<void*>(aligned);
}

/// Resizes where the block's class is still right, else moves.
void* reallocate(void* pointer, std::size_t requested, user by) {
  if (requested > most_bytes) {
    errno = ENOMEM;
    return nullptr;
  }
  const std::size_t before = usable_bytes(pointer, by);
  {
    locked guard(heap.lock);
    block* b = block_at(pointer, by);
    check_tail(b, by);
    if (pointer == memory_of(b) && b->size_class == class_of(requested)) {
      b->requested = requested;
      unsigned char* memory = memory_of(b);
      if (requested > before) fill(memory + before, fresh_byte, requested - before);
      fill(memory + requested, fresh_byte, guarded_tail(requested, class_bytes(b->size_class)));
      return pointer;
    }
  }
  void* moved = allocate(requested, content::poison);
  if (moved == nullptr) return nullptr;
  copy(moved, pointer, before < requested ? before : requested);
  release(pointer, by);
  return moved;
}

void free_by(void* pointer, user by) {
  const int kept = errno;
  if (pointer != nullptr) release(pointer, by);
  errno = kept;
}

bool is_power_of_two(std::size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

void heap_after_crash() {
  for (block*& first : heap.free_blocks) first = nullptr;
  heap.lock.unlock();
}

bool in_freed_heap_block(const void* address) {
  return freed_large_block(address) != nullptr;
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return allocate(bytes, content::poison);
}

void free(void* pointer) noexcept {
  free_by(pointer, {"free", __builtin_return_address(0)});
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocate(total, content::zero);
}

void* realloc(void* pointer, std::size_t bytes) noexcept {
  if (pointer == nullptr) return malloc(bytes);
  if (bytes == 0) {
    free(pointer);
    return nullptr;
  }
  return reallocate(pointer, bytes, {"realloc", __builtin_return_address(0)});
}

void* reallocarray(void* pointer, std::size_t count, std::size_t bytes) noexcept {
  std::size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(pointer, total);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int kept = errno;
  void* memory = allocate_aligned(alignment, bytes);
  errno = kept;
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  if (!is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return allocate_aligned(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}

void* valloc(std::size_t bytes) noexcept {
  return allocate_aligned(page_bytes, bytes);
}

void* pvalloc(std::size_t bytes) noexcept {
  return allocate_aligned(page_bytes, (bytes + page_bytes - 1) & ~(page_bytes - 1));
}

std::size_t malloc_usable_size(void* pointer) noexcept {
  return pointer == nullptr ? 0 : usable_bytes(pointer, {"malloc_usable_size", __builtin_return_address(0)});
}

}  // extern "C"

// libstdc++'s own would get to free() from inside the library: these know the program's line.
#define LAB_DELETE(ARGUMENTS)                                    \
  void operator delete ARGUMENTS noexcept {                      \
    free_by(pointer, {"delete", __builtin_return_address(0)});   \
  }                                                              \
  void operator delete[] ARGUMENTS noexcept {                    \
    free_by(pointer, {"delete[]", __builtin_return_address(0)}); \
  }

LAB_DELETE((void* pointer))
LAB_DELETE((void* pointer, std::size_t))
LAB_DELETE((void* pointer, std::align_val_t))
LAB_DELETE((void* pointer, std::size_t, std::align_val_t))
LAB_DELETE((void* pointer, const std::nothrow_t&))
LAB_DELETE((void* pointer, std::align_val_t, const std::nothrow_t&))

#undef LAB_DELETE

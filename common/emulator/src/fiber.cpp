#include "fiber.hpp"

#include <sys/mman.h>

#include <vector>

#include "liveness.hpp"

namespace lab::emulator {

namespace {

namespace context = boost::context::detail;

constexpr std::uintptr_t stacks_begin = 0x120000000000;
constexpr std::size_t stack_bytes = 128 << 10;
constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t kernel_shadow_frames = 512;

struct {
  std::vector<fiber*> free;
  std::size_t made = 0;
}& pool = *new std::remove_reference_t<decltype(pool)>;

std::uintptr_t stacks_end() {
  return stacks_begin + pool.made * (stack_bytes + guard_bytes);
}

void start(context::transfer_t from) {
  auto* ends = static_cast<fiber**>(from.data);  // who switched, and to whom
  ends[0]->context = from.fctx;
  ends[1]->body(*ends[1]);
  __builtin_unreachable();  // a fiber's body switches away for good
}

fiber& make_fiber() {
  const std::uintptr_t low = stacks_end();
  void* memory = mmap(reinterpret_cast<void*>(low), stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) {
    end_run(trace::finding_kind::crash, "this machine has no memory left for the stacks of kernel threads.");
  }
  mprotect(memory, guard_bytes, PROT_NONE);
  ++pool.made;
  auto* fresh = new fiber;
  fresh->stack_low = reinterpret_cast<char*>(low + guard_bytes);
  fresh->stack_high = fresh->stack_low + stack_bytes;
  fresh->calls = make_shadow_stack(kernel_shadow_frames);
  return *fresh;
}

}  // namespace

void switch_to(fiber& from, fiber& to) {
  shadow = &to.calls;
  fiber* ends[2] = {&from, &to};
  const auto back = context::jump_fcontext(to.context, ends);
  static_cast<fiber**>(back.data)[0]->context = back.fctx;
}

void prepare(fiber& fiber, fiber::entry body) {
  fiber.body = body;
  fiber.calls.depth = 0;
  fiber.context = context::make_fcontext(fiber.stack_high, fiber.stack_high - fiber.stack_low, &start);
}

fiber& take_fiber(fiber::entry body) {
  fiber* taken;
  if (pool.free.empty()) {
    taken = &make_fiber();
  } else {
    taken = pool.free.back();
    pool.free.pop_back();
  }
  prepare(*taken, body);
  return *taken;
}

void give_back_fiber(fiber& fiber) {
  pool.free.push_back(&fiber);
}

std::pair<std::uintptr_t, std::uintptr_t> kernel_stack_around(std::uintptr_t address) {
  if (address < stacks_begin || address >= stacks_end() || in_stack_guard(address)) return {0, 0};
  const std::uintptr_t low = address - (address - stacks_begin) % (stack_bytes + guard_bytes) + guard_bytes;
  return {low, low + stack_bytes};
}

bool in_stack_guard(std::uintptr_t address) {
  return address >= stacks_begin && address < stacks_end() &&
         (address - stacks_begin) % (stack_bytes + guard_bytes) < guard_bytes;
}

}  // namespace lab::emulator

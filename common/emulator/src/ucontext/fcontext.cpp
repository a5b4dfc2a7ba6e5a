// The checked longjmp takes a jump to another stack for a mistake.
#undef _FORTIFY_SOURCE
#include "fcontext.hpp"

#include <setjmp.h>
#include <ucontext.h>
#include <xmmintrin.h>

#include <cstdint>
#include <new>

/// Boost.Context's two functions where its library is not installed. A stack is begun through ucontext; after
/// that, setjmp and longjmp switch, which leave the signal mask alone and so need no system call.
///
/// What runs on a stack finds it as Boost leaves it, to the byte: local variables are seen in traces.
namespace boost::context::detail {

namespace {

/// How numbers are rounded, and what floating-point exceptions do: each stack has its own.
struct rounding {
  unsigned vector = _mm_getcsr();
  unsigned short classic = 0;

  rounding() { asm volatile("fnstcw %0" : "=m"(classic)); }
  void restore() const {
    _mm_setcsr(vector);
    asm volatile("fldcw %0" : : "m"(classic));
  }
};

/// A stack on which nothing runs now.
struct suspended {
  rounding its_rounding;
  transfer_t arrived{};
  jmp_buf place;
  void (*entry)(transfer_t) = nullptr;  ///< of one that has not begun
};

[[noreturn]] void begin(suspended& stack) {
  ucontext_t fresh;
  getcontext(&fresh);
  greg_t* registers = fresh.uc_mcontext.gregs;
  registers[REG_RIP] = reinterpret_cast<greg_t>(stack.entry);
  registers[REG_RDI] = reinterpret_cast<greg_t>(stack.arrived.fctx);
  registers[REG_RSI] = reinterpret_cast<greg_t>(stack.arrived.data);
  auto* top = reinterpret_cast<std::uintptr_t*>(&stack + 1);
  registers[REG_RSP] = reinterpret_cast<greg_t>(top - 1);
  top[-1] = 0;  // there is nowhere to return to; from here on, what was noted is written over
  setcontext(&fresh);
  __builtin_unreachable();
}

}  // namespace

extern "C" transfer_t jump_fcontext(fcontext_t to, void* data) {
  suspended here;
  auto& next = *static_cast<suspended*>(to);
  next.arrived = {&here, data};
  if (_setjmp(here.place) == 0) {
    next.its_rounding.restore();
    if (next.entry != nullptr) begin(next);
    _longjmp(next.place, 1);
  }
  return here.arrived;
}

// Noted at the top of the stack itself.
extern "C" fcontext_t make_fcontext(void* top, std::size_t, void (*entry)(transfer_t)) {
  auto* stack = new (static_cast<suspended*>(top) - 1) suspended;
  stack->entry = entry;
  return stack;
}

}  // namespace boost::context::detail

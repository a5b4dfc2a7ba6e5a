#include "host_accesses.hpp"

#include <trace/host_access_runs.hpp>

#include "call_sites.hpp"
#include "recorder.hpp"
#include "watched_memory.hpp"

namespace lab::cupti::host_accesses {
namespace {

/// Never destroyed: destructors of the program's own come later than ours.
watched_memory& watched() {
  static watched_memory& instance = *new watched_memory;
  return instance;
}

struct place {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  std::uint32_t stack = 0;
  trace::sequence when = 0;  // the run began
};

thread_local trace::host_access_runs<place> runs;

/// Memory around the last access that was of no interest, where no other is either.
struct harmless_memory {
  address low = 0, high = 0;
  unsigned generation = 0;
};
thread_local harmless_memory harmless;

/// Ends the last stretch of a thread that ends.
struct end_of_thread {
  ~end_of_thread() { end_stretch(); }
};

void add(const place& where, const trace::host_touch& touch, std::uintptr_t begin, std::uintptr_t end) {
  recorder::add(seen_host_access{recorder::thread_number(), where.when, begin, end, where.stack, touch.write,
                                 touch.atomic});
}

}  // namespace

void note(const volatile void* pointer, std::size_t bytes, bool write, bool atomic, const void* caller) {
  const auto begin = reinterpret_cast<address>(pointer);
  const address end = begin + bytes;
  if (!watched().may_hold(begin, bytes)) return;
  const unsigned generation = watched().generation();
  if (harmless.generation == generation && begin >= harmless.low && end <= harmless.high) return;
  const auto meet = [&]() -> place {
    const auto near = watched().around(begin, end);
    if (!near.watched) {
      harmless = {near.low, near.high, generation};
      return {};
    }
    thread_local end_of_thread at_its_end;
    (void)at_its_end;
    return {near.low, near.high, recorder::stack_here(caller), recorder::next_in_sequence()};
  };
  runs.add({reinterpret_cast<std::uintptr_t>(caller), called_from(), begin, bytes, write, atomic}, meet, add);
}

void end_stretch() {
  runs.end_stretch(add);
}

void after(const seen_call& call) {
  watched().after(call);
}

void forget_memory() {
  watched().forget();
}

}  // namespace lab::cupti::host_accesses

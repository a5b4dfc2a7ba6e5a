#include "schedules.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace schedules {
namespace {

constexpr std::size_t all_cells = std::size_t{memories} * cells_of_memory;

struct state {
  std::array<std::size_t, threads> next{};  // statement of each thread, in its own list
  std::vector<int> queue;                   // statements whose work is submitted, the earliest first
  std::vector<int> bound;                   // by statement: the record that a wait is bound to, -1: none
  std::array<int, events> recorded{};       // by event: the statement of the last record, -1: none
  std::uint64_t done = 0;                   // statements whose work is done
  std::uint64_t returning = 0;              // host functions that have done all but return
  std::uint64_t signalled = 0;              // objects
  std::vector<bool> waiting;                // by thread: a blocking copy is submitted and not done
  std::array<std::uint64_t, all_cells> cells{};
  std::vector<std::uint64_t> seen;  // by statement
};

class executor {
 public:
  explicit executor(const program& what) : program_(what), lists_(threads) {
    for (std::size_t i = 0; i < what.size(); ++i) {
      lists_[static_cast<std::size_t>(what[i].thread)].push_back(static_cast<int>(i));
    }
    result_.always_before.assign(what.size(), std::vector<bool>(what.size(), true));
  }

  outcome run() {
    state begin;
    begin.bound.assign(program_.size(), -1);
    begin.recorded.fill(-1);
    begin.waiting.assign(threads, false);
    begin.seen.assign(program_.size(), 0);
    explore(begin);
    return result_;
  }

 private:
  const statement& at(int number) const { return program_[static_cast<std::size_t>(number)]; }
  static bool has(std::uint64_t set, int number) { return (set >> number & 1) != 0; }

  // Depth first over all that may happen next. From one state of control all goes on alike: two schedules
  // that reach it with different values differ for good, since what is overwritten counts as seen.
  void explore(const state& now) {
    if (!note(now)) return;
    bool ended = true;
    for (std::size_t place = 0; place < now.queue.size(); ++place) {
      const int work = now.queue[place];
      if (has(now.done, work) || !may_begin(now, place)) continue;
      ended = false;
      state then = now;
      carry_out(then, work);
      explore(then);
    }
    for (int thread = 0; thread < threads; ++thread) {
      state then = now;
      if (!step(then, thread)) continue;
      ended = false;
      explore(then);
    }
    if (ended) {
      const auto values = std::make_pair(now.cells, now.seen);
      if (!final_) final_ = values;
      if (*final_ != values) result_.differs = true;
    }
  }

  /// Whether the state is new.
  bool note(const state& now) {
    std::vector<int> control(now.queue);
    for (const auto next : now.next) control.push_back(static_cast<int>(next) - 100);
    control.insert(control.end(), now.bound.begin(), now.bound.end());
    control.insert(control.end(), now.recorded.begin(), now.recorded.end());
    for (const std::uint64_t set : {now.done, now.returning, now.signalled})
      control.push_back(static_cast<int>(set));
    for (const bool waits : now.waiting) control.push_back(waits ? 1 : 0);
    const auto values = std::make_pair(now.cells, now.seen);
    const auto [known, fresh] = known_.try_emplace(std::move(control), values);
    if (!fresh && known->second != values) result_.differs = true;
    return fresh;
  }

  bool may_begin(const state& now, std::size_t place) const {
    const int work = now.queue[place];
    const int mine = at(work).stream;
    for (std::size_t earlier = 0; earlier < place; ++earlier) {
      const int other = now.queue[earlier];
      const int its = at(other).stream;
      const bool first = its == mine || (mine == 0 && is_blocking(its)) || (is_blocking(mine) && its == 0);
      if (first && !has(now.done, other)) return false;
    }
    const int record = now.bound[static_cast<std::size_t>(work)];
    return at(work).action != action::wait || record < 0 || has(now.done, record);
  }

  void carry_out(state& now, int work) {
    const std::uint64_t bit = std::uint64_t{1} << work;
    if (has(now.returning, work)) {
      now.done |= bit;
      return;
    }
    for (std::size_t other = 0; other < program_.size(); ++other) {
      if (!has(now.done, static_cast<int>(other)))
        result_.always_before[other][static_cast<std::size_t>(work)] = false;
    }
    // A staged upload has read its source already.
    const bool staged = at(work).action == action::staged_upload;
    for (const access& each : at(work).accesses) {
      if (!staged || each.use != use::read) touch(now, work, each);
    }
    if (at(work).action == action::host_function) {
      now.signalled |= std::uint64_t{1} << at(work).object;
      now.returning |= bit;
    } else {
      now.done |= bit;
    }
  }

  void touch(state& now, int number, const access& each) {
    auto& seen = now.seen[static_cast<std::size_t>(number)];
    for (int cell = each.begin; cell < each.end; ++cell) {
      auto& value =
          now.cells[static_cast<std::size_t>(each.memory) * cells_of_memory + static_cast<std::size_t>(cell)];
      const std::uint64_t fresh =
          mixed(static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(cell) + 1);
      if (each.use == use::add) {
        value += fresh;  // in any order the same
        continue;
      }
      seen = mixed(seen ^ value);
      if (each.use == use::write) value = fresh;
    }
  }

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  bool stream_is_done(const state& now, int stream) const {
    for (const int each : now.queue) {
      const int its = at(each).stream;
      if ((its == stream || (stream == 0 && is_blocking(its))) && !has(now.done, each)) return false;
    }
    return true;
  }

  /// The thread's next statement, where it need not wait.
  bool step(state& now, int thread) {
    const auto number_of_thread = static_cast<std::size_t>(thread);
    const auto& list = lists_[number_of_thread];
    if (now.next[number_of_thread] == list.size()) return false;
    const int number = list[now.next[number_of_thread]];
    const statement& does = at(number);
    int& record = now.recorded[static_cast<std::size_t>(does.event)];
    switch (does.action) {
      case action::kernel:
      case action::host_function:
      case action::free_async:
        now.queue.push_back(number);
        break;
      case action::record:
        now.queue.push_back(number);
        record = number;
        break;
      case action::wait:
        now.bound[static_cast<std::size_t>(number)] = record;
        now.queue.push_back(number);
        break;
      case action::blocking_download:
        if (!now.waiting[number_of_thread]) {
          now.waiting[number_of_thread] = true;
          now.queue.push_back(number);
          return true;  // the statement goes on
        }
        if (!has(now.done, number)) return false;
        now.waiting[number_of_thread] = false;
        break;
      case action::staged_upload:
        if (!stream_is_done(now, 0)) return false;
        for (const access& each : does.accesses) {
          if (each.use == use::read) touch(now, number, each);
        }
        now.queue.push_back(number);
        break;
      case action::stream_sync:
        if (!stream_is_done(now, does.stream)) return false;
        break;
      case action::event_sync:
      case action::poll:
        if (record >= 0 && !has(now.done, record)) return false;
        break;
      case action::device_sync:
        for (const int each : now.queue) {
          if (!has(now.done, each)) return false;
        }
        break;
      case action::ask:
      case action::destroy_event:
        break;
      case action::host_access:
      case action::free_memory:
        for (const access& each : does.accesses) touch(now, number, each);
        break;
      case action::signal:
        now.signalled |= std::uint64_t{1} << does.object;
        break;
      case action::await:
        if (!has(now.signalled, does.object)) return false;
        break;
    }
    ++now.next[number_of_thread];
    return true;
  }

  using all_values = std::pair<std::array<std::uint64_t, all_cells>, std::vector<std::uint64_t>>;

  const program& program_;
  std::vector<std::vector<int>> lists_;  // of each thread
  std::map<std::vector<int>, all_values> known_;
  std::optional<all_values> final_;
  outcome result_;
};

}  // namespace

outcome run_every_schedule(const program& what) {
  return executor(what).run();
}

std::string text(const program& what) {
  constexpr const char* names[] = {"kernel",        "host function", "record",        "wait", "download",
                                   "staged upload", "stream sync",   "event sync",    "poll", "ask",
                                   "device sync",   "destroy event", "host accesses", "free", "free async",
                                   "signal",        "await"};
  std::string all;
  for (std::size_t i = 0; i < what.size(); ++i) {
    const statement& each = what[i];
    all += "\n" + std::to_string(i + 1) + ": thread " + std::to_string(each.thread) + ": " +
           names[static_cast<std::size_t>(each.action)] + " stream " + std::to_string(each.stream) +
           " event " + std::to_string(each.event) + " object " + std::to_string(each.object);
    for (const access& touched : each.accesses) {
      all += touched.use == use::read ? ", reads " : touched.use == use::write ? ", writes " : ", adds to ";
      all += std::to_string(touched.memory) + "[" + std::to_string(touched.begin) + ".." +
             std::to_string(touched.end) + ")";
    }
  }
  return all;
}

}  // namespace schedules

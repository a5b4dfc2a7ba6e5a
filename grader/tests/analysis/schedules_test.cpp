#include "support/schedules.hpp"

#include <doctest/doctest.h>

#include <analysis/hazards.hpp>
#include <random>

#include "support/program.hpp"

using namespace lab::analysis;
using schedules::action;
using schedules::use;

namespace {

constexpr std::uint64_t cell_bytes = 16;
constexpr int function_thread = 9;

/// The trace of the run that does no work before something waits for it.
class lazy_run {
 public:
  explicit lazy_run(const schedules::program& what)
      : what_(what), operation_(what.size(), 0), done_(what.size()) {
    for (int stream = 1; stream < schedules::streams; ++stream) made_.stream(!schedules::is_blocking(stream));
    for (int event = 0; event < schedules::events; ++event) made_.event();
    const std::uint64_t bytes = schedules::cells_of_memory * cell_bytes;
    for (int memory = 0; memory < schedules::memories; ++memory) {
      memory == schedules::pageable_memory ? made_.pageable(bytes) : made_.pinned(bytes);
    }
    made_.release(all_threads);
    for (int thread = 1; thread < schedules::threads; ++thread) {
      made_.thread = thread;
      made_.acquire(all_threads);
    }
    record_.assign(schedules::events, -1);
    bound_.assign(what.size(), -1);
    for (std::size_t i = 0; i < what.size(); ++i) make(static_cast<int>(i));
    for (const int each : submitted_) carry_out(each);
  }

  const lab::trace::run& trace() const { return made_.run; }
  program::id operation(std::size_t statement) const { return operation_[statement]; }

 private:
  static constexpr program::id all_threads = 1000;

  static program::accesses ranges(const std::vector<schedules::access>& accesses) {
    program::accesses result;
    for (const auto& each : accesses) {
      result.push_back(
          {static_cast<program::id>(each.memory + 1), static_cast<std::uint64_t>(each.begin) * cell_bytes,
           static_cast<std::uint64_t>(each.end) * cell_bytes, each.use != use::read, each.use == use::add});
    }
    return result;
  }

  void make(int number) {
    const auto& does = what_[static_cast<std::size_t>(number)];
    const int line = number + 1;
    const auto stream = static_cast<program::id>(does.stream);
    const auto event = static_cast<program::id>(does.event + 1);
    int& record = record_[static_cast<std::size_t>(does.event)];
    program::id& work = operation_[static_cast<std::size_t>(number)];
    made_.thread = does.thread;
    switch (does.action) {
      case action::kernel:
        work = made_.kernel("kernel", stream, line, ranges(does.accesses));
        break;
      case action::host_function:
        work = made_.host_function(stream, line);
        break;
      case action::free_async:
        work = made_.free_async(static_cast<program::id>(does.memory + 1), stream, line);
        break;
      case action::record:
        work = made_.record(event, stream, line);
        record = number;
        break;
      case action::wait:
        work = made_.wait(stream, event, line);
        bound_[static_cast<std::size_t>(number)] = record;
        break;
      case action::blocking_download:
      case action::staged_upload: {
        carry_out_stream(0);  // what runs on a host thread has run when the call returns
        const bool down = does.action == action::blocking_download;
        work = made_.copy(
            down ? lab::trace::copy_direction::device_to_host : lab::trace::copy_direction::host_to_device, 0,
            ranges(does.accesses), line, "cudaMemcpy");
        submitted_.push_back(number);
        if (down) carry_out(number);
        return;
      }
      case action::stream_sync:
        carry_out_stream(does.stream);
        made_.stream_sync(stream, line);
        return;
      case action::event_sync:
        if (record >= 0) carry_out(record);
        made_.event_sync(event, line);
        return;
      case action::poll:
        if (record >= 0 && !is_done(record)) made_.event_query(event, false, line);
        if (record >= 0) carry_out(record);
        made_.event_query(event, true, line);
        return;
      case action::ask:
        made_.event_query(event, record < 0 || is_done(record), line);
        return;
      case action::device_sync:
        for (const int each : submitted_) carry_out(each);
        made_.device_sync(line);
        return;
      case action::destroy_event:
        made_.destroy_event(event, line);
        return;
      case action::host_access:
        for (const auto& each : ranges(does.accesses)) made_.host(each, line);
        return;
      case action::free_memory:
        made_.free(static_cast<program::id>(does.memory + 1), line, "cudaFreeHost");
        return;
      case action::signal:
        made_.release(static_cast<program::id>(does.object + 1));
        return;
      case action::await:
        for (const int each : submitted_) {
          const auto& function = what_[static_cast<std::size_t>(each)];
          if (function.action == action::host_function && function.object == does.object) carry_out(each);
        }
        made_.acquire(static_cast<program::id>(does.object + 1));
        return;
    }
    submitted_.push_back(number);
  }

  bool is_done(int number) const { return done_[static_cast<std::size_t>(number)]; }

  void carry_out_stream(int stream) {
    for (const int each : submitted_) {
      const int its = what_[static_cast<std::size_t>(each)].stream;
      if (its == stream || (stream == 0 && schedules::is_blocking(its))) carry_out(each);
    }
  }

  void carry_out(int number) {
    if (is_done(number)) return;
    const auto& does = what_[static_cast<std::size_t>(number)];
    for (const int each : submitted_) {
      if (each == number) break;
      const int its = what_[static_cast<std::size_t>(each)].stream;
      const bool first = its == does.stream || (does.stream == 0 && schedules::is_blocking(its)) ||
                         (schedules::is_blocking(does.stream) && its == 0);
      if (first) carry_out(each);
    }
    if (bound_[static_cast<std::size_t>(number)] >= 0) carry_out(bound_[static_cast<std::size_t>(number)]);
    done_[static_cast<std::size_t>(number)] = true;
    if (does.action != action::host_function) return;
    made_.runs(operation_[static_cast<std::size_t>(number)], function_thread, [&] {
      for (const auto& each : ranges(does.accesses)) made_.host(each, number + 1);
      made_.release(static_cast<program::id>(does.object + 1));
    });
  }

  const schedules::program& what_;
  program made_;
  std::vector<program::id> operation_;  // by statement
  std::vector<bool> done_;
  std::vector<int> submitted_, record_, bound_;
};

class generator {
 public:
  generator(std::uint32_t seed, int threads) : random_(seed), threads_(threads) {}

  schedules::program program() {
    schedules::program result;
    const int length = 4 + below(threads_ == 1 ? 8 : 5);
    while (static_cast<int>(result.size()) < length) result.push_back(statement(result));
    return result;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }

  schedules::access access(bool device) {
    static constexpr use uses[] = {use::read, use::read, use::write, use::write, use::add};
    const int begin = below(schedules::cells_of_memory);
    const int end = begin + 1 + below(schedules::cells_of_memory - begin);
    int memory = below(schedules::memories);
    while (freed_[static_cast<std::size_t>(memory)] || (device && memory == schedules::pageable_memory)) {
      memory = below(schedules::memories);
    }
    return {uses[below(5)], memory, begin, end};
  }

  std::vector<schedules::access> accesses(bool device) {
    std::vector<schedules::access> result;
    for (int i = 1 + below(2); i > 0; --i) result.push_back(access(device));
    return result;
  }

  schedules::statement statement(const schedules::program& before) {
    schedules::statement made;
    made.thread = below(threads_);
    made.stream = below(schedules::streams);
    made.event = below(schedules::events);
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        made.action = action::kernel;
        made.accesses = accesses(true);
        break;
      case 5:
      case 6:
      case 7:
        made.action = action::record;
        // Of threads that record one event in several streams at once nothing certain can be said.
        if (threads_ > 1) made.thread = made.event % 2, made.stream = 1 + made.event;
        break;
      case 8:
      case 9:
      case 10:
        made.action = action::wait;
        break;
      case 11:
        made.action = action::stream_sync;
        break;
      case 12:
        made.action = below(2) == 0 ? action::event_sync : action::poll;
        break;
      case 13:
        made.action = threads_ == 1 ? action::ask : action::device_sync;
        break;
      case 14:
      case 15:
        made.action = action::host_access;
        made.accesses = accesses(false);
        break;
      case 16:
        made.stream = 0;
        made.action = below(2) == 0 ? action::blocking_download : action::staged_upload;
        made.accesses = {{use::read, 0, 0, 2}, {use::write, 1, 1, 3}};
        if (made.action == action::staged_upload) made.accesses[0].memory = schedules::pageable_memory;
        if (freed_[0] || freed_[1]) made.accesses.resize(0);
        break;
      case 17:
        if (below(3) == 0 && !freed_[0] && !freed_[1]) {
          made.action = below(2) == 0 ? action::free_memory : action::free_async;
          made.memory = below(2);
          made.accesses = {{use::write, made.memory, 0, schedules::cells_of_memory}};
          freed_[static_cast<std::size_t>(made.memory)] = true;
        } else {
          made.action = action::device_sync;
        }
        break;
      default:
        talk(made, before);
    }
    return made;
  }

  /// A host function, a signal, or the wait for one of them.
  void talk(schedules::statement& made, const schedules::program& before) {
    for (const auto& each : before) {
      const bool signals = each.action == action::signal || each.action == action::host_function;
      if (!signals || below(2) == 0) continue;
      made.action = action::await;
      made.object = each.object;
      return;
    }
    made.object = objects_++;
    made.action = below(2) == 0 ? action::signal : action::host_function;
    if (made.action == action::host_function && below(2) == 0) made.accesses = accesses(false);
  }

  std::mt19937 random_;
  int threads_;
  int objects_ = 0;
  std::vector<bool> freed_ = std::vector<bool>(schedules::memories);
};

bool is_work(const schedules::statement& each) {
  return each.action == action::kernel || each.action == action::free_async ||
         each.action == action::record || each.action == action::wait ||
         each.action == action::host_function || each.action == action::blocking_download ||
         each.action == action::staged_upload;
}

/// How many of the programs race. Stops at the first that the analysis judges otherwise than the executor.
int racing(std::uint32_t first_seed, int programs, int threads) {
  int count = 0;
  for (int i = 0; i < programs; ++i) {
    const std::uint32_t seed = first_seed + static_cast<std::uint32_t>(i);
    const schedules::program what = generator(seed, threads).program();
    const schedules::outcome all = schedules::run_every_schedule(what);
    const lazy_run run(what);
    const recording seen(run.trace());
    const auto found = find_hazards(seen);
    INFO("seed ", seed, ", ", threads, " threads:", schedules::text(what));
    INFO("found: ", found.empty() ? "" : hazard_text(seen, found[0]));
    REQUIRE(found.empty() == !all.differs);
    count += all.differs ? 1 : 0;
    const order of(seen.run());
    for (std::size_t a = 0; a < what.size(); ++a) {
      for (std::size_t b = 0; b < what.size(); ++b) {
        if (a == b || !is_work(what[a]) || !is_work(what[b])) continue;
        INFO("statements ", a + 1, " and ", b + 1);
        REQUIRE(of.before(run.operation(a), run.operation(b)) == all.always_before[a][b]);
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("a program has a hazard if and only if two of its schedules differ: one thread") {
  const int programs = 8000;
  const int found = racing(1, programs, 1);
  CHECK(found > programs / 5);
  CHECK(found < programs * 4 / 5);
}

TEST_CASE("a program has a hazard if and only if two of its schedules differ: two threads") {
  const int programs = 4000;
  const int found = racing(100'001, programs, 2);
  CHECK(found > programs / 5);
  CHECK(found < programs * 4 / 5);
}

#pragma once

#include <cstdint>
#include <string>
#include <trace/model.hpp>
#include <unordered_map>
#include <vector>

#include "clocks.hpp"

namespace lab::analysis {

/// Which edges count.
enum class edges {
  promised,  ///< what the manual promises
  unasked,  ///< the same, but for the answers that work is done: a program may ask and not look at the answer
  with_luck,  ///< also what happens to wait today: cudaFree, allocations, copies of pageable memory
};

/// What is known to be done before what begins, however the work is scheduled and the threads interleave.
///
/// An operation comes after what its thread did before submitting it, after the work before it in its stream
/// and, between the legacy default stream and blocking ones, in the other; a wait for an event comes after
/// the record that it was bound to. What a host thread does comes after the work that a call told it to be
/// done. All that holds only between calls that are ordered themselves: of two threads that use one stream or
/// event at the same time, either may be first.
///
/// Takes time linear in calls, operations and accesses. Keeps a reference to the run.
class order {
 public:
  /// Where in the run something lies: at a position of its chain, knowing what its clock says.
  struct moment {
    clocks::chain chain = 0;
    clocks::position position = 0;
    clocks::clock knows = clocks::nothing;
  };

  enum class step_kind {
    work,         ///< of an operation: `index` in run.operations
    host_access,  ///< `index` in run.host_accesses
    release,      ///< memory is freed, or no longer registered: `index` in run.allocations
  };
  struct step {
    step_kind kind = step_kind::work;
    std::uint32_t index = 0;
  };

  /// @pre ids of operations are their numbers in the run, from 1
  explicit order(const trace::run& run, edges counted = edges::promised);

  /// Whether operation `a` is done before operation `b` begins.
  bool before(trace::id a, trace::id b) const;
  bool before(const moment& a, const moment& b) const;

  /// Everything that may use or free memory; what is before something else stands before it.
  const std::vector<step>& steps() const { return steps_; }

  /// When a step reads or writes. A copy that stages its source reads it on the host, in the call.
  moment when(const step& of, bool write) const;

 private:
  using number = std::uint32_t;  // an index into one of the vectors below
  static constexpr number none = ~number{0};

  struct work {
    number lane = none;                       // the work of its thread in its stream
    clocks::position position = 0;            // in the lane
    clocks::position submitted = 0;           // in the thread
    clocks::clock knows = clocks::nothing;    // when it begins; until it is settled, what its thread knew
    clocks::clock done = clocks::nothing;     // what is known to all who know that it is done
    number first_before = 0, end_before = 0;  // in before_: the work that it follows at once
    bool settled = false, finished = false;   // whether `knows` and `done` are right
  };
  struct lane {
    number thread = none;
    clocks::chain chain = 0;
    clocks::chain functions_chain = none;  // of what its host functions do, one after the other
    clocks::position functions_position = 0;
    std::vector<number> works;
    std::uint64_t collected = 0;  // in the last collection that met it
  };
  struct thread {
    moment self;
    moment in_function;  // that of the host function which it runs
    number function = none;
    std::vector<number> works;           // that it submitted
    std::vector<number> blocking_works;  // those of them in blocking streams
    // By thread: how much of such a list this one has waited for, or put legacy work behind.
    std::unordered_map<number, std::size_t> all_waited_for, blocking_waited_for, put_before_legacy;

    moment& now() { return function == none ? self : in_function; }
  };
  struct stream {
    bool blocking = false;
    std::vector<number> lanes;
  };
  using list_of_work = std::vector<number> thread::*;
  using progress = std::unordered_map<number, std::size_t>;

  void meet_threads_and_streams();
  void replay();
  void begin_call(number call);
  void return_from(const trace::host_call& call);
  void submit(number operation, thread& by);
  void begin_function(number operation);
  void return_from_function(number operation);
  void synchronise(const trace::host_sync& sync);
  void take_turn(thread& next);

  bool try_to_settle(number operation);
  void settle(number operation);
  void compute(number operation);
  void finish(work& of, clocks::clock knows);

  bool knows_submitted(clocks::clock knows, const work& of) const;
  bool knows_done(clocks::clock knows, const work& of) const;
  number last_in(const lane& in, clocks::clock submitted) const;
  number record_bound_to(trace::id record, clocks::clock submitted) const;
  std::vector<number> last_of_stream(trace::id of, clocks::clock submitted) const;
  /// The last work of each lane in such a list that is known to be submitted and was not collected before.
  std::vector<number> collect(list_of_work list, progress& so_far, clocks::clock submitted);

  void learn(moment& who, const std::vector<number>& done);
  void learn_all(thread& who);
  void learn_stream(thread& who, trace::id of);
  void learn_from_copies(thread& who, const trace::host_call& call);
  void step_on(moment& who);

  bool stages_source(const trace::operation& copy, const trace::host_call& call) const;
  thread& thread_with(int id) { return threads_[thread_numbers_.at(id)]; }

  const trace::run& run_;
  edges counted_;
  bool in_turn_;  // each call of a thread comes after those that came before
  thread* in_turn_last_ = nullptr;
  std::vector<work> works_;  // as run.operations
  std::vector<lane> lanes_;
  std::vector<thread> threads_;
  std::vector<stream> streams_;  // by id
  std::vector<number> before_;
  std::vector<step> steps_;

  std::unordered_map<int, number> thread_numbers_;
  std::vector<number> first_of_call_, next_of_call_;       // operations, by call and by operation
  std::vector<number> freed_by_call_;                      // allocation, by call
  std::vector<number> previous_record_;                    // of the same event, by operation
  std::unordered_map<trace::id, clocks::clock> released_;  // by object that threads synchronise on
  std::unordered_map<number, moment> staged_;              // when the host read an operation's source
  std::unordered_map<number, moment> freed_;               // by allocation
  std::vector<moment> accessed_;                           // as run.host_accesses
  std::uint64_t collections_ = 0;
  clocks clocks_;  // last: its size depends on the others
};

/// Whether the record tells what orders the host threads. A real GPU's tells of a single one alone: of
/// several, calls count as ordered as they came, and what host code reads and writes does not count.
bool knows_threads(const trace::run& run);

/// Whether a copy's source (or, with `write`, its target) is ordinary memory, which the device cannot reach.
bool is_pageable(const trace::run& run, const trace::operation& copy, bool write);

/// Whether the call may wait for all work, which nothing promises: it frees or allocates memory.
bool may_wait_for_device(const trace::run& run, const trace::host_call& call);

/// Whether the call asked if work was done, without waiting, and was told that it was.
bool is_answer(const trace::host_call& call);

}  // namespace lab::analysis

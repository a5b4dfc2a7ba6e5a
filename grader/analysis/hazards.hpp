#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "order.hpp"
#include "recording.hpp"

namespace lab::analysis {

enum class hazard_level {
  race,            ///< nothing orders the two
  relies_on_luck,  ///< something does that nothing promises
  lifetime,  ///< memory is freed, or unregistered, while work may still use it, or used before it is there
};

/// One side of a hazard: work of the device, or a host thread that uses or frees memory.
struct participant {
  order::step_kind kind = order::step_kind::work;
  trace::id operation = 0;   ///< the work; the host function that a thread was running; 0: the program itself
  trace::id call = 0;        ///< that submitted the work, or freed the memory
  int thread = 0;            ///< that submitted, used or freed
  trace::sequence when = 0;  ///< it did
  std::string name;          ///< "scale", "the upload", "the host", "cudaFree"
  std::string where;         ///< "student.cu:41"; "" where it is not the student's
  std::optional<trace::id> stream;  ///< of the work
  bool write = false;
  bool assumed = false;  ///< that it uses the bytes: its parameters allow it, nothing says more
};

/// What is wrong with the edge that comes nearest to ordering the two.
enum class edge_fault {
  recorded_too_early,    ///< `call` waits for a record (`record`) made before the first was submitted
  bound_to_older_round,  ///< `call` was made before the record (`record`) behind the first: an older one
                         ///< counts
  waited_too_early,      ///< `call` was made before the event was recorded (`record`): it waits for nothing
  never_recorded,        ///< `call` waits for an event that is never recorded
  recorded_again,        ///< the event was recorded again (`record`) before `call`, in another stream
  recorded_in_other_stream,  ///< `call` waits for a record (`record`) in another stream than the first's
  wait_in_other_stream,      ///< `call` makes another stream wait
  waited_too_late,           ///< `call` was made after the second
  not_waited_for,            ///< an event is recorded behind the first (`record`), nothing waits for it
  waited_for_another_event,  ///< so it is (`record`), but `call` waits for another
  none_recorded,             ///< no event is recorded behind the first before the second
  non_blocking_stream,       ///< a non-blocking stream and the legacy one do not wait for each other
  other_work_waited_for,     ///< the host waited (`call`) for something else
  not_ready,                 ///< `call` answered not ready and the program went on
  wait_failed,               ///< `call` waited, and failed
  only_streams_wait,         ///< `call` holds back a stream, not the host
  stream_destroyed,          ///< `call` destroyed the stream, which waits for nothing
  other_thread_waited,       ///< `call` was another thread's
  no_host_wait,              ///< nothing makes the host wait
  returns_early,             ///< `call`, which submitted the first, returns before it is done
  flag_says_nothing,         ///< a kernel and the host use a flag, which does not stand for this
  runs_meanwhile,            ///< the second is a kernel that was launched before the host's use
  threads_unordered,         ///< two host threads are concerned, and nothing orders them
  implicit_wait,             ///< only `call` waits, which nothing promises
  answer_not_looked_at,      ///< `call` answered that the first is done; another answer would change nothing
  freed_before,              ///< the first frees memory, and was called before the second, which uses it
};

struct wrong_edge {
  edge_fault fault = edge_fault::none_recorded;
  trace::id call = 0;    ///< the wait, query or copy to look at
  trace::id record = 0;  ///< the call that recorded the event
};

/// Two uses of the same bytes, at least one of which writes, without a promise of which comes first.
struct hazard {
  hazard_level level = hazard_level::race;
  participant first;  ///< by the order in which the program asked for them
  participant second;
  trace::id allocation = 0;
  std::uint64_t begin = 0;  ///< of the bytes that both use
  std::uint64_t end = 0;
  std::size_t count = 1;  ///< pairs at the same two places of the program; this is the first of them
  wrong_edge edge;

  /// Whether it is one only if a kernel uses what its parameters let it use, which nothing says. Freeing
  /// memory that a kernel has got is one all the same.
  bool is_certain() const { return level == hazard_level::lifetime || !(first.assumed || second.assumed); }
};

inline constexpr std::size_t most_hazards = 64;

/// One hazard for each pair of places in the program, the first `most_hazards` of them.
///
/// Takes time linear in operations and their accesses.
std::vector<hazard> find_hazards(const recording& of);

/// What only an answer orders: the program asked whether work was done, and was told so. Whether it would
/// have gone on as well where the answer was "not ready" is not in the trace; a run in another order shows
/// it.
std::vector<hazard> find_answered(const recording& of);

/// What happens, in a sentence, and what is wrong with the edge that should prevent it, in another.
std::string hazard_text(const recording& of, const hazard& found);

/// What a message calls one of the two: "scale (student.cu:40, stream 2)", "host thread 1 (student.cu:50)".
std::string participant_text(const recording& of, const hazard& found, const participant& side);
/// The same without the place: "scale", "the upload", "host thread 1".
std::string participant_name(const hazard& found, const participant& side);

/// The edge that comes nearest to ordering the two, and its fault.
wrong_edge nearest_wrong_edge(const recording& of, const order& promised, const hazard& found);

}  // namespace lab::analysis

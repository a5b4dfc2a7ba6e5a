#pragma once

#include <map>
#include <set>
#include <trace/schedule.hpp>
#include <tuple>
#include <vector>

#include "seen.hpp"

namespace lab::cupti {

/// The work of a program as it is submitted: its numbers, which are those in the record (assemble.hpp), and
/// what of it cannot be done while other work is held back.
class submissions {
 public:
  struct stream_key {
    address handle = legacy_stream_handle;  ///< one of the driver's: 0 names none
    int thread = 0;                         ///< whose stream it is, where each thread has its own
    bool operator<(const stream_key& other) const {
      return std::tie(handle, thread) < std::tie(other.handle, other.thread);
    }
  };
  struct submission {
    trace::id number = 0;
    stream_key stream;
    bool is_held = false;    ///< the work to be held back
    bool is_opener = false;  ///< what it is held back for
    bool is_behind = false;  ///< the work that is held back, or comes after it
  };

  static stream_key key_of(const seen_call& call);

  explicit submissions(trace::held_work held) : held_(held) {}

  /// The call, which submits work, is about to be made.
  submission begin(const seen_call& call);
  /// It failed: the next takes its number.
  void failed() { --count_; }
  /// A stream has been made. A handle can be that of a stream that is gone.
  void created(const seen_call& call);
  /// A stream is about to be destroyed: its work goes on, its handle is not to be used.
  void destroyed(const seen_call& call) { gone_.insert(call.stream); }
  /// Nothing is held back any more. Returns the streams there are with work that was.
  std::vector<stream_key> let_go();

 private:
  bool is_non_blocking(const stream_key& stream) const { return non_blocking_.count(stream.handle) > 0; }
  bool waits_for_held(const stream_key& stream) const;

  trace::held_work held_;
  trace::id count_ = 0;
  std::set<address> non_blocking_;
  std::set<address> gone_;
  std::set<stream_key> streams_behind_;
  std::set<address> events_behind_;  ///< whose last record is
  std::set<address> graphs_behind_;  ///< whose last launch is
};

}  // namespace lab::cupti

#pragma once

#include <optional>
#include <string>
#include <trace/schedule.hpp>

namespace lab::cupti {

/// A gate in a stream, in front of work that is held back, and when it has to open: a decision from times
/// alone, in ns on any one clock.
///
/// What the work is held back for opens it. It opens by itself where the host waits and nothing else is to
/// come, after its time, and after two seconds whatever it was told: nothing can hang a GPU.
class gate {
 public:
  static constexpr trace::time_ns most = 2'000'000'000;
  /// A machine does other things besides, and a program starts its threads.
  static constexpr trace::time_ns least = 250'000'000;
  /// For which the host has to be inside one call: what does not wait for the GPU returns sooner.
  static constexpr trace::time_ns grace = 50'000'000;

  enum class cause { its_time, host_waits, opener_waits_too, program_ends };

  explicit gate(const trace::held_work& held);

  bool is_closed() const { return closed_at_ != trace::unfinished; }
  void close(trace::time_ns now) { closed_at_ = now; }
  /// What the work is held back for is being submitted: from here on nobody has to submit anything.
  void opener_comes() { opener_came_ = true; }
  void open() { closed_at_ = trace::unfinished; }

  /// Why it has to open now; nothing where it has not to.
  /// @param inside_since since when the host has been inside a call: trace::unfinished for not at all
  std::optional<cause> due(trace::time_ns now, trace::time_ns inside_since) const;
  /// Opening for this, it does not what it was asked for, and how; "" where it does.
  std::string broken_by(cause why) const;

 private:
  trace::held_work held_;
  trace::time_ns longest_;
  trace::time_ns closed_at_ = trace::unfinished;
  bool opener_came_ = false;
};

}  // namespace lab::cupti

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grid.hpp"
#include "memory.hpp"
#include "scheduler.hpp"
#include "trace/model.hpp"

/// The emulated GPU: operations in streams, ordered by edges, on engines that take virtual time.
namespace lab::emulator {

struct operation;
struct stream_state;
using operation_ref = std::shared_ptr<operation>;

/// A copy, of `rows` rows; a plain copy has one.
struct copy_work {
  char* to;
  const char* from;
  std::size_t row_bytes, rows, to_pitch, from_pitch;
  std::vector<char> staged;  ///< what a pageable source held at the call, where the runtime takes a snapshot
  trace::copy_direction direction;
  std::int64_t bytes_per_us;
  std::size_t rows_done = 0, bytes_done = 0;

  std::size_t bytes() const { return row_bytes * rows; }
};

struct memset_work {
  char* to;
  int value;
  std::size_t row_bytes, rows, pitch;
};

/// Work of a known duration that no kernel of the program does.
struct modelled_work {
  time_ns duration;
  std::function<void()> effect;  ///< may be empty
};

struct host_function_work {
  void (*function)(void*);
  void* argument;
};

/// One piece of work in a stream. It begins when everything it waits for is done.
struct operation {
  trace::id id = 0;
  trace::operation_kind kind = trace::operation_kind::kernel;
  stream_state* stream = nullptr;
  const void* submitted_from = nullptr;  ///< the place in the program
  std::string name;
  time_ns ready = 0;  ///< the host has handed it over, or the last predecessor was done
  time_ns begin = 0, end = 0;
  int unmet = 0;  ///< predecessors that are not done
  bool submitted = false, running = false, done = false;
  bool behind_hold = false;  ///< held back by the schedule, or waits for what is
  std::vector<operation_ref> successors;
  wait_queue waiters;
  std::function<void()> when_done;

  std::unique_ptr<emulator::grid> grid;
  std::unique_ptr<copy_work> copy;
  std::unique_ptr<memset_work> set;
  std::unique_ptr<modelled_work> modelled;
  std::unique_ptr<host_function_work> host_function;
};

struct stream_state {
  trace::id id = 0;
  bool non_blocking = false;
  bool alive = true;
  int pending = 0;
  operation_ref last;
  wait_queue room;
};

namespace device {

/// The next moment at which the device does something by itself; `never` when it is idle or waits for the
/// host.
time_ns next_event();

/// Does it. `host_can_run`: some host thread could go on by itself, so a long kernel is not necessarily
/// endless.
void step(bool host_can_run);

/// A new operation of the calling thread's current call; not yet in a stream.
operation_ref make(trace::operation_kind kind, std::string_view name);

/// Puts it into the stream at the calling thread's time, behind the stream's work, what the legacy stream's
/// rules say, and `also` (each may be null).
void submit(stream_state& stream, const operation_ref& work, const std::vector<operation_ref>& also = {});

stream_state& legacy_stream();
stream_state& per_thread_stream();  ///< of the calling thread; ends with it, and its work goes on
stream_state& make_stream(bool non_blocking);
void forget_stream(stream_state& stream);  ///< once destroyed; its work goes on

/// The last operation of each stream that a wait on `stream` covers: its own, and for the legacy stream those
/// of all blocking streams.
std::vector<operation_ref> covered_by(stream_state& stream);
std::vector<operation_ref> everything_pending();

/// Whether the schedule holds work back, or will.
bool holds();

/// Ends all work: the context has failed at `at`. Done with a failure, all of it.
void abandon_all(time_ns at);

/// The program has ended: carries out what is pending, so that the record holds what it reads and writes. For
/// the record alone: nothing of it is said to have begun or ended, a fault is nobody's, host functions are
/// left out, and so is what copies do to ordinary memory, which may be gone. Stops where a kernel goes on and
/// on.
void carry_out_for_record();
bool only_for_record();  ///< whether it is at that

bool kernel_is_running();

/// The running kernel uses memory that a stream has freed: noted in the trace as its access.
void note_use_of_freed(const memory::freed_memory& freed, std::size_t offset, std::size_t bytes, bool write);

/// What still waits, in words, for a deadlock report; empty when nothing does.
std::string pending_in_words();

/// Text that kernels have printed and nobody has seen yet.
std::string& printed();

}  // namespace device

}  // namespace lab::emulator

#pragma once

#include <cstdint>

/// A trace between the process that recorded it and the one that reads it.
///
/// A header, then sections: each a `section` followed by `count` records of `record_bytes`. The recorder can
/// write it from a signal handler: nothing needs building, texts and call stacks are numbered tables, code
/// addresses are symbolised by the reader.
namespace lab::trace::wire {

inline constexpr char magic[8] = {'L', 'A', 'B', 'T', 'R', 'C', '0', '3'};

enum class tag : std::uint32_t {
  texts = 1,  ///< bytes: zero-terminated, numbered from 0
  stacks,     ///< std::uint64_t: for each stack its length, then code addresses, innermost first
  calls,
  operations,
  streams,
  events,
  allocations,
  clock_reads,
  pauses,
  findings,
  accesses,
  host_accesses,
  host_syncs,
  end,  ///< record_bytes 1, count: 1 when the program ended by itself; no records
};

struct section {
  tag what;
  std::uint32_t record_bytes;
  std::uint64_t count;
};

using text = std::uint32_t;   ///< index into `texts`
using stack = std::uint32_t;  ///< index into `stacks`
inline constexpr std::uint32_t no_stream = 0xFFFFFFFF;

struct call {
  std::int64_t begin, end, blocked;
  std::uint64_t begun, returned;
  double milliseconds;  ///< NaN: none
  text name;
  wire::stack stack;
  std::int32_t thread, status;
  std::uint32_t stream, event, stop_event, allocation, operation, start_record, stop_record;
  text error;  ///< the name of a status that is not 0
};

struct operation {
  std::int64_t submitted, begin, end;
  std::uint64_t bytes, begun, returned;
  text name;
  std::uint32_t stream, submitted_by, event, waits_for;
  std::int32_t thread;
  std::uint32_t unused;
  std::uint8_t kind, direction, failed, padding;
};

struct stream {
  std::uint32_t non_blocking, created_by, destroyed_by;
  std::int32_t thread;
};

struct event {
  std::uint32_t timing, blocking_sync, created_by, destroyed_by;
};

struct allocation {
  std::uint64_t bytes;
  std::uint32_t kind, allocated_by, freed_by, in_stream_order;
  text name;  ///< 0: none
  std::uint32_t padding;
};

struct clock_read {
  std::int64_t at, value;
  std::int32_t thread;
  std::uint32_t clock;
  wire::stack stack;
  std::uint32_t padding;
};

struct pause {
  std::int64_t begin, end;
  std::int32_t thread;
  std::uint32_t kind;
  wire::stack stack;
  std::uint32_t padding;
};

struct finding {
  std::uint32_t kind;
  text message;
  std::uint32_t call, operation;
  wire::stack stack;
};

struct access {
  std::uint64_t begin, end;
  std::uint32_t operation, allocation;
  std::uint8_t write, atomic, assumed;
  std::uint8_t padding[5];
};

struct host_access {
  std::uint64_t when, begin, end;
  std::uint32_t allocation;
  std::int32_t thread;
  wire::stack stack;
  std::uint8_t write, atomic;
  std::uint16_t padding;
};

struct host_sync {
  std::uint64_t when;
  std::int32_t thread;
  std::uint32_t kind, object, padding;
};

}  // namespace lab::trace::wire

#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Small programs and all their legal schedules, carried out one by one.
///
/// The executor knows streams as queues, events as references to a record and host threads as lists of
/// statements. It shares nothing with the analysis that it is there to check.
namespace schedules {

enum class action {
  kernel,         ///< reads, writes and adds cells, in a stream
  host_function,  ///< the same, and then signals `object`
  record,
  wait,
  blocking_download,  ///< cudaMemcpy in the legacy stream: the host goes on when it is done
  staged_upload,      ///< cudaMemcpy of pageable cells: waits for the legacy stream, reads them, goes on
  stream_sync,
  event_sync,
  poll,  ///< cudaEventQuery until it succeeds
  ask,   ///< cudaEventQuery once, the answer ignored
  device_sync,
  destroy_event,
  host_access,
  free_memory,  ///< of all cells of a memory, without waiting
  free_async,   ///< of all cells of a memory, in a stream
  signal,       ///< `object`, for another thread
  await,
};

enum class use { read, write, add };

struct access {
  schedules::use use;
  int memory;
  int begin, end;  ///< cells
};

struct statement {
  schedules::action action;
  int thread = 0;
  int stream = 0;
  int event = 0;
  int object = 0;
  int memory = 0;
  std::vector<access> accesses;
};

inline constexpr int memories = 3;  ///< two pinned ones, and one of pageable memory
inline constexpr int pageable_memory = 2;
inline constexpr int cells_of_memory = 3;
inline constexpr int streams = 5;  ///< the legacy one, two blocking, two non-blocking
inline constexpr int events = 3;
inline constexpr int threads = 2;

inline bool is_blocking(int stream) {
  return stream == 1 || stream == 2;
}

/// In the order in which the recorded run's threads came to them.
using program = std::vector<statement>;

struct outcome {
  bool differs = false;  ///< two schedules give different values to a read, to be overwritten, or in the end
  std::vector<std::vector<bool>>
      always_before;  ///< [a][b]: the work of statement a is done before that of b begins
};

outcome run_every_schedule(const program& what);

std::string text(const program& what);

}  // namespace schedules

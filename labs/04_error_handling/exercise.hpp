#pragma once

// A release build, as users get it: a check that is left out of one is no check.
#ifndef NDEBUG
#define NDEBUG
#endif

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What your file must define: three predictions, a macro, and what is declared here.
///
/// Three rules hold for all of it:
/// - It tells its failures by a `cuda_failure`, and neither ends the program nor resets the device. Only the
///   destructor, which may not throw, writes them; all others write nothing.
/// - A failure that it has told is taken from `cudaGetLastError`: nobody else is blamed for it.
/// - A failure that it finds there, left by an earlier call that nobody checked, is not its own. `launch`
///   tells it; all others leave it there, and go by what their own calls return.

/// A CUDA call failed, or work on the device did.
class cuda_failure : public std::runtime_error {
 public:
  /// @param status what the call gave
  /// @param message what `what()` gives
  /// @param suspects see `suspects`
  cuda_failure(cudaError_t status, const std::string& message, std::vector<std::string> suspects = {})
      : std::runtime_error(message), status_(status), suspects_(std::move(suspects)) {}

  /// What the call gave, or the work.
  cudaError_t status() const { return status_; }
  /// The launches of which one is to blame, oldest first; empty where no launch is.
  const std::vector<std::string>& suspects() const { return suspects_; }

 private:
  cudaError_t status_;
  std::vector<std::string> suspects_;
};

// ---------------------------------------------------------------------------------------- predictions

/// What the first prediction chooses from: in this order the host calls
///
///     broken<<<1, 1, 0, stream>>>();   // runs for 50 ms, then writes to where no memory is
///     cudaGetLastError();
///     cudaEventRecord(done, stream);
///     cudaEventQuery(done);
///     cudaEventSynchronize(done);
///     cudaMalloc(&data, 4096);
enum class reporter {
  not_predicted,      ///< no answer yet
  get_last_error,     ///< `cudaGetLastError`
  event_record,       ///< `cudaEventRecord`
  event_query,        ///< `cudaEventQuery`
  event_synchronize,  ///< `cudaEventSynchronize`
  cuda_malloc,        ///< `cudaMalloc`
};

/// Prediction 1: the first of these calls that returns the kernel's error.
extern const reporter predicted_reporter;

/// What the second prediction chooses from.
enum class last_error {
  not_predicted,  ///< no answer yet
  success,        ///< `cudaSuccess`
  not_ready,      ///< `cudaErrorNotReady`
};

/// Prediction 2: `cudaEventQuery` has answered `cudaErrorNotReady`, and nothing failed before. What does
/// `cudaGetLastError` give right after it?
extern const last_error predicted_last_error;

/// What the third prediction chooses from.
enum class recovery {
  not_predicted,         ///< no answer yet
  from_neither,          ///< nothing works any more, after either
  from_rejected_launch,  ///< from the launch alone
  from_illegal_address,  ///< from the access alone
  from_both,             ///< all works again, after either
};

/// Prediction 3: a failure has been reported, and `cudaGetLastError` has been called since. From which of the
/// two does the program recover, so that a good launch works again: from a launch that was rejected (too many
/// threads per block), from a kernel's access to an illegal address?
extern const recovery predicted_recovery;

// ---------------------------------------------------------------------------------------- 1. CUDA_CHECK

// The macro `CUDA_CHECK(expression)`, for any expression of type cudaError_t, also one with commas in it, and
// whatever its variables are called: evaluates it once, in every build. Where it is cudaSuccess, does nothing
// else. Else throws a `cuda_failure` with that status, and with a message that names the file and the line of
// the CUDA_CHECK, the expression's text and the error's name ("cudaErrorInvalidValue"). It is one statement:
// `if (a) CUDA_CHECK(b); else CUDA_CHECK(c);` means what it says.

/// Uses of your macro, for the checks to call. They are defined by uses.hpp, which the last line of your file
/// includes.
namespace uses {
/// Of a call whose arguments stand in it.
void of_a_call(void** memory, std::size_t bytes);
/// Of an expression that is no single call.
void of_a_choice(bool first, cudaError_t one, cudaError_t other);
/// Twice, between `if` and `else`, without braces.
void in_an_if(bool first, const std::function<cudaError_t()>& one, const std::function<cudaError_t()>& other);
/// Of a variable with the name `called`, which may be one that a macro would use for its own.
void of_a_variable(const std::string& called, cudaError_t value);
/// Of a call with template arguments, and a comma between them.
void of_a_template(cudaError_t value);
}  // namespace uses

// ---------------------------------------------------------------------------------------- 2. launcher

/// One launch, `kernel<<<blocks, threads, 0, stream>>>(...)`, and nothing else: no check, and no status,
/// since a launch returns none.
using kernel_launch = std::function<void(cudaStream_t stream)>;

/// Launches kernels in one stream, and knows whose error it is when something fails.
class launcher {
 public:
  /// For one stream, which has to outlive this; with `debug`, each launch waits for its kernel.
  launcher(cudaStream_t stream, bool debug) : stream_(stream), debug_(debug) {}

  /// Launches once, in the stream, and returns at once. With `debug` it waits for the kernel, so that a fault
  /// is told by the launch that caused it.
  ///
  /// @param name names the launch among the suspects
  /// @throws cuda_failure with the suspect `name`, where this launch was rejected. The launcher can go on.
  /// @throws cuda_failure with no suspect, where an earlier call had left a failure behind that nobody read:
  /// it launches nothing then, and can go on.
  /// @throws cuda_failure as `wait` does, where work had failed: that is no fault of this launch, even
  /// where the launch is what reports it. Only where the error of that work is itself one that an earlier
  /// call had left unread, either is right: as what was left behind, or as `wait` does.
  void launch(const std::string& name, const kernel_launch& kernel);

  /// Blocks until the stream's work is done, and not for that of other streams (to debug, it may).
  ///
  /// @throws cuda_failure where work failed. Suspects are the launches since the last wait that succeeded (a
  /// debugging launch waits, too); not those that were rejected. Nothing runs in this process any more, so
  /// every later `launch` and `wait` throws the same failure, with the same suspects, and launches nothing.
  void wait();

 private:  // for your use; you may leave them unused
  cudaStream_t stream_;
  bool debug_;
  std::vector<std::string> unproven_;    ///< launched since the last wait that succeeded
  std::optional<cuda_failure> failure_;  ///< of work: what ended it all
};

// ---------------------------------------------------------------------------------------- 3. is_done

/// Whether the device has got to the event; asks, and returns at once.
/// @throws cuda_failure where the work before it failed
bool is_done(cudaEvent_t event);

// ---------------------------------------------------------------------------------------- 4. elapsed_ms

/// An event, and what it was made for: the runtime does not tell afterwards.
struct event {
  cudaEvent_t handle;  ///< of the runtime
  bool timed;          ///< made with cudaEventCreate; else with cudaEventDisableTiming, to order work
};

/// The time between two events, in milliseconds; blocks until the device has got to `stop`, no longer.
/// @throws std::invalid_argument where one of them is not timed: a mistake in the program, known before any
/// CUDA call, so none is made
/// @throws cuda_failure where there is no time: the work failed, or an event was never recorded
double elapsed_ms(const event& start, const event& stop);

// ---------------------------------------------------------------------------------------- 5. resources

/// What a program holds on the device. A null pointer where there is nothing: the program may have failed
/// before it had everything.
struct resources {
  cudaStream_t stream = nullptr;  ///< its own
  cudaEvent_t start = nullptr;    ///< its own
  cudaEvent_t stop = nullptr;     ///< its own
  float* data = nullptr;          ///< memory of the device

  /// Holds nothing yet.
  resources() = default;
  /// What it holds has one owner.
  resources(const resources&) = delete;
  resources& operator=(const resources&) = delete;

  /// Gives back what there is, all of it, whatever fails on the way, and calls nothing for what is not there.
  /// Writes a line to stderr for each call that failed, with the call's name (cudaFree, ...) and the error's.
  /// Neither throws nor ends the program.
  ~resources();
};

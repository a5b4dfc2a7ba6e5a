#pragma once

#include <string>

/// A program that goes on though each of its calls fails is stopped, on either device.
namespace lab::trace {

/// The exit code where the emulator or a recorder ends the program.
inline constexpr int own_failure = 125;

inline constexpr int most_failures_in_a_row = 100'000;

/// The sentence for that. @param error the last failure's name
inline std::string endless_failures(const std::string& call, const std::string& error) {
  return "endless loop? The last 100,000 CUDA calls all failed, " + call + " with " + error +
         ": a loop that goes on until a call succeeds has to end at an error too; only cudaErrorNotReady "
         "means \"ask again\".";
}

}  // namespace lab::trace

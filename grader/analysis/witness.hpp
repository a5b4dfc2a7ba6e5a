#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hazards.hpp"

/// The schedule that turns a hazard round: what the program leaves open is taken the other way.
namespace lab::analysis {

/// What the device is told (LAB_SCHEDULE), and how a message says it: "with the upload held back until scale
/// was done". Nothing where the order of two host threads is concerned, or what a kernel does while the host
/// sees to a flag: a schedule of the device does not change that. Nor where the host's use comes after work
/// that does not wait for the first either: that would be seen. On a real GPU, also nothing for luck and
/// lifetimes: there it takes other calls than CUDA's own.
struct turn {
  std::string schedule;
  std::string text;
  bool on_real_gpu = false;  ///< it can be told so too
};
/// @param all the hazards of the run
std::optional<turn> turn_round(const recording& of, const hazard& found, const std::vector<hazard>& all);

/// Whether the two are there in the other run too and the second was done before the first began; false also
/// where the schedule could not be kept up because the program waits otherwise, or where only an answer
/// ordered the two and the program, told "not ready", goes on asking, waits, or does without the second. On a
/// real GPU, where a schedule may come to nothing, it has to be seen that a host came first, by what it
/// called next.
bool was_turned_round(const recording& original, const recording& other, const hazard& found);

/// Whether the record is whole, and the run one in the order that was asked for.
bool kept_order(const recording& of);

/// The schedule to compare with: each piece of work done before the next is submitted, as the program reads.
inline constexpr const char* submission_order = "submission";

}  // namespace lab::analysis

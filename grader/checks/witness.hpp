#pragma once

#include <analysis/hazards.hpp>
#include <string>

#include "observation.hpp"

/// A hazard shown, not suspected.
namespace lab::checks {

/// Runs the scenario again, as the program reads and with the hazard turned round, and says in a sentence
/// what that changes: "Proof: with the upload held back until scale was done, output[0] is 1, not 3, and 99
/// more are wrong."
/// "" where it changes nothing that can be seen. Blocks until both runs have ended.
std::string witness(const observation& seen, const analysis::hazard& found);

}  // namespace lab::checks

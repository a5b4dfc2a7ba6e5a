#pragma once

#include <analysis/recording.hpp>
#include <string>

#include "../files.hpp"
#include "reruns.hpp"

namespace lab::cli {

/// Says on stderr what is wrong in the run: uses of memory that nothing orders, each with the lines concerned
/// and the run in which it does harm, and what was never given back. `sources` is the folder that file names
/// in the run start from. Returns how many findings there were, with those that the device has told of
/// already.
/// @param again null where nothing is to be run in another order
/// @throws told_error where the record is not whole, and so tells nothing
int tell_findings(const analysis::recording& seen, const std::string& file, const fs::path& sources,
                  reruns* again);

}  // namespace lab::cli

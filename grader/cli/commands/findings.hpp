#pragma once

#include <analysis/recording.hpp>
#include <functional>

#include "../files.hpp"
#include "reruns.hpp"
#include "trace_file.hpp"

/// `lab run --check`: the program runs beside us and leaves a record, which is looked through afterwards.
namespace lab::cli {

/// Runs `become`, which does not return, in a child that writes its record to the file; blocks until it has
/// ended. Signals that we get are the child's too. Returns its wait status.
int run_beside(const trace_file& record, const std::function<void()>& become);

/// Says on stderr what is wrong in the run: uses of memory that nothing orders, each with the run in which it
/// does harm, and what was never given back. Returns how many there were.
int tell_findings(const analysis::recording& seen, const std::string& file, reruns& again);

/// Ends as the program did: by its signal, or with its exit code; with 1 where that was 0 and something was
/// found.
int end_as(int status, int found);

}  // namespace lab::cli

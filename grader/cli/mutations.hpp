#pragma once

#include <string>
#include <vector>

#include "course.hpp"

/// Mistakes made by machine in a lab's solution: each wait, record and edge deleted, a wait of the host
/// inserted at each place.
namespace lab::cli {

struct mutation {
  enum class kind { deletion, insertion };
  kind what;
  std::string name;  ///< "delete cudaStreamWaitEvent(b, done)", "insert f(); before g()"; unique in the lab
  std::string call;  ///< the name of the call inserted
  std::string text;  ///< of the whole solution, changed
};

/// What is asked of a lab, in grader/checks/NN_topic/mutations.txt:
///
///     delete: CALL...             statements with such a call; a record and a wait for the same event also
///     together insert: STATEMENT           before each submission of work in the solution, up to the last
///     forbidden by: CHECK         which must name each inserted call
///     harmless: NAME: REASON      a mutation that changes nothing; NAME may contain "*"
///
/// Lines with "#" in front are comments. Nothing is asked where the file is missing.
struct mutation_plan {
  struct harmless_mutation {
    std::string name, reason;
    bool covers(const mutation& made) const;
  };
  std::vector<std::string> deleted_calls;
  std::vector<std::string> inserted;
  std::string forbidding_check;
  std::vector<harmless_mutation> harmless;
};
/// @throws told_error naming the line that is not so
mutation_plan mutation_plan_in(const fs::path& file);

/// In the order of the solution's lines.
std::vector<mutation> mutations_of(const std::string& solution, const mutation_plan& plan);

}  // namespace lab::cli

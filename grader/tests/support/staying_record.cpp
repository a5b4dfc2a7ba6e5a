#include <trace/another_run.hpp>

// Stands in for the recorder on a real GPU.

bool something_is_left = false;

namespace lab::trace {

bool is_empty() {
  return true;
}

bool begin_another_run() {
  return !something_is_left;
}

}  // namespace lab::trace

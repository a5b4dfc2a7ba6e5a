#include "run.hpp"

// An object file of its own, not a member of the library: a student's own main is then a duplicate symbol,
// which the `lab` command explains, and not a silent replacement.
int main(int argc, char** argv) {
  return lab::exercise::run(argc, argv);
}

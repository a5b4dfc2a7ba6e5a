#include <cstdlib>

#include "commands.hpp"

namespace lab::cli {

void require_emulator(const std::string& option, int exit_code) {
  const char* variable = std::getenv("LAB_DEVICE");
  const auto wanted = !option.empty() || variable == nullptr ? option : std::string(variable);
  if (wanted.empty() || wanted == "auto" || wanted == "emulator") return;
  throw told_error(wanted == "cuda"
                       ? "Real GPUs are not supported yet. Leave LAB_DEVICE unset, or: LAB_DEVICE=emulator"
                       : "There is no device \"" + wanted + "\". It can be emulator or auto.",
                   wanted == "cuda" ? exit_code : exit_misuse);
}

}  // namespace lab::cli

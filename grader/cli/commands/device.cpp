#include <strings.h>

#include <cstdlib>

#include "commands.hpp"

namespace lab::cli {

bool has_gpu(const toolchain& tools) {
  return tools.cuda && (fs::exists("/dev/nvidiactl") || fs::exists("/dev/dxg"));
}

namespace {

/// The emulator in each program reads the variable, and would say the same: here it is said once.
void refuse_unknown_gpu() {
  const char* name = std::getenv("LAB_EMULATED_GPU");
  if (name == nullptr || *name == '\0') return;
  for (const char* known : {"t4", "a100", "h200"}) {
    if (strcasecmp(name, known) == 0) return;
  }
  throw told_error(
      std::string("LAB_EMULATED_GPU=") + name + " names no GPU that is emulated: t4, a100 and h200 are.",
      exit_misuse);
}

}  // namespace

device wanted_device(const toolchain& tools, const std::string& option, int exit_code) {
  refuse_unknown_gpu();
  const char* variable = std::getenv("LAB_DEVICE");
  const auto wanted = !option.empty() || variable == nullptr ? option : std::string(variable);
  if (wanted.empty() || wanted == "auto" || wanted == "emulator") return device::emulator;
  if (wanted != "cuda") {
    throw told_error("There is no device \"" + wanted + "\". It can be emulator, cuda or auto.", exit_misuse);
  }
  const std::string without = option.empty() ? "leave LAB_DEVICE unset" : "leave out --device " + option;
  if (!tools.cuda) {
    throw told_error(
        "The course was built without a CUDA Toolkit, so there is nothing that could use a real GPU. Install "
        "nvcc and "
        "CUPTI, remove " +
            tools.build_folder.string() + " and run ./lab again; or " + without + ".",
        exit_code);
  }
  if (!has_gpu(tools)) {
    throw told_error(
        "No NVIDIA driver is loaded here (there is no /dev/nvidiactl). To use the emulated GPU, " + without +
            ".",
        exit_code);
  }
  return device::cuda;
}

}  // namespace lab::cli

#include "profile.hpp"

#include <strings.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <trace/endless.hpp>

namespace lab::emulator {

namespace detail {
const device_profile* chosen = &t4;
}

void choose_gpu() {
  const char* name = std::getenv("LAB_EMULATED_GPU");
  if (name == nullptr || *name == '\0') return;
  for (const device_profile* each : profiles) {
    if (strcasecmp(each->short_name, name) != 0) continue;
    detail::chosen = each;
    return;
  }
  std::fprintf(stderr, "lab: LAB_EMULATED_GPU=%s names no GPU that is emulated: t4, a100 and h200 are.\n",
               name);
  _exit(trace::own_failure);
}

}  // namespace lab::emulator

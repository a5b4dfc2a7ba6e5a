// The kernels of a lab and of its driver (LAB_DRIVER, already translated), launched on the emulated device
// with arguments that their parameters ask for. What their annotations say goes to the test, which has the
// trace.
#include <cuda_runtime.h>

#include <cstdint>
#include <exercise/scenario.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "lab/kernel_uses.hpp"

namespace {

constexpr std::size_t most_bytes = 4096;

std::vector<char*> allocated;  // the trace numbers them alike, from 1

/// A pointer gets memory of its own, a whole number the count, any other a number that is not 1.
template <class T>
T argument(int count) {
  if constexpr (std::is_pointer_v<T>) {
    void* memory = nullptr;
    cudaMalloc(&memory, most_bytes);
    allocated.push_back(static_cast<char*>(memory));
    return static_cast<T>(memory);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(count);
  } else {
    return T(2);
  }
}

struct annotated {
  template <class... Parameters>
  annotated(const char* called, void (*kernel)(Parameters...), lab::kernel_uses::list (*uses)(Parameters...))
      : name(called), launch([kernel, uses](int count) {
          std::tuple<Parameters...> arguments{argument<Parameters>(count)...};
          const auto start = [&](auto&... each) {
            void* pointers[] = {&each...};
            cudaLaunchKernel(kernel, dim3(2), dim3(256), pointers);
            return uses(each...);
          };
          return std::apply(start, arguments);
        }) {
    all().push_back(*this);
  }

  static std::vector<annotated>& all() {
    static std::vector<annotated> instance;
    return instance;
  }

  std::string name;
  std::function<lab::kernel_uses::list(int count)> launch;
};

}  // namespace

// The kernel is kept too, which the recorder has no need of.
#undef KERNEL_USES
#define KERNEL_USES(kernel, parameters, ...)                 \
  static ::lab::kernel_uses::list kernel##_uses parameters { \
    using namespace ::lab::kernel_uses;                      \
    return {{__VA_ARGS__}};                                  \
  }                                                          \
  static const annotated kernel##_annotated(#kernel, &kernel, &kernel##_uses)

#include LAB_DRIVER

SCENARIO(annotated_kernels) {
  int launches = 0;
  for (const auto& kernel : annotated::all()) {
    for (const int count : {0, 2, 257}) {
      std::vector<std::int64_t> said;  // allocation, begin, end and whether it is written, of each use
      const auto uses = kernel.launch(count);
      for (const auto& use : uses.all) {
        for (std::size_t i = 0; i < allocated.size(); ++i) {
          const auto offset = static_cast<const char*>(use.begin) - allocated[i];
          if (use.bytes == 0 || offset < 0 || offset >= static_cast<std::int64_t>(most_bytes)) continue;
          const auto end = offset + static_cast<std::int64_t>(use.bytes);
          if (use.reads) said.insert(said.end(), {static_cast<std::int64_t>(i) + 1, offset, end, 0});
          if (use.writes) said.insert(said.end(), {static_cast<std::int64_t>(i) + 1, offset, end, 1});
        }
      }
      const std::string number = std::to_string(launches++);
      out.text(("kernel " + number).c_str(), kernel.name + " of " + std::to_string(count));
      out.buffer(("uses " + number).c_str(), said.data(), said.size());
    }
  }
  out.integer("launches", launches);
  cudaDeviceSynchronize();
}

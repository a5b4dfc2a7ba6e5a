#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "translate.hpp"

/// How much CPU time a source of a thousand lines takes; fails at ten times what an idle machine needs, so
/// that only a change of kind fails it.
int main() {
  std::string source = "#include <cstdio>\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    source += "template <typename T>\n__global__ void scale_" + n + "(T* values, T factor, int count) {\n" +
              "  __shared__ T tile[256];\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
              "  if (i < count) values[i] *= factor;\n}\n\nvoid run_" + n + "(float* values, int count) {\n" +
              "  scale_" + n +
              "<<<(count + 255) / 256, 256>>>(values, 2.0f, count);  // a comment, as programs have\n}\n";
  }
  std::vector<double> milliseconds;
  for (int i = 0; i < 21; ++i) {
    const std::clock_t begin = std::clock();
    const auto done = lab::emulator::translate::translate_text(source, "nowhere/a.cu", {});
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    if (!done.errors.empty()) return std::puts(to_string(done.errors[0]).c_str()), 1;
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("1000 lines translate in %.2f ms (median of %zu)\n", milliseconds[10], milliseconds.size());
  return milliseconds[10] < 30 ? 0 : 1;
}

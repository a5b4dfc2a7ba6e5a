# What the compiler warns of in the user's own file is told, each time; a forgotten return in a lab's file is an error.
. "$(dirname "$0")/library.sh"

cat >careless.cu <<'END'
#include <cuda_runtime.h>
int positive(int x) { if (x > 0) return 1; }
template <class T> T same(T x) { if (x = 0) return 1; return x; }
__global__ void nothing(int n) { if (n = 3) return; }
int main() {
  int unused = 0;
  nothing<<<1, 1>>>(1);
  cudaError_t status;
  if (status = cudaDeviceSynchronize()) return 1;
  return positive(1) - 1 + same(0) + same(0l);
}
END
try 0 "$LAB_CLI" run careless.cu
err_has "lab: careless.cu:2:44: warning:"
err_has "int positive(int x) { if (x > 0) return 1; }"
err_has "lab: careless.cu:3:40: warning:"
err_has "lab: careless.cu:4:40: warning:"
same "$(grep -c warning: err)" 3 "warnings"
err_lines 9
mv err first
try 0 "$LAB_CLI" run careless.cu
cmp -s first err || red "built before, it warns of something else: $(diff first err)"
try 0 "$LAB_CLI" run --quiet careless.cu
same "$(cat err)" "" "stderr with --quiet"

# In a lab, before the verdict.
sed '0,/if (submit/s/if (submit(stream) != cudaSuccess) return std::nullopt;/cudaError_t how; if (how = submit(stream)) return std::nullopt;/' "$solution" >assigns.cu
for round in new cached; do
  try 0 "$LAB_CLI" check 1 --file assigns.cu
  out_has "assigns.cu:"
  out_has "[-Wparentheses]"
  out_has "if (how = submit(stream))"
  "$LAB_CLI" check 1 --file assigns.cu --format json | grep -q '"warnings": \[' || red "no warnings in the JSON report"
done
"$LAB_CLI" check 1 --solutions --format json | grep -q '"warnings"' && red "a warning about the solution"

awk '/^std::optional<double> host_ms\(/ { print; print "  if (submit(stream) == cudaSuccess) return 1.0;"; print "}"; skipping = 1 }
     !skipping { print } /^}/ { skipping = 0 }' "$solution" >forgets.cu
try 2 "$LAB_CLI" check 1 --file forgets.cu
out_has "forgets.cu:$(grep -n -A2 '^std::optional<double> host_ms(' forgets.cu | tail -n 1 | cut -d- -f1):1: error:"
out_has "non-void function"
left_clean
finish

# `lab run`: the program's output, arguments, exit code and signals are its own.
. "$(dirname "$0")/library.sh"

cat >echo.cu <<'END'
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
  std::fprintf(stderr, "its own stderr\n");
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
END
try 42 "$LAB_CLI" run echo.cu -- 42 "two words" --quiet -- ""
same "$(cat out)" "[42][two words][--quiet][--][]" "arguments"
same "$(cat err)" "its own stderr" "stderr"
try 0 "$LAB_CLI" run --quiet --device emulator echo.cu
same "$(cat err)" "its own stderr" "stderr with --quiet"

cat >input.cu <<'END'
#include <cstdio>
int main() { for (int c; (c = std::getchar()) != EOF;) std::putchar(c); }
END
"$LAB_CLI" run input.cu </etc/passwd >out 2>err
cmp -s out /etc/passwd || red "stdin does not reach the program"
"$LAB_CLI" run input.cu </etc/passwd 2>err | head -c 1 >/dev/null || red "a closed pipe is an error of ours"

cat >killed.cu <<'END'
#include <csignal>
int main() { std::raise(SIGKILL); }
END
try 137 bash -c '"$LAB_CLI" run killed.cu; exit $?'

cat >kernel.cu <<'END'
#include <cuda_runtime.h>
#include <cstdio>
__global__ void fill(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
int main() {
  int* x = nullptr;
  int host[1000];
  cudaMalloc(&x, sizeof host);
  fill<<<4, 256>>>(x, 1000);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", host[999], cudaGetErrorString(cudaGetLastError()));
}
END
try 0 "$LAB_CLI" run kernel.cu
same "$(cat out)" "999 no error" "a kernel's result"

# Our own failures: 125, and one sentence.
try 125 "$LAB_CLI" run missing.cu
err_lines 1
try 125 "$LAB_CLI" run .
err_has "is a folder"
: >empty.cu
try 125 "$LAB_CLI" run empty.cu
err_has "is empty"
head -c 10000000 /dev/zero >large.cu
try 125 "$LAB_CLI" run large.cu
err_has "MiB"
head -c 5000 /dev/urandom >garbage.cu
try 125 "$LAB_CLI" run garbage.cu
err_lines 3
mkfifo pipe.cu
try 125 timeout 10 "$LAB_CLI" run pipe.cu
err_has "not a plain file"
echo 'int f() { return 0; }' >no_main.cu
try 125 "$LAB_CLI" run no_main.cu
err_has "has no main()"
printf '#include <vector>\nint main() {\n  std::vector<int> v;\n  v.push_bakc(1);\n}\n' >typo.cu
try 125 "$LAB_CLI" run typo.cu
err_has "typo.cu:4:5: error:"
err_has "push_bakc"
err_lines 3
printf '#include "part.h"\nint main() { return three(); }\n' >two.cu
printf '#pragma once\ninline int three() { return 3; }\n' >part.h
try 3 "$LAB_CLI" run two.cu
printf '#pragma once\ninline int three() { return 4; }\n' >part.h
try 4 "$LAB_CLI" run two.cu
try 64 "$LAB_CLI" run
try 64 "$LAB_CLI" run echo.cu stray
if [ ! -e /dev/nvidiactl ]; then
  try 125 "$LAB_CLI" run --device cuda echo.cu
  err_has "leave out --device cuda"
  LAB_DEVICE=cuda try 125 "$LAB_CLI" run echo.cu
  err_has "leave LAB_DEVICE unset"
  try 125 "$LAB_CLI" run --device cuda mistyped.cu
  err_has "mistyped.cu"
fi
cat >name.cu <<'CUDA'
#include <cuda_runtime.h>
#include <cstdio>
int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  std::puts(device.name);
}
CUDA
try 0 "$LAB_CLI" run name.cu
out_has "Emulated Tesla T4"
LAB_EMULATED_GPU=h200 try 0 "$LAB_CLI" check 1 --file "$solution"
out_has "emulated H200, virtual time"
LAB_EMULATED_GPU=a100 try 0 "$LAB_CLI" run name.cu
out_has "Emulated A100-SXM4-40GB"
LAB_EMULATED_GPU=t4 try 0 "$LAB_CLI" run name.cu
LAB_EMULATED_GPU=H200 try 0 "$LAB_CLI" run name.cu
out_has "Emulated H200"
cat >uses.cu <<'CUDA'
#include <cuda_runtime.h>
#include <lab/kernel_uses.hpp>
__global__ void clear(int* to) { *to = 0; }
KERNEL_USES(clear, (int* to), writes(to, 1), writes(to, 1), writes(to, 1), writes(to, 1), writes(to, 1), writes(to, 1), writes(to, 1));
int main() {}
CUDA
try 125 "$LAB_CLI" run uses.cu
err_has "KERNEL_USES takes at most six stretches of memory"
LAB_EMULATED_GPU=h300 try 64 "$LAB_CLI" run name.cu
err_has "LAB_EMULATED_GPU=h300 names no GPU that is emulated: t4, a100 and h200 are."
LAB_EMULATED_GPU=h300 try 64 "$LAB_CLI" check 1 --file "$solution"
err_lines 1

# Of the programs that were built, those not used for longest go once there are many; none that is being run.
mkfifo go
cat >stays.cu <<'CUDA'
#include <cuda_runtime.h>
#include <fstream>
#include "waits.hpp"
int main() {
  cudaFree(nullptr);
  if (!waits) return 3;
  std::ifstream go("go");
  std::string word;
  return !(go >> word);
}
CUDA
echo "constexpr bool waits = true;" >waits.hpp
"$LAB_CLI" run --timeline stays.html stays.cu >"$work/stays.out" 2>&1 &
staying=$!
for _ in $(seq 200); do
  program=$(grep -lz "^LAB_STATE=$LAB_STATE" /proc/[0-9]*/environ 2>/dev/null | sed 's/environ$/exe/' | xargs -r readlink | grep '/program$')
  [ -n "$program" ] && break
  sleep 0.1
done
entry=$(dirname "$program")
for number in $(seq 100); do mkdir -p "$build/programs/unused-$number"; touch -d 2000-01-01 "$build/programs/unused-$number"; done
touch -d 1999-01-01 "$entry"
echo "int main() { return $(date +1%N) == 0; }" >another.cu
try 0 "$LAB_CLI" run another.cu
before=$(stat -c %i "$entry/program" 2>/dev/null)
echo "constexpr bool waits = false;" >waits.hpp
try 3 "$LAB_CLI" run stays.cu
same "$(stat -c %i "$entry/program" 2>/dev/null)" "${before:-a program}" "the program that is being run"
[ ! -e "$build/programs/unused-1" ] || red "what nobody uses stays"
echo on >go
wait $staying || red "the program that was being run: $(cat "$work/stays.out")"
rm -rf "$build/programs/unused-"*

left_clean
finish

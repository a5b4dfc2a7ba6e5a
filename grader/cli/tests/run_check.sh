# `lab run --check`: any program, and then what is wrong in it, on stderr; its own output and end stay its own.
. "$(dirname "$0")/library.sh"

program() { # NAME, with the lines between the upload and the kernel from stdin
  {
    cat <<'CU'
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(float* data) { data[threadIdx.x] += 1; }
int main(int argc, char**) {
  float *host, *device;
  cudaStream_t one, two;
  cudaEvent_t event;
  cudaMallocHost(&host, 1024);
  cudaMalloc(&device, 1024);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  for (int i = 0; i < 256; ++i) host[i] = 1;
  cudaMemcpyAsync(device, host, 1024, cudaMemcpyHostToDevice, one);
CU
    cat
    cat <<'CU'
  add<<<1, 256, 0, two>>>(device);
  cudaMemcpyAsync(host, device, 1024, cudaMemcpyDeviceToHost, two);
  cudaStreamSynchronize(two);
  cudaStreamSynchronize(one);
  std::printf("%g\n", host[0]);
  cudaEventDestroy(event);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(device);
  cudaFreeHost(host);
  return argc - 1;
}
CU
  } >"$1.cu"
}

printf '  cudaEventRecord(event, one);\n  cudaStreamWaitEvent(two, event);\n' | program ordered
try 0 "$LAB_CLI" run --check ordered.cu
out_has "2"
err_has "between them all uses of memory are ordered, nothing leaks"
try 2 "$LAB_CLI" run --check ordered.cu -- a b

printf '  cudaStreamWaitEvent(two, event);\n  cudaEventRecord(event, one);\n' | program swapped
try 1 "$LAB_CLI" run --check swapped.cu
err_has "race: add (swapped.cu:17, stream 2) reads bytes 0 to 1024 of the device memory allocated at swapped.cu:9"
err_has "cudaStreamWaitEvent (swapped.cu:15) was called before the event was recorded (swapped.cu:16), so it waits for nothing."
err_has 'proof: with the upload held back until add was done, line 1 of its output is "1", not "2"'
try 3 "$LAB_CLI" run --check swapped.cu -- a b c
err_has "race: "
try 0 "$LAB_CLI" run swapped.cu
err_lacks "race"

# A launch of several lines is quoted from its first one, whichever of them the compiler calls its line.
sed 's/^  add<<<.*/  add<<<1,\n        256, 0,\n        two>>>(\n      device);/' swapped.cu >wrapped.cu
try 1 "$LAB_CLI" run --check wrapped.cu
grep -A 3 -E '^     add +wrapped.cu:[0-9]+  add<<<1,$' err | tr -s '\n ' ' ' | grep -qF 'add<<<1, 256, 0, two>>>( device);' ||
  red "the launch is not quoted: $(cat err)"

cat >pool.cu <<'CU'
#include <cuda_runtime.h>
__global__ void set(int* data) { *data = 1; }
int main(int argc, char**) {
  cudaStream_t one, two;
  cudaEvent_t event;
  int* data;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaMallocAsync(&data, 4, one);
  if (argc == 2) cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event);
  set<<<1, 1, 0, two>>>(data);
  if (argc == 2) cudaEventRecord(event, two);
  cudaStreamWaitEvent(one, event);
  cudaFreeAsync(data, one);
  cudaDeviceSynchronize();
  cudaEventDestroy(event);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
CU
try 0 "$LAB_CLI" run --check pool.cu -- ordered
err_has "between them all uses of memory are ordered, nothing leaks"
try 1 "$LAB_CLI" run --check pool.cu
err_has "lifetime: set (pool.cu:13, stream 2) writes bytes 0 to 4 of the device memory allocated at pool.cu:10, which cudaMallocAsync (pool.cu:10, stream 1) may not have allocated by then. cudaStreamWaitEvent (pool.cu:12) is given an event that was never recorded, so it waits for nothing."
err_has "lifetime: cudaFreeAsync (pool.cu:16, stream 1) frees the device memory allocated at pool.cu:10 while set (pool.cu:13, stream 2) may still be writing it."

printf '#include <cuda_runtime.h>\nint main() {\n  int* data;\n  cudaMalloc(&data, 4);\n}\n' >leak.cu
try 1 "$LAB_CLI" run --check leak.cu
err_has "leak: device memory from leak.cu:4 is never given back"
# Times that a program prints are no proof of anything.
cat >times.cu <<'CU'
#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
__global__ void store(int* data, int value) { *data = value; }
int main() {
  const auto begin = std::chrono::steady_clock::now();
  int* data;
  cudaMalloc(&data, 4);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  store<<<1, 1, 0, one>>>(data, 5);
  store<<<1, 1, 0, two>>>(data, 5);
  cudaDeviceSynchronize();
  std::printf("%lld\n", (std::chrono::steady_clock::now() - begin).count());
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(data);
}
CU
try 1 "$LAB_CLI" run --check times.cu
err_has "race: "
err_lacks "proof"
# The runs that prove something leave the program's files as its own run has left them.
{
  sed '/^int main/,$d; s/<cstdio>/<cstdio>\n#include <fcntl.h>\n#include <unistd.h>\n#include <fstream>/' times.cu
  cat <<'CU'
int main() {
  int *data, result = 0, runs = 0;
  cudaMalloc(&data, 4);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  store<<<1, 1, 0, one>>>(data, 5);
  store<<<1, 1, 0, two>>>(data, 6);
  cudaDeviceSynchronize();
  cudaMemcpy(&result, data, 4, cudaMemcpyDeviceToHost);
  std::ofstream("stream.txt") << result << "\n";
  std::ofstream("appended.txt", std::ios::app) << "a run\n";
  std::FILE* file = std::fopen("stdio.txt", "w+");
  std::fprintf(file, "%d\n", result);
  std::rewind(file);
  std::fscanf(file, "%d", &runs);
  std::fclose(file);
  const int descriptor = open("posix.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const char digit = static_cast<char>('0' + result);
  if (write(descriptor, &digit, 1) != 1) return 1;
  close(descriptor);
  std::ofstream("new.txt") << result;
  std::rename("new.txt", "renamed.txt");
  int back = 0;
  std::ifstream("renamed.txt") >> back;
  if (result == 5) std::remove("kept.txt");
  std::printf("%d %d %d\n", result, runs, back);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(data);
}
CU
} >files.cu
echo kept >kept.txt
try 1 "$LAB_CLI" run --check files.cu
err_has 'line 1 of its output is "5 5 5", not "6 6 6"'
holds() { [ "$(cat "$1")" = "$2" ] || red "$1 holds \"$(cat "$1")\", not \"$2\""; }
holds stream.txt 6
holds appended.txt "a run"
holds stdio.txt 6
holds posix.txt 6
holds renamed.txt 6
holds kept.txt kept

# A program that does not end when it runs as it reads, or ends otherwise, is checked all the same.
sed 's/  cudaDeviceSynchronize();/  if (std::fgetc(stdin) < 0) { std::puts("no letter"); return 3; }\n&/' times.cu >asks.cu
printf 'x' >letter
try 1 "$LAB_CLI" run --check asks.cu <letter
err_has "race: "
err_lacks "proof"

printf '#include <cstdlib>\nint main() { std::abort(); }\n' >abort.cu
try 134 "$LAB_CLI" run --check abort.cu
# What never began is not called right.
try 125 env LAB_SCHEDULE=nonsense "$LAB_CLI" run --check abort.cu
err_has "is no schedule"
err_lacks "are ordered"
cat >vanish.cu <<'CU'
int main() { asm volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11"); }
CU
try 125 "$LAB_CLI" run --check vanish.cu
err_has "left no record"
finish

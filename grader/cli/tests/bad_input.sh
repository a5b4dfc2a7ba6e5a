# Programs far from any exercise, with `lab run` and `lab run --check`: an answer or a limit that says so, soon.
. "$(dirname "$0")/library.sh"

program() { # NAME, with what main does on stdin
  {
    printf '#include <cuda_runtime.h>\n#include <vector>\n__global__ void add(int* data) { atomicAdd(data, 1); }\n'
    printf 'int main() {\n'
    cat
    printf '}\n'
  } >"$1.cu"
}

soon() { # CODE COMMAND...: within 60 s on a busy machine
  local code=$1
  shift
  try "$code" timeout -s KILL 60 "$@"
}

program streams <<'CU'
  std::vector<cudaStream_t> streams(5000);
  int* data;
  cudaMalloc(&data, 4);
  cudaMemset(data, 0, 4);
  for (auto& each : streams) cudaStreamCreate(&each);
  for (auto& each : streams) {
    add<<<1, 1, 0, each>>>(data);
    add<<<1, 1>>>(data);
  }
  cudaDeviceSynchronize();
  for (auto& each : streams) cudaStreamDestroy(each);
  cudaFree(data);
CU
soon 0 "$LAB_CLI" run streams.cu
soon 0 "$LAB_CLI" run --check streams.cu
err_has "between them all uses of memory are ordered, nothing leaks"

program records <<'CU'
  cudaEvent_t event;
  cudaStream_t stream;
  cudaEventCreate(&event);
  cudaStreamCreate(&stream);
  for (int i = 0; i < 1000000; ++i) cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
CU
soon 0 "$LAB_CLI" run records.cu
soon 0 "$LAB_CLI" run --check records.cu
err_has "1000000 pieces of work; between them all uses of memory are ordered, nothing leaks"

program operations <<'CU'
  std::vector<cudaStream_t> streams(32);
  int* data;
  cudaMalloc(&data, 32 * 256);
  cudaMemset(data, 0, 32 * 256);
  cudaDeviceSynchronize();
  for (auto& each : streams) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  for (int i = 0; i < 100000; ++i) add<<<1, 1, 0, streams[i % 32]>>>(data + i % 32 * 64);
  cudaDeviceSynchronize();
  for (auto& each : streams) cudaStreamDestroy(each);
  cudaFree(data);
CU
soon 0 "$LAB_CLI" run --check operations.cu
err_has "100001 pieces of work; between them all uses of memory are ordered, nothing leaks"

program without_end <<'CU'
  cudaEvent_t event;
  cudaEventCreate(&event);
  for (;;) cudaEventRecord(event);
CU
soon 125 "$LAB_CLI" run --check without_end.cu
err_has "the record of the run is full"
err_has "without_end.cu did not come to its end: only the "
err_lacks "leak"
soon 125 "$LAB_CLI" run without_end.cu
err_has "endless loop? The program has made 16 million CUDA calls"

program lost_events <<'CU'
  for (int i = 0; i < 1000; ++i) {
    cudaEvent_t event;
    cudaEventCreate(&event);
  }
CU
soon 1 "$LAB_CLI" run --check lost_events.cu
err_has "leak: event from lost_events.cu:7 is never given back, 1000 times"
err_lines 1

program destroyed <<'CU'
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventDestroy(event);
  cudaEventSynchronize(event);
CU
soon 1 "$LAB_CLI" run --check destroyed.cu
err_has "destroyed.cu:8: cudaEventSynchronize was given an event that cudaEventDestroy had destroyed"
err_lacks "between them all uses of memory are ordered"
finish

// Asks the device what it is, and checks that the answers hang together.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

__global__ void __launch_bounds__(256, 2) some_kernel(float *x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }

int main()
{
    int count = 0, device = -1, value = 0;
    gpuErrchk(cudaGetDeviceCount(&count));
    gpuErrchk(cudaGetDevice(&device));
    printf("devices: %s, current: %d\n", count > 0 ? "some" : "none", device);

    cudaDeviceProp p;
    gpuErrchk(cudaGetDeviceProperties(&p, device));
    printf("has a name: %s\n", std::strlen(p.name) > 3 ? "yes" : "no");
    printf("compute capability at least 7.5: %s\n", p.major * 10 + p.minor >= 75 ? "yes" : "no");
    printf("warp %d, largest block %d (%d, %d, %d)\n", p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("largest grid (%d, %d, %d)\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("shared memory per block %zu KiB, constant memory %zu KiB\n", p.sharedMemPerBlock >> 10, p.totalConstMem >> 10);

    struct { cudaDeviceAttr which; long long expected; const char *name; } attributes[] = {
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount, "multiprocessors"},
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock, "threads per block"},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock, "shared memory"},
        {cudaDevAttrComputeCapabilityMajor, p.major, "major"},
        {cudaDevAttrL2CacheSize, p.l2CacheSize, "L2"},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor, "threads per multiprocessor"},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount, "copy engines"},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels, "concurrent kernels"},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing, "unified addressing"},
    };
    for (auto &a : attributes) {
        gpuErrchk(cudaDeviceGetAttribute(&value, a.which, device));
        printf("%s: %s\n", a.name, value == a.expected ? "agree" : "disagree");
    }

    size_t free_bytes, total_bytes;
    gpuErrchk(cudaMemGetInfo(&free_bytes, &total_bytes));
    printf("memory: %s\n", free_bytes < total_bytes && total_bytes <= p.totalGlobalMem ? "agree" : "disagree");

    int min_grid = 0, block = 0, blocks = 0;
    gpuErrchk(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, some_kernel, 0, 0));
    gpuErrchk(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, some_kernel, 256, 0));
    printf("occupancy: %s\n", min_grid >= p.multiProcessorCount && block >= 32 && block <= 1024 &&
           blocks * 256 <= p.maxThreadsPerMultiProcessor && blocks > 0 ? "plausible" : "odd");
    int driver = 0, runtime = 0;
    gpuErrchk(cudaDriverGetVersion(&driver));
    gpuErrchk(cudaRuntimeGetVersion(&runtime));
    printf("versions: %s\n", driver >= runtime && runtime == CUDART_VERSION ? "agree" : "disagree");
    printf("no such device: %s\n", cudaGetErrorName(cudaGetDeviceProperties(&p, 99)));
    return 0;
}

// Histogram: atomics on shared memory within a block, then on global memory.
#include <cstdint>
#include <cstdio>
#include <cstring>

static const int BINS = 64;

__global__ void histogram_global(const uint8_t *data, int n, unsigned *bins)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        atomicAdd(&bins[data[i] % BINS], 1u);
}

__global__ void histogram_shared(const uint8_t *data, int n, unsigned *bins)
{
    __shared__ unsigned local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        atomicAdd(local + data[i] % BINS, 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b] != 0) atomicAdd(bins + b, local[b]);
}

__global__ void extremes(const unsigned *bins, unsigned *least, unsigned *most, int *winner)
{
    atomicMin(least, bins[threadIdx.x]);
    atomicMax(most, bins[threadIdx.x]);
    __syncthreads();
    if (bins[threadIdx.x] == *most) atomicCAS(winner, -1, static_cast<int>(threadIdx.x));
}

int main()
{
    const int n = 300000;
    uint8_t *h = new uint8_t[n];
    unsigned seed = 1;
    unsigned expected[BINS] = {};
    for (int i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        h[i] = static_cast<uint8_t>(seed >> 24);
        if (h[i] > 200) h[i] = 7;
        expected[h[i] % BINS]++;
    }

    uint8_t *d;
    unsigned *bins, *extreme;
    int *winner;
    cudaMalloc(&d, n);
    cudaMalloc(&bins, 2 * sizeof expected);
    cudaMalloc(&extreme, 2 * sizeof(unsigned));
    cudaMalloc(&winner, sizeof(int));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, 2 * sizeof expected);
    histogram_global<<<32, 128>>>(d, n, bins);
    histogram_shared<<<32, 128>>>(d, n, bins + BINS);

    unsigned result[2][BINS];
    cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
    printf("global atomics: %s\n", memcmp(result[0], expected, sizeof expected) == 0 ? "match" : "differ");
    printf("shared atomics: %s\n", memcmp(result[1], expected, sizeof expected) == 0 ? "match" : "differ");

    const unsigned start[2] = {0xffffffffu, 0};
    int best = -1;
    cudaMemcpy(extreme, start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemcpy(winner, &best, sizeof best, cudaMemcpyHostToDevice);
    extremes<<<1, BINS>>>(bins, extreme, extreme + 1, winner);
    unsigned got[2];
    cudaMemcpy(got, extreme, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(&best, winner, sizeof best, cudaMemcpyDeviceToHost);
    printf("least %u, most %u in bin %d\n", got[0], got[1], best);

    cudaFree(d); cudaFree(bins); cudaFree(extreme); cudaFree(winner);
    delete[] h;
    return 0;
}

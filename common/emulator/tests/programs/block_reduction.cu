/*
 * Sum of an array by a tree in dynamic shared memory, twice: blocks, then the blocks' sums.
 * Plain C where CUDA allows it.
 */
#include <stdio.h>
#include <stdlib.h>

__global__ void reduce(const unsigned int *in, unsigned int *out, unsigned int n)
{
    extern __shared__ unsigned int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    unsigned int sum = (i < n) ? in[i] : 0;

    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] = sum = sum + sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

static unsigned int sum_on_device(const unsigned int *h, unsigned int n)
{
    const unsigned int threads = 256;
    unsigned int blocks = (n + 2 * threads - 1) / (2 * threads);
    unsigned int *d_in = NULL, *d_out = NULL, total = 0;

    if (cudaMalloc((void **)&d_in, n * sizeof *d_in) != cudaSuccess ||
        cudaMalloc((void **)&d_out, blocks * sizeof *d_out) != cudaSuccess) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    cudaMemcpy(d_in, h, n * sizeof *h, cudaMemcpyHostToDevice);
    while (n > 1) {
        unsigned int *swap;
        blocks = (n + 2 * threads - 1) / (2 * threads);
        reduce<<<blocks, threads, threads * sizeof(unsigned int)>>>(d_in, d_out, n);
        n = blocks;
        swap = d_in; d_in = d_out; d_out = swap;
    }
    cudaMemcpy(&total, d_in, sizeof total, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return total;
}

int main(void)
{
    static const unsigned int sizes[] = { 1, 2, 31, 32, 33, 511, 512, 513, 100000, 1 << 20 };
    unsigned int s, i;

    for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned int n = sizes[s], expected = 0, got;
        unsigned int *h = (unsigned int *)malloc(n * sizeof *h);
        for (i = 0; i < n; i++)
            expected += h[i] = i * 2654435761u;
        got = sum_on_device(h, n);
        printf("n = %7u  sum = %10u  %s\n", n, got, got == expected ? "ok" : "MISMATCH");
        free(h);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

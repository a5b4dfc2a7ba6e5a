// Two kernels at the same time: one waits for what the other writes, through device memory; then the last block of a
// grid finds out that it is the last.
#include <cstdio>

__device__ volatile int mailbox;
__device__ unsigned int blocks_done;

__global__ void receiver(int *answer)
{
    while (mailbox == 0) { }
    __threadfence();
    *answer = mailbox + 1;
}

__global__ void sender(int value)
{
    __threadfence();
    mailbox = value;
}

__global__ void sum_in_one_launch(const int *in, unsigned n, volatile int *partial, int *total)
{
    __shared__ int s[128];
    __shared__ bool last;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    s[threadIdx.x] = sum;
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) all += partial[b];
        *total = all;
        blocks_done = 0;
    }
}

int main()
{
    int zero = 0, *answer, result = 0;
    unsigned int none = 0;
    cudaMemcpyToSymbol(mailbox, &zero, sizeof zero);
    cudaMemcpyToSymbol(blocks_done, &none, sizeof none);
    cudaMalloc(&answer, sizeof(int));
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    sender<<<1, 1, 0, b>>>(0);  // so that both kernels are loaded
    cudaDeviceSynchronize();
    receiver<<<1, 1, 0, a>>>(answer);
    sender<<<1, 1, 0, b>>>(41);
    cudaDeviceSynchronize();
    cudaMemcpy(&result, answer, sizeof result, cudaMemcpyDeviceToHost);
    printf("answer %d\n", result);

    const int n = 50000, blocks = 20;
    int *h = new int[n], *in, *partial, *total;
    int expected = 0;
    for (int i = 0; i < n; ++i) expected += h[i] = i % 7;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&partial, blocks * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int round = 0; round < 2; ++round) {
        sum_in_one_launch<<<blocks, 128>>>(in, n, partial, total);
        cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
        printf("round %d: %s\n", round, result == expected ? "right" : "wrong");
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    delete[] h;
}

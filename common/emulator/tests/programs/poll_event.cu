// The host does work of its own and looks now and then whether the GPU has finished.
#include <cstdio>

#define TRY(x) if ((x) != cudaSuccess) { std::printf("failed: %s\n", #x); return 1; }

__global__ void busy(long long cycles, int *done)
{
    long long t0 = clock64();
    while (clock64() - t0 < cycles) { }
    *done = 1;
}

int main()
{
    int *d_done, h_done = 0;
    cudaEvent_t finished;
    TRY(cudaMalloc(&d_done, sizeof(int)))
    TRY(cudaMemset(d_done, 0, sizeof(int)))
    TRY(cudaEventCreate(&finished))

    busy<<<1, 1>>>(20 * 1000 * 1000, d_done);
    TRY(cudaEventRecord(finished))

    unsigned long counter = 0;
    cudaError_t state;
    while ((state = cudaEventQuery(finished)) == cudaErrorNotReady)
        counter++;
    TRY(state)

    TRY(cudaMemcpy(&h_done, d_done, sizeof h_done, cudaMemcpyDeviceToHost))
    std::printf("CPU polled %s times while waiting for the GPU\n", counter > 100 ? "many" : "few");
    std::printf("done = %d, last error: %s\n", h_done, cudaGetErrorName(cudaGetLastError()));
    TRY(cudaEventDestroy(finished))
    TRY(cudaFree(d_done))
    return 0;
}

// A kernel that waits until the host says go, through a flag in mapped memory; and answers the same way.
#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
#include <thread>

__global__ void wait_for_host(volatile int *go, volatile int *answer)
{
    while (*go == 0)
        ;
    *answer = *go * 2;
    __threadfence_system();
}

int main()
{
    int *flags;
    volatile int *h_flags;
    cudaHostAlloc((void **)&flags, 2 * sizeof(int), cudaHostAllocMapped);
    h_flags = flags;
    h_flags[0] = h_flags[1] = 0;

    int *d_flags;
    cudaHostGetDevicePointer((void **)&d_flags, flags, 0);
    wait_for_host<<<1, 1>>>(d_flags, d_flags + 1);
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("running: %s\n", cudaGetErrorName(cudaStreamQuery(0)));

    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    printf("still running: %s, answer %d\n", cudaGetErrorName(cudaStreamQuery(0)), h_flags[1]);

    h_flags[0] = 21;
    while (h_flags[1] == 0)  // the host waits in its turn, without any call
        ;
    printf("answer %d\n", h_flags[1]);
    printf("finished: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFreeHost(flags);
    return 0;
}

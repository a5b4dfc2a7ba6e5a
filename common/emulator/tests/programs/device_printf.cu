// printf in kernels: what it prints appears at the next synchronization, in the order of one thread.
#include <cstdio>

struct point { float x, y; };

__global__ void hello(const char *unused, point p, double d)
{
    (void)unused;
    if (threadIdx.x % 2 == 0)
        printf("block %u, thread %u: (%.1f, %g) %5.2f|%-6d|%c|%s|%#x|%llu|%%\n", blockIdx.x, threadIdx.x, p.x, p.y, d,
               -7, 'c', "text", 255, 1ULL << 40);
}

__global__ void countdown(int from)
{
    for (int i = from; i > 0; --i) printf("%d ", i);
    printf("lift-off\n");
}

int main()
{
    printf("before\n");
    fflush(stdout);
    hello<<<1, 4>>>(nullptr, point{1.5f, 0.25f}, 3.14159);
    cudaDeviceSynchronize();
    printf("between\n");
    fflush(stdout);
    countdown<<<1, 1>>>(5);
    cudaStreamSynchronize(0);
    printf("after\n");
    return 0;
}

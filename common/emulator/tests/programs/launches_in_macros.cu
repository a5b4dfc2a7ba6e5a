// Launches in places that are hard to find: macros, several lines, comments, conditions, tables, lambdas.
#include <cstdio>

#define BLOCKS(n, t) (((n) + (t) - 1) / (t))
#define LAUNCH(kernel, n, stream, ...) \
    kernel<<<BLOCKS(n, 64), 64, 0, (stream)>>>(__VA_ARGS__)
#define LAUNCH_AND_CHECK(name, grid, block, args)                                    \
    do {                                                                             \
        name<<<grid, block>>> args;                                                  \
        cudaError_t e = cudaGetLastError();                                          \
        printf("%s: %s\n", #name, cudaGetErrorName(e));                              \
    } while (0)
#define KERNEL(name, expression)                               \
    __global__ void name(int *data, int n)                     \
    {                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;         \
        if (i < n) data[i] = (expression);                     \
    }

KERNEL(store_index, i)
KERNEL(double_all, data[i] * 2)
KERNEL(add_thousand, data[i] + 1000)

template <int A, bool B>
__global__ void add_constant(int *data, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) data[i] += B ? A : -A;
}

typedef void (*kernel_type)(int *, int);

int main()
{
    const int n = 1000;
    int *data;
    cudaStream_t stream;
    cudaMalloc(&data, n * sizeof *data);
    cudaStreamCreate(&stream);

    LAUNCH(store_index, n, stream, data, n);
    LAUNCH_AND_CHECK(double_all, BLOCKS(n, 128), 128, (data, n));

    // in a comment: double_all<<<1, 1>>>(data, n);
    const char *text = "in a string: double_all<<<1, 1>>>(data, n)";
    if (n > 10) add_thousand<<<BLOCKS(n, 32), 32>>>(data, n); else double_all<<<1, 1>>>(data, n);

    add_constant<(3 > 2) ? 7 : 8, (1 < 2)>
        <<<
            dim3(4, 1, 1),   // grid
            dim3(32),        /* block */
            0,
            stream
        >>>(
            data,
            n);

    kernel_type table[] = {store_index, double_all};
    kernel_type chosen = table[1];
    chosen<<<BLOCKS(n, 256), 256>>>(data, n);
    auto again = [&](int times) { for (int t = 0; t < times; ++t) add_constant<1, false><<<2, 64>>>(data, n); };
    again(3);

    int back[n];
    cudaMemcpy(back, data, sizeof back, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += back[i] != (2 * i + 1000 + 7) * 2 - 3;
    printf("%s\nwrong: %d\n", text, wrong);
    int shifted = 256 >> 3 << 1;
    printf("%d\n", shifted);
    cudaStreamDestroy(stream);
    cudaFree(data);
    return wrong;
}

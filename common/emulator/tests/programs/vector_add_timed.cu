// Vector addition of 2^24 floats, timed with events: warm-up, ten repetitions, verification.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(call)                                                                \
  do {                                                                                  \
    cudaError_t err = (call);                                                           \
    if (err != cudaSuccess) {                                                           \
      fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(err), __FILE__, __LINE__); \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i] + 0.0f;
    }
}

int main()
{
    const int n = 1 << 24;
    const size_t size = n * sizeof(float);
    printf("[Vector addition of %d elements]\n", n);

    std::vector<float> h_A(n), h_B(n), h_C(n);
    for (int i = 0; i < n; ++i)
    {
        h_A[i] = static_cast<float>(i % 1000) * 0.5f;
        h_B[i] = static_cast<float>(i % 77);
    }

    float *d_A = NULL, *d_B = NULL, *d_C = NULL;
    CHECK_CUDA(cudaMalloc((void **)&d_A, size));
    CHECK_CUDA(cudaMalloc((void **)&d_B, size));
    CHECK_CUDA(cudaMalloc((void **)&d_C, size));

    CHECK_CUDA(cudaMemcpy(d_A, h_A.data(), size, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_B, h_B.data(), size, cudaMemcpyHostToDevice));

    int threadsPerBlock = 256;
    int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    printf("CUDA kernel launch with %d blocks of %d threads\n", blocksPerGrid, threadsPerBlock);

    // warm up
    vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());

    cudaEvent_t start, stop;
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));

    const int nIter = 10;
    CHECK_CUDA(cudaEventRecord(start));
    for (int j = 0; j < nIter; j++)
    {
        vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, n);
    }
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop));
    CHECK_CUDA(cudaEventSynchronize(stop));

    float msecTotal = 0.0f;
    CHECK_CUDA(cudaEventElapsedTime(&msecTotal, start, stop));
    double msec = msecTotal / nIter;
    double gbs = 3.0 * size / (msec * 1e6);
    printf("Time = %.3f ms, Bandwidth = %.1f GB/s\n", msec, gbs);

    CHECK_CUDA(cudaMemcpy(h_C.data(), d_C, size, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
    {
        if (h_A[i] + h_B[i] != h_C[i])
        {
            fprintf(stderr, "Result verification failed at element %d!\n", i);
            exit(EXIT_FAILURE);
        }
    }
    printf("Test PASSED\n");

    cudaDeviceProp prop;
    CHECK_CUDA(cudaGetDeviceProperties(&prop, 0));
    int memory_khz = 0;
    CHECK_CUDA(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    double peak = 2.0 * memory_khz * (prop.memoryBusWidth / 8) / 1e6;
    printf("between 20 %% and 100 %% of the peak: %s\n", gbs > 0.2 * peak && gbs < peak ? "yes" : "no");

    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    CHECK_CUDA(cudaFree(d_A));
    CHECK_CUDA(cudaFree(d_B));
    CHECK_CUDA(cudaFree(d_C));
    printf("Done\n");
    return 0;
}

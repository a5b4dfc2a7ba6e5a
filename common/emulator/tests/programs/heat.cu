// Heat on a plate: Jacobi iterations on two buffers until the largest change is small; C with classes.
#include <cstdio>
#include <cmath>
#include <utility>
#include <assert.h>

const int W = 64, H = 48;

struct Plate {
    float *now, *next;
    Plate() {
        cudaMalloc((void**)&now, W * H * sizeof(float));
        cudaMalloc((void**)&next, W * H * sizeof(float));
    }
    ~Plate() { cudaFree(now); cudaFree(next); }
    void swap() { std::swap(now, next); }
};

__global__ void init(float *a, float *b)
{
    const int x = threadIdx.x, y = blockIdx.x;
    a[y * W + x] = b[y * W + x] = (y == 0) ? 100.0f * sinf(3.14159265f * x / (W - 1)) : 0.0f;
}

__global__ void step(const float *now, float *next, unsigned *change)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    assert(x >= 0 && y >= 0);
    if (x < 1 || y < 1 || x >= W - 1 || y >= H - 1) return;
    int i = y * W + x;
    float v = 0.25f * (now[i - 1] + now[i + 1] + now[i - W] + now[i + W]);
    next[i] = v;
    // non-negative floats are ordered as their bits are
    atomicMax(change, __float_as_uint(fabsf(v - now[i])));
}

int main()
{
    Plate plate;
    unsigned *change;
    cudaMalloc((void**)&change, sizeof *change);
    init<<<H, W>>>(plate.now, plate.next);

    dim3 block(32, 4), grid(W / 32, H / 4);
    float largest = 1e9f;
    int steps = 0;
    while (largest > 0.01f && steps < 2000) {
        cudaMemset(change, 0, sizeof *change);
        step<<<grid, block>>>(plate.now, plate.next, change);
        plate.swap();
        cudaMemcpy(&largest, change, sizeof largest, cudaMemcpyDeviceToHost);
        ++steps;
    }
    float h[W * H];
    cudaMemcpy(h, plate.now, sizeof h, cudaMemcpyDeviceToHost);
    printf("converged: %s, in the middle of the top rows: %.0f %.0f %.0f\n", largest <= 0.01f ? "yes" : "no",
           h[W / 2], h[W + W / 2], h[2 * W + W / 2]);
    printf("%s\n", steps > 100 && steps < 2000 ? "some hundred steps" : "an odd number of steps");
    cudaFree(change);
    return 0;
}

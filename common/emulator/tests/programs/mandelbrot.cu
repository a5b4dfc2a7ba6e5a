// Operators and methods on the device, one thread a pixel, drawn in letters.
#include <cuda_runtime.h>
#include <cstdio>
#include <string>

class Complex {
public:
    __host__ __device__ Complex(double r, double i) : r_(r), i_(i) {}
    __host__ __device__ Complex operator*(const Complex& o) const { return {r_ * o.r_ - i_ * o.i_, r_ * o.i_ + i_ * o.r_}; }
    __host__ __device__ Complex operator+(const Complex& o) const { return {r_ + o.r_, i_ + o.i_}; }
    __host__ __device__ double norm() const { return r_ * r_ + i_ * i_; }
private:
    double r_, i_;
};

static __device__ int iterations(Complex c, int limit)
{
    Complex z(0, 0);
    int n = 0;
    while (n < limit && z.norm() <= 4.0) { z = z * z + c; ++n; }
    return n;
}

__global__ void mandelbrot(char* picture, int width, int height)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Complex c(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height);
    picture[y * width + x] = " .,:;i1tfLCG08@"[iterations(c, 70) / 5];
}

int main()
{
    constexpr int width = 64, height = 24;
    char* picture;
    cudaMalloc(&picture, width * height);
    mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(picture, width, height);
    std::string text(width * height, '?');
    cudaMemcpy(&text[0], picture, width * height, cudaMemcpyDeviceToHost);
    for (int y = 0; y < height; ++y) std::printf("%.*s\n", width, &text[y * width]);
    cudaFree(picture);
}

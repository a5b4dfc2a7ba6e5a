// Vector types, half precision, intrinsics, partitioned dynamic shared memory, read-only loads.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

__device__ __constant__ float table[8] = {0, 1, 4, 9, 16, 25, 36, 49};

__global__ void scale4(const float4 *__restrict__ in, float4 *__restrict__ out, float s, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = __ldg(in + i);
    v.x *= s; v.y *= s; v.z *= s; v.w *= s;
    out[i] = make_float4(v.x, v.y, v.z, v.w);
}

__global__ void axpy_half(const __half *x, __half *y, __half a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hadd(__hmul(a, x[i]), y[i]);
}

__global__ void sums(const float *in, float *out_sum, int *out_max)
{
    extern __shared__ __align__(16) unsigned char smem[];
    float *f = reinterpret_cast<float *>(smem);
    int *m = reinterpret_cast<int *>(f + blockDim.x);
    int t = threadIdx.x;
    f[t] = in[t];
    m[t] = __float2int_rn(in[t]);
    __syncthreads();
    for (int d = blockDim.x >> 1; d; d >>= 1) {
        if (t < d) { f[t] += f[t + d]; m[t] = max(m[t], m[t + d]); }
        __syncthreads();
    }
    if (!t) { *out_sum = f[0]; *out_max = m[0]; }
}

__global__ void functions(float *out)
{
    float x = 0.5f;
    int k = 0;
    out[k++] = sinf(x) * sinf(x) + cosf(x) * cosf(x);
    out[k++] = fmaf(2.0f, 3.0f, 4.0f);
    out[k++] = rsqrtf(4.0f);
    out[k++] = fminf(fmaxf(-1.0f, x), 0.25f);
    out[k++] = roundf(__powf(2.0f, 10.0f));
    out[k++] = __saturatef(7.0f);
    out[k++] = static_cast<float>(__popc(0xF0F0u) + __clz(1) + __ffs(8));
    out[k++] = static_cast<float>(__brev(1u) >> 24);
    out[k++] = static_cast<float>(__umulhi(0x80000000u, 6u));
    out[k++] = hypotf(3.0f, 4.0f);
    out[k++] = table[5] + table[threadIdx.x + 2];
    out[k++] = __int_as_float(0x3f800000);
    out[k++] = static_cast<float>(warpSize);
}

struct __align__(8) pair { float first; int second; };

__global__ void pairs(pair *p) { p[threadIdx.x].second = static_cast<int>(p[threadIdx.x].first) + 1; }

int main()
{
    const int n = 4096;
    std::vector<float4> v(n / 4);
    for (int i = 0; i < n / 4; ++i) v[i] = make_float4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
    float4 *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale4<<<{4}, {256}>>>(in, out, 0.5f, n / 4);
    cudaMemcpy(v.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("float4: %g %g %g %g\n", v[1].x, v[1].y, v[1].z, v[1000].w);

    std::vector<__half> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = __float2half(float(i % 100)), y[i] = __float2half(1.0f);
    __half *dx, *dy;
    cudaMalloc(&dx, n * sizeof(__half));
    cudaMalloc(&dy, n * sizeof(__half));
    cudaMemcpy(dx, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    axpy_half<<<n / 256, 256>>>(dx, dy, __float2half(0.5f), n);
    cudaMemcpy(y.data(), dy, n * sizeof(__half), cudaMemcpyDeviceToHost);
    printf("half: %g %g\n", __half2float(y[3]), __half2float(y[99]));

    float *sum, host_sum;
    int *largest, host_largest;
    cudaMalloc(&sum, sizeof(float));
    cudaMalloc(&largest, sizeof(int));
    sums<<<1, 128, 128 * (sizeof(float) + sizeof(int))>>>(reinterpret_cast<float *>(in), sum, largest);
    cudaMemcpy(&host_sum, sum, sizeof host_sum, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_largest, largest, sizeof host_largest, cudaMemcpyDeviceToHost);
    printf("sum %g, largest %d\n", host_sum, host_largest);

    float *results, r[13];
    cudaMalloc(&results, sizeof r);
    functions<<<1, 1>>>(results);
    cudaMemcpy(r, results, sizeof r, cudaMemcpyDeviceToHost);
    for (float f : r) printf("%.4g ", f);
    printf("\n");

    pair p[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, *dp;
    cudaMalloc(&dp, sizeof p);
    cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice);
    pairs<<<1, 4>>>(dp);
    cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost);
    printf("pairs: %d %d %d %d\n%s\n", p[0].second, p[1].second, p[2].second, p[3].second,
           cudaGetErrorString(cudaGetLastError()));
}

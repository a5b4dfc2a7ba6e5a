// Matrix products by cuBLAS: small ones against the host, a large one against the clock.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

// column-major, as BLAS has it
static void reference(bool ta, bool tb, int m, int n, int k, double alpha, const std::vector<float>& a,
                      const std::vector<float>& b, double beta, std::vector<float>& c) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += double(ta ? a[i * k + l] : a[l * m + i]) * (tb ? b[l * n + j] : b[j * k + l]);
      c[j * m + i] = float(alpha * sum + beta * c[j * m + i]);
    }
}

static bool small_product(cublasHandle_t handle, bool ta, bool tb) {
  const int m = 37, n = 21, k = 50;
  const float alpha = 1.5f, beta = -0.5f;
  std::vector<float> a(m * k), b(k * n), c(m * n), expected;
  for (int i = 0; i < m * k; ++i) a[i] = float(i % 17) - 8;
  for (int i = 0; i < k * n; ++i) b[i] = float(i % 11) - 5;
  for (int i = 0; i < m * n; ++i) c[i] = float(i % 5);
  expected = c;
  reference(ta, tb, m, n, k, alpha, a, b, beta, expected);

  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * 4), cudaMalloc(&db, b.size() * 4), cudaMalloc(&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
  const auto status = cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                                  &alpha, da, ta ? k : m, db, tb ? n : k, &beta, dc, m);
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  cudaFree(da), cudaFree(db), cudaFree(dc);
  double worst = 0;
  for (int i = 0; i < m * n; ++i) worst = std::fmax(worst, std::fabs(double(c[i]) - expected[i]));
  return status == CUBLAS_STATUS_SUCCESS && worst < 1e-2;
}

static bool half_product(cublasHandle_t handle) {
  const int n = 16;
  const __half one = __float2half(1.0f), zero = __float2half(0.0f);
  std::vector<__half> a(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = __float2half(float(i % n == i / n ? 2 : 0));
  __half *da, *dc;
  cudaMalloc(&da, n * n * sizeof(__half)), cudaMalloc(&dc, n * n * sizeof(__half));
  cudaMemcpy(da, a.data(), n * n * sizeof(__half), cudaMemcpyHostToDevice);
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, n, da, n, &zero, dc, n);
  cudaMemcpy(c.data(), dc, n * n * sizeof(__half), cudaMemcpyDeviceToHost);
  cudaFree(da), cudaFree(dc);
  bool right = true;
  for (int i = 0; i < n * n; ++i) right = right && __half2float(c[i]) == (i % n == i / n ? 4.0f : 0.0f);
  return right;
}

int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int t = 0; t < 4; ++t)
    std::printf("op(A) %c, op(B) %c: %s\n", t & 1 ? 'T' : 'N', t & 2 ? 'T' : 'N',
                small_product(handle, (t & 1) != 0, (t & 2) != 0) ? "right" : "wrong");
  std::printf("half precision: %s\n", half_product(handle) ? "right" : "wrong");

  const int n = 4096;
  const size_t bytes = size_t(n) * n * sizeof(__half);
  __half *a, *b, *c;
  cudaMalloc(&a, bytes), cudaMalloc(&b, bytes), cudaMalloc(&c, bytes);
  cudaMemset(a, 0, bytes), cudaMemset(b, 0, bytes);
  cublasSetStream(handle, stream);
  const float alpha = 1, beta = 0;
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  cudaDeviceSynchronize();
  float ms = 0;
  for (int round = 0; round < 2; ++round) {  // the first is the warm-up
    cudaEventRecord(start, stream);
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, CUDA_R_16F, n, b, CUDA_R_16F, n, &beta, c,
                 CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
  }
  const double tflops = 2.0 * n * n * n / (ms * 1e9);
  std::printf("%d^3 in %.3f ms: %.1f TFLOP/s, which is %s\n", n, ms, tflops,
              tflops > 20 && tflops < 2000 ? "believable" : "not believable");
  cublasDestroy(handle);
  cudaStreamDestroy(stream);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}

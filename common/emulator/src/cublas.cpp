#include <fmt/format.h>

#include <algorithm>

#include "api.hpp"
#include "cublas_v2.h"
#include "memory.hpp"
#include "profile.hpp"

/// The matrix products of cuBLAS, modelled: they take the time that the profile gives a product of that size.
/// Products of up to `computed_flop` are also computed; larger ones leave C as it is.
struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

using namespace lab::emulator;

namespace {

constexpr double computed_flop = 1 << 28;

struct matrix {
  char* data;
  cudaDataType type;
  int stride;
  bool transposed;
};

struct product {
  int m, n, k;
  double alpha, beta;
  matrix a, b, c;
};

std::size_t element_bytes(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return 2;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
      return 8;
    default:
      return 0;
  }
}

double load(const matrix& from, int row, int column) {
  if (from.transposed) std::swap(row, column);
  const char* at = from.data + (static_cast<std::size_t>(column) * static_cast<std::size_t>(from.stride) +
                                static_cast<std::size_t>(row)) *
                                   element_bytes(from.type);
  switch (from.type) {
    case CUDA_R_16F:
      return static_cast<double>(__half2float(*reinterpret_cast<const __half*>(at)));
    case CUDA_R_32F:
      return static_cast<double>(*reinterpret_cast<const float*>(at));
    default:
      return *reinterpret_cast<const double*>(at);
  }
}

void store(const matrix& to, int row, int column, double value) {
  char* at = to.data + (static_cast<std::size_t>(column) * static_cast<std::size_t>(to.stride) +
                        static_cast<std::size_t>(row)) *
                           element_bytes(to.type);
  switch (to.type) {
    case CUDA_R_16F:
      *reinterpret_cast<__half*>(at) = __float2half(static_cast<float>(value));
      break;
    case CUDA_R_32F:
      *reinterpret_cast<float*>(at) = static_cast<float>(value);
      break;
    default:
      *reinterpret_cast<double*>(at) = value;
  }
}

void compute(const product& p) {
  for (int column = 0; column < p.n; ++column) {
    for (int row = 0; row < p.m; ++row) {
      double sum = 0;
      for (int i = 0; i < p.k; ++i) sum += load(p.a, row, i) * load(p.b, i, column);
      const double old = p.beta == 0 ? 0 : p.beta * load(p.c, row, column);
      store(p.c, row, column, p.alpha * sum + old);
    }
  }
}

double flop_of(const product& p) {
  return 2.0 * p.m * p.n * p.k;
}

/// Limited by the peak of the arithmetic or by the memory, whichever takes longer.
time_ns duration_of(const product& p) {
  const auto peak = p.a.type == CUDA_R_16F   ? gpu().fp16_tensor_flop_per_us
                    : p.a.type == CUDA_R_32F ? gpu().fp32_flop_per_us
                                             : gpu().fp64_flop_per_us;
  const double reached = static_cast<double>(peak) * gpu().matrix_product_permille / 1000;
  const double bytes = static_cast<double>(element_bytes(p.a.type)) *
                       (double(p.m) * p.k + double(p.k) * p.n + 2.0 * double(p.m) * p.n);
  return gpu().kernel_minimum_ns +
         static_cast<time_ns>(
             std::max(flop_of(p) / reached, bytes / static_cast<double>(gpu().dram_bytes_per_us)) * 1000);
}

/// Whether the matrix lies in memory the device can reach.
bool reachable(const matrix& m, int rows, int columns) {
  if (m.transposed) std::swap(rows, columns);
  const auto begin = reinterpret_cast<std::uintptr_t>(m.data);
  const auto* memory = memory::known_around(begin);
  const std::size_t elements = static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(m.stride) +
                               static_cast<std::size_t>(rows);
  return memory != nullptr && m.stride >= rows && begin + elements * element_bytes(m.type) <= memory->end();
}

bool reachable(const product& p) {
  return reachable(p.a, p.m, p.k) && reachable(p.b, p.k, p.n) && reachable(p.c, p.m, p.n);
}

cublasStatus_t multiply(const char* name, cublasHandle_t handle, const product& p, const void* caller) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle->pointer_mode != CUBLAS_POINTER_MODE_HOST) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.m < 0 || p.n < 0 || p.k < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (p.m == 0 || p.n == 0 || p.k == 0) return CUBLAS_STATUS_SUCCESS;
  for (const auto* m : {&p.a, &p.b, &p.c}) {
    if (element_bytes(m->type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (!reachable(p)) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t status = api(name, gpu().launch_ns, caller, [&](api_call& call) {
    auto* stream = call.stream(handle->stream);
    if (stream == nullptr) return call.error();
    auto work = device::make(lab::trace::operation_kind::kernel, fmt::format("gemm {}x{}x{}", p.m, p.n, p.k));
    work->modelled = std::make_unique<modelled_work>();
    work->modelled->duration = duration_of(p);
    if (flop_of(p) <= computed_flop)
      work->modelled->effect = [p] {
        if (reachable(p)) compute(p);  // not freed meanwhile
      };
    call.submit(*stream, work);
    return cudaSuccess;
  });
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class T>
cublasStatus_t typed(const char* name, cublasHandle_t handle, cublasOperation_t transa,
                     cublasOperation_t transb, int m, int n, int k, double alpha, const T* a, int lda,
                     const T* b, int ldb, double beta, T* c, int ldc, cudaDataType type, const void* caller) {
  const auto raw = [](const T* data) { return reinterpret_cast<char*>(const_cast<T*>(data)); };
  return multiply(name, handle,
                  {m,
                   n,
                   k,
                   alpha,
                   beta,
                   {raw(a), type, lda, transa != CUBLAS_OP_N},
                   {raw(b), type, ldb, transb != CUBLAS_OP_N},
                   {raw(c), type, ldc, false}},
                  caller);
}

template <class Body>
cublasStatus_t with(cublasHandle_t handle, Body body) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  body(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

struct status_text {
  cublasStatus_t status;
  const char* name;
  const char* words;
};

constexpr status_text status_texts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the handle was not created"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "out of memory"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an argument is out of range"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks this feature"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "device memory could not be accessed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the product could not be launched"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "this combination is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a licence is missing"},
};

const status_text& text_of(cublasStatus_t status) {
  static constexpr status_text unknown{CUBLAS_STATUS_SUCCESS, "unknown cuBLAS status",
                                       "unknown cuBLAS status"};
  const auto* found = std::find_if(std::begin(status_texts), std::end(status_texts),
                                   [&](const status_text& text) { return text.status == status; });
  return found == std::end(status_texts) ? unknown : *found;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto status =
      api("cublasCreate", gpu().context_creation_ns / 10, LAB_CALLER, [](api_call&) { return cudaSuccess; });
  if (status != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  // like cudaFree, it frees device memory of its own
  const auto status = api("cublasDestroy", gpu().free_ns, LAB_CALLER,
                          [](api_call& call) { return call.wait_for(device::everything_pending()); });
  delete handle;
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  return with(handle, [&](cublasContext&) { *version = CUBLAS_VERSION; });
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return with(handle, [&](cublasContext& context) { context.stream = stream; });
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return with(handle, [&](cublasContext& context) { *stream = context.stream; });
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with(handle, [&](cublasContext& context) { context.pointer_mode = mode; });
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return with(handle, [&](cublasContext& context) { *mode = context.pointer_mode; });
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with(handle, [&](cublasContext& context) { context.math_mode = mode; });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return with(handle, [&](cublasContext& context) { *mode = context.math_mode; });
}

const char* cublasGetStatusName(cublasStatus_t status) {
  return text_of(status).name;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  return text_of(status).words;
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* a, int lda,
                              const float* b, int ldb, const float* beta, float* c, int ldc) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return typed("cublasSgemm", handle, transa, transb, m, n, k, static_cast<double>(*alpha), a, lda, b, ldb,
               static_cast<double>(*beta), c, ldc, CUDA_R_32F, LAB_CALLER);
}

cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const double* alpha, const double* a, int lda,
                              const double* b, int ldb, const double* beta, double* c, int ldc) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return typed("cublasDgemm", handle, transa, transb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc,
               CUDA_R_64F, LAB_CALLER);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda, const __half* b,
                           int ldb, const __half* beta, __half* c, int ldc) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return typed("cublasHgemm", handle, transa, transb, m, n, k, static_cast<double>(__half2float(*alpha)), a,
               lda, b, ldb, static_cast<double>(__half2float(*beta)), c, ldc, CUDA_R_16F, LAB_CALLER);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                            const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute_type,
                            cublasGemmAlgo_t) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto scalar = [&](const void* value) {
    switch (compute_type) {
      case CUBLAS_COMPUTE_16F:
      case CUBLAS_COMPUTE_16F_PEDANTIC:
        return static_cast<double>(__half2float(*static_cast<const __half*>(value)));
      case CUBLAS_COMPUTE_64F:
      case CUBLAS_COMPUTE_64F_PEDANTIC:
        return *static_cast<const double*>(value);
      default:
        return static_cast<double>(*static_cast<const float*>(value));
    }
  };
  const auto raw = [](const void* data) { return const_cast<char*>(static_cast<const char*>(data)); };
  return multiply("cublasGemmEx", handle,
                  {m,
                   n,
                   k,
                   scalar(alpha),
                   scalar(beta),
                   {raw(a), a_type, lda, transa != CUBLAS_OP_N},
                   {raw(b), b_type, ldb, transb != CUBLAS_OP_N},
                   {raw(c), c_type, ldc, false}},
                  LAB_CALLER);
}

}  // extern "C"

#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "exercise.hpp"

/// Uses of your CUDA_CHECK, through which the checks call it: included at the end of your file, where the
/// macro is known. Should the compiler object here, then CUDA_CHECK is not what exercise.hpp asks for.
namespace uses {

void of_a_call(void** memory, std::size_t bytes) {
  CUDA_CHECK(cudaMalloc(memory, bytes));
}

void of_a_choice(bool first, cudaError_t one, cudaError_t other) {
  CUDA_CHECK(first ? one : other);
}

// One statement, with and without braces around it.
void in_an_if(bool first, const std::function<cudaError_t()>& one,
              const std::function<cudaError_t()>& other) {
  if (first)
    CUDA_CHECK(one());
  else  // an error here? Then CUDA_CHECK is more than one statement.
    CUDA_CHECK(other());
}

inline cudaError_t of_the_one(const std::string& called,
                              std::initializer_list<std::pair<const char*, cudaError_t>> variables) {
  for (const auto& [name, value] : variables) {
    if (called == name) return value;
  }
  return cudaSuccess;
}

// Whatever the variable is called, a variable of the macro's own must not get in its way.
void of_a_variable(const std::string& called, cudaError_t value) {
#define USE(name)                     \
  if (called == #name) {              \
    const cudaError_t name = given(); \
    CUDA_CHECK(name);                 \
  }
  const auto given = [value] { return value; };
  USE(status)
  USE(error)
  USE(err)
  USE(result)
  USE(code)
  USE(e)
  USE(rc)
  USE(ret)
  USE(res)
  USE(r)
  USE(s)
  USE(st)
  USE(cudaStatus)
  USE(cudaError)
  USE(cudaErr)
  USE(cuda_status)
  USE(cuda_error)
  USE(status_)
  USE(error_)
  USE(err_)
#undef USE
  if (called == "value") CUDA_CHECK(value);

  // More names, in one expression: its value is that of the variable that is called so.
  const cudaError_t x = value, ec = value, ok = value, e_ = value, r_ = value, s_ = value, st_ = value,
                    rc_ = value, ret_ = value, result_ = value, code_ = value, err2 = value, err__ = value,
                    _e = value, _err = value, _error = value, _status = value, _result = value, _r = value,
                    error_code = value, errorCode = value, err_code = value, errCode = value,
                    cudaResult = value, cuda_result = value, cuda_err = value, cudaErr_t = value,
                    cudaError_ = value, cudaStatus_ = value, gpuError = value, gpu_error = value,
                    return_code = value, retval = value, macro_status = value, check_status = value,
                    tmp = value, temp = value;
#define NAMED(name) {#name, name}
  CUDA_CHECK(of_the_one(
      called,
      {NAMED(x),         NAMED(ec),          NAMED(ok),         NAMED(e_),           NAMED(r_),
       NAMED(s_),        NAMED(st_),         NAMED(rc_),        NAMED(ret_),         NAMED(result_),
       NAMED(code_),     NAMED(err2),        NAMED(err__),      NAMED(_e),           NAMED(_err),
       NAMED(_error),    NAMED(_status),     NAMED(_result),    NAMED(_r),           NAMED(error_code),
       NAMED(errorCode), NAMED(err_code),    NAMED(errCode),    NAMED(cudaResult),   NAMED(cuda_result),
       NAMED(cuda_err),  NAMED(cudaErr_t),   NAMED(cudaError_), NAMED(cudaStatus_),  NAMED(gpuError),
       NAMED(gpu_error), NAMED(return_code), NAMED(retval),     NAMED(macro_status), NAMED(check_status),
       NAMED(tmp),       NAMED(temp)}));
#undef NAMED
}

// A comma between angle brackets separates the macro's arguments.
template <class, class>
cudaError_t same(cudaError_t value) {
  return value;
}
void of_a_template(cudaError_t value) {
  CUDA_CHECK(same<int, float>(value));
}

}  // namespace uses

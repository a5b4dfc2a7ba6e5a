#pragma once

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
  USE(x)
  USE(ec)
  USE(ok)
  USE(e_)
  USE(r_)
  USE(s_)
  USE(st_)
  USE(rc_)
  USE(ret_)
  USE(result_)
  USE(code_)
  USE(err2)
  USE(err__)
  USE(_e)
  USE(_err)
  USE(_error)
  USE(_status)
  USE(_result)
  USE(_r)
  USE(error_code)
  USE(errorCode)
  USE(err_code)
  USE(errCode)
  USE(cudaResult)
  USE(cuda_result)
  USE(cuda_err)
  USE(cudaErr_t)
  USE(cudaError_)
  USE(cudaStatus_)
  USE(gpuError)
  USE(gpu_error)
  USE(return_code)
  USE(retval)
  USE(macro_status)
  USE(check_status)
  USE(tmp)
  USE(temp)
#undef USE
  if (called == "value") CUDA_CHECK(value);
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

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
  const cudaError_t status = value, error = value, err = value, result = value, code = value, e = value;
  if (called == "status") CUDA_CHECK(status);
  if (called == "error") CUDA_CHECK(error);
  if (called == "err") CUDA_CHECK(err);
  if (called == "result") CUDA_CHECK(result);
  if (called == "code") CUDA_CHECK(code);
  if (called == "e") CUDA_CHECK(e);
}

}  // namespace uses

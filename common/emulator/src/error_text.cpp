#include "cuda_runtime_api.h"

// Names and texts of the error codes. Neither call needs the device, fails, or touches the last error.

namespace {

constexpr const char* unrecognized = "unrecognized error code";

}  // namespace

extern "C" const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define LAB_ERROR(name, value, text) \
  case name:                         \
    return #name;
#include "lab_cuda/errors.def"
#undef LAB_ERROR
  }
  return unrecognized;
}

extern "C" const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define LAB_ERROR(name, value, text) \
  case name:                         \
    return text;
#include "lab_cuda/errors.def"
#undef LAB_ERROR
  }
  return unrecognized;
}

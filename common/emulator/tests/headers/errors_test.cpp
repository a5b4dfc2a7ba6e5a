#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cuda_runtime_api.h"

namespace {

struct code {
  int value;
  const char* name;
};

// From the manual, not from our own table.
constexpr code known_codes[] = {
    {0, "cudaSuccess"},
    {1, "cudaErrorInvalidValue"},
    {2, "cudaErrorMemoryAllocation"},
    {3, "cudaErrorInitializationError"},
    {9, "cudaErrorInvalidConfiguration"},
    {12, "cudaErrorInvalidPitchValue"},
    {13, "cudaErrorInvalidSymbol"},
    {21, "cudaErrorInvalidMemcpyDirection"},
    {35, "cudaErrorInsufficientDriver"},
    {46, "cudaErrorDevicesUnavailable"},
    {98, "cudaErrorInvalidDeviceFunction"},
    {100, "cudaErrorNoDevice"},
    {101, "cudaErrorInvalidDevice"},
    {209, "cudaErrorNoKernelImageForDevice"},
    {226, "cudaErrorContained"},
    {304, "cudaErrorOperatingSystem"},
    {400, "cudaErrorInvalidResourceHandle"},
    {402, "cudaErrorLossyQuery"},
    {500, "cudaErrorSymbolNotFound"},
    {600, "cudaErrorNotReady"},
    {700, "cudaErrorIllegalAddress"},
    {701, "cudaErrorLaunchOutOfResources"},
    {702, "cudaErrorLaunchTimeout"},
    {708, "cudaErrorSetOnActiveProcess"},
    {710, "cudaErrorAssert"},
    {712, "cudaErrorHostMemoryAlreadyRegistered"},
    {713, "cudaErrorHostMemoryNotRegistered"},
    {716, "cudaErrorMisalignedAddress"},
    {719, "cudaErrorLaunchFailure"},
    {721, "cudaErrorTensorMemoryLeak"},
    {800, "cudaErrorNotPermitted"},
    {801, "cudaErrorNotSupported"},
    {812, "cudaErrorCdpVersionMismatch"},
    {900, "cudaErrorStreamCaptureUnsupported"},
    {904, "cudaErrorStreamCaptureUnjoined"},
    {907, "cudaErrorCapturedEvent"},
    {908, "cudaErrorStreamCaptureWrongThread"},
    {910, "cudaErrorGraphExecUpdateFailure"},
    {915, "cudaErrorInvalidResourceConfiguration"},
    {999, "cudaErrorUnknown"},
    {10000, "cudaErrorApiFailureBase"},
};

constexpr const char* unrecognized = "unrecognized error code";

std::string name_of(int value) {
  return cudaGetErrorName(static_cast<cudaError_t>(value));
}
std::string text_of(int value) {
  return cudaGetErrorString(static_cast<cudaError_t>(value));
}

}  // namespace

TEST_CASE("error codes have the numbers of CUDA 13 and their own names") {
  for (const code& known : known_codes) CHECK(name_of(known.value) == known.name);
}

TEST_CASE("every error code has one name and a text, every other number is unrecognized") {
  std::set<std::string> names;
  int codes = 0;
  for (int value = 0; value <= 10001; ++value) {
    const std::string name = name_of(value);
    CHECK((name == unrecognized) == (text_of(value) == unrecognized));
    if (name == unrecognized) continue;
    ++codes;
    CHECK(names.insert(name).second);
    CHECK(!text_of(value).empty());
  }
  CHECK(codes == 134);  // as many as CUDA 13.0 lists
  CHECK(name_of(-1) == unrecognized);
  CHECK(text_of(54321) == unrecognized);
}

TEST_CASE("common errors read as the runtime words them") {
  CHECK(text_of(cudaSuccess) == "no error");
  CHECK(text_of(cudaErrorInvalidValue) == "invalid argument");
  CHECK(text_of(cudaErrorMemoryAllocation) == "out of memory");
  CHECK(text_of(cudaErrorInvalidConfiguration) == "invalid configuration argument");
  CHECK(text_of(cudaErrorInvalidDevice) == "invalid device ordinal");
  CHECK(text_of(cudaErrorInvalidResourceHandle) == "invalid resource handle");
  CHECK(text_of(cudaErrorNotReady) == "device not ready");
  CHECK(text_of(cudaErrorIllegalAddress) == "an illegal memory access was encountered");
  CHECK(text_of(cudaErrorAssert) == "device-side assert triggered");
  CHECK(text_of(cudaErrorLaunchFailure) == "unspecified launch failure");
  CHECK(text_of(cudaErrorLaunchOutOfResources) == "too many resources requested for launch");
  CHECK(text_of(cudaErrorMisalignedAddress) == "misaligned address");
}

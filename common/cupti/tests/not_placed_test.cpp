#include "../not_placed.hpp"

#include <doctest/doctest.h>

#include <string_view>

using lab::cupti::what_is_not_placed;

TEST_CASE("functions whose work or memory is not recorded say what is lacking") {
  for (const std::string_view name :
       {"cudaStreamAddCallback", "cudaMemPrefetchAsync", "cudaMemcpyPeerAsync", "cudaMemcpy3DAsync",
        "cudaMemcpy2DToArray", "cudaMemset3D", "cudaMalloc3DArray", "cudaCreateTextureObject",
        "cudaLaunchNewInSomeVersion"}) {
    CAPTURE(name);
    CHECK_FALSE(what_is_not_placed(name).empty());
  }
}

TEST_CASE("functions that neither do work nor use memory lack nothing") {
  for (const std::string_view name :
       {"cudaGetDevice", "cudaSetDevice", "cudaGetLastError", "cudaMemGetInfo", "cudaMemPoolSetAttribute",
        "cudaMemAdvise", "cudaDeviceReset", "cudaFuncGetAttributes", "cudaStreamGetPriority",
        "cudaStreamIsCapturing", "cudaStreamBeginCaptureToGraph", "cudaGraphLaunch",
        "cudaPointerGetAttributes", "cudaDeviceSetLimit"}) {
    CAPTURE(name);
    CHECK(what_is_not_placed(name).empty());
  }
}

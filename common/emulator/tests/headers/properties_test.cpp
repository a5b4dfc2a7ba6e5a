#include "properties.hpp"

#include <doctest/doctest.h>

#include <string>

using lab::emulator::attribute;
using lab::emulator::properties;
using lab::emulator::t4;

TEST_CASE("the emulated GPU describes itself as a Tesla T4") {
  const cudaDeviceProp prop = properties(t4);
  CHECK(std::string(prop.name) == "Emulated Tesla T4");
  CHECK(prop.major == 7);
  CHECK(prop.minor == 5);
  CHECK(prop.multiProcessorCount == 40);
  CHECK(prop.totalGlobalMem == 15843721216);
  CHECK(prop.sharedMemPerBlock == 49152);
  CHECK(prop.sharedMemPerBlockOptin == 65536);
  CHECK(prop.maxThreadsPerBlock == 1024);
  CHECK(prop.maxThreadsDim[2] == 64);
  CHECK(prop.maxGridSize[0] == 2147483647);
  CHECK(prop.maxGridSize[1] == 65535);
  CHECK(prop.warpSize == 32);
  CHECK(prop.asyncEngineCount == 3);
  CHECK(prop.unifiedAddressing == 1);
  CHECK(prop.canMapHostMemory == 1);
  CHECK(prop.concurrentKernels == 1);
  CHECK(prop.l2CacheSize == 4194304);
}

TEST_CASE("what is not emulated is reported as not there") {
  const cudaDeviceProp prop = properties(t4);
  CHECK(prop.managedMemory == 0);
  CHECK(prop.cooperativeLaunch == 0);
  CHECK(prop.streamPrioritiesSupported == 0);
  CHECK(prop.clusterLaunch == 0);
}

TEST_CASE("the clocks give the card's bandwidth") {
  const double bandwidth = 2.0 * attribute(t4, cudaDevAttrMemoryClockRate).value() * 1000 *
                           attribute(t4, cudaDevAttrGlobalMemoryBusWidth).value() / 8;
  CHECK(bandwidth == doctest::Approx(320e9).epsilon(0.001));
  CHECK(attribute(t4, cudaDevAttrClockRate) == 1590000);
  CHECK(attribute(t4, cudaDevAttrSingleToDoublePrecisionPerfRatio) == 32);
}

TEST_CASE("the other GPUs are themselves") {
  const cudaDeviceProp a100 = properties(lab::emulator::a100), h200 = properties(lab::emulator::h200);
  CHECK(std::string(a100.name) == "Emulated A100-SXM4-40GB");
  CHECK(a100.major == 8);
  CHECK(a100.sharedMemPerBlockOptin == 163 * 1024);
  CHECK(std::string(h200.name) == "Emulated H200");
  CHECK(h200.multiProcessorCount == 132);
  CHECK(attribute(lab::emulator::h200, cudaDevAttrClockRate) == 1980000);
  CHECK(std::string(h200.uuid.bytes) == "emulated H200");
}

TEST_CASE("attributes agree with properties") {
  CHECK(attribute(t4, cudaDevAttrMaxBlockDimZ) == 64);
  CHECK(attribute(t4, cudaDevAttrMaxGridDimY) == 65535);
  CHECK(attribute(t4, cudaDevAttrMultiProcessorCount) == 40);
  CHECK(attribute(t4, cudaDevAttrComputeCapabilityMinor) == 5);
  CHECK(attribute(t4, cudaDevAttrMaxSharedMemoryPerBlockOptin) == 65536);
  CHECK(attribute(t4, cudaDevAttrGpuOverlap) == 1);
  CHECK(attribute(t4, cudaDevAttrComputeMode) == cudaComputeModeDefault);
}

TEST_CASE("every attribute there is has a value, no other number has one") {
  int answered = 0;
  for (int which = -1; which <= cudaDevAttrMax; ++which)
    answered += attribute(t4, static_cast<cudaDeviceAttr>(which)).has_value();
  CHECK(answered == 124);  // as many as CUDA 13.0 names without its reserved ones
  CHECK(!attribute(t4, static_cast<cudaDeviceAttr>(0)));
  CHECK(!attribute(t4, static_cast<cudaDeviceAttr>(44)));
  CHECK(!attribute(t4, static_cast<cudaDeviceAttr>(92)));
  CHECK(!attribute(t4, cudaDevAttrMax));
}

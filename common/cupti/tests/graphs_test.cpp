// What a graph touches, read of a driver that only seems to be one.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "../graphs.hpp"

#include <doctest/doctest.h>

#include <string>

#include "fake_driver.hpp"

using namespace lab::cupti;

namespace {

constexpr address executable = 0x100, device = fake_driver::device_memory, host = 0x1000;

const graphs::content& instantiated(const fake_driver::graph& graph) {
  graphs::instantiated(executable, reinterpret_cast<CUgraph>(const_cast<fake_driver::graph*>(&graph)));
  return graphs::of(executable);
}

fake_driver::node of_type(CUgraphNodeType type) {
  fake_driver::node made;
  made.type = type;
  return made;
}
fake_driver::node kernel(const char* mangled, void** arguments) {
  auto made = of_type(CU_GRAPH_NODE_TYPE_KERNEL);
  made.kernel.func = reinterpret_cast<CUfunction>(const_cast<char*>(mangled));
  made.kernel.kernelParams = arguments;
  return made;
}
fake_driver::node copy(std::size_t width, std::size_t height = 1, std::size_t depth = 1) {
  auto made = of_type(CU_GRAPH_NODE_TYPE_MEMCPY);
  made.copy.srcMemoryType = made.copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  made.copy.srcDevice = host;
  made.copy.dstDevice = device;
  made.copy.WidthInBytes = width;
  made.copy.Height = height;
  made.copy.Depth = depth;
  return made;
}

bool is(const byte_range& range, address begin, std::uint64_t bytes, bool write) {
  return range.begin == begin && range.bytes == bytes && range.write == write;
}

}  // namespace

TEST_CASE("kernels touch what their parameters let them, each range once") {
  address in = device, out = device + 4096;
  int n = 7;
  void* arguments[] = {&in, &out, &n};
  const auto scale = kernel("_Z5scalePKfPfi", arguments);
  const auto& all = instantiated({scale, scale, of_type(CU_GRAPH_NODE_TYPE_EMPTY)});
  CHECK(all.lack.empty());
  CHECK(all.is_timed);
  CHECK_FALSE(all.is_annotated);
  REQUIRE(all.touches.size() == 3);
  CHECK(is(all.touches[0], in, 0, false));
  CHECK(is(all.touches[1], out, 0, false));
  CHECK(is(all.touches[2], out, 0, true));
  CHECK(all.touches[2].assumed);
}

TEST_CASE("a copy touches its bytes, of which those in host memory are known") {
  const auto& all = instantiated({copy(100)});
  CHECK(all.is_annotated);
  REQUIRE(all.touches.size() == 2);
  CHECK(is(all.touches[0], host, 100, false));
  CHECK(all.touches[0].on_host);
  CHECK(is(all.touches[1], device, 100, true));
  CHECK_FALSE(all.touches[1].on_host);
}

TEST_CASE("a copy says itself where memory lies, and at which place in it") {
  auto down = copy(10, 2, 2);
  down.copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  down.copy.srcDevice = device;
  down.copy.srcPitch = 32;
  down.copy.srcHeight = 4;
  down.copy.srcXInBytes = 3;
  down.copy.srcY = 1;
  down.copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.copy.dstHost = reinterpret_cast<void*>(host);
  down.copy.dstPitch = 10;
  down.copy.dstHeight = 2;
  const auto& all = instantiated({down});
  REQUIRE(all.touches.size() == 6);
  CHECK(is(all.touches[0], host, 20, true));
  CHECK(all.touches[0].on_host);
  CHECK(is(all.touches[1], host + 20, 20, true));
  CHECK(is(all.touches[2], device + 35, 10, false));
  CHECK(is(all.touches[3], device + 67, 10, false));
  CHECK(is(all.touches[4], device + 128 + 35, 10, false));
  CHECK_FALSE(all.touches[4].on_host);
}

TEST_CASE("a set touches its rows, as wide as their elements") {
  auto set = of_type(CU_GRAPH_NODE_TYPE_MEMSET);
  set.set = {device, 64, 0, 4, 5, 2};
  auto flat = set;
  flat.set = {device + 4096, 0, 0, 2, 50, 1};
  const auto& all = instantiated({set, flat});
  REQUIRE(all.touches.size() == 3);
  CHECK(is(all.touches[0], device, 20, true));
  CHECK(is(all.touches[1], device + 64, 20, true));
  CHECK(is(all.touches[2], device + 4096, 100, true));
}

TEST_CASE("a graph in a graph counts with it") {
  const fake_driver::graph inner{copy(8)};
  auto child = of_type(CU_GRAPH_NODE_TYPE_GRAPH);
  child.child = &inner;
  CHECK(instantiated({child}).touches.size() == 2);
  const fake_driver::graph with_function{of_type(CU_GRAPH_NODE_TYPE_HOST)};
  child.child = &with_function;
  CHECK(instantiated({child}).lack == "launches a graph with a host function in it, which is not recorded");
}

TEST_CASE("a graph without work has no times, and lacks nothing") {
  for (const fake_driver::graph& graph :
       {fake_driver::graph{}, fake_driver::graph{of_type(CU_GRAPH_NODE_TYPE_EMPTY)}}) {
    CHECK_FALSE(instantiated(graph).is_timed);
    CHECK(graphs::of(executable).lack.empty());
  }
}

TEST_CASE("what the record cannot have of a graph is said") {
  for (int type = CU_GRAPH_NODE_TYPE_HOST; type < 16; ++type) {
    CAPTURE(type);
    if (type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_EMPTY) continue;
    const auto& lack = instantiated({copy(8), of_type(static_cast<CUgraphNodeType>(type))}).lack;
    CHECK(lack.substr(0, 16) == "launches a graph");
  }
  auto of_array = copy(8);
  of_array.copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK_FALSE(instantiated({of_array}).lack.empty());
  auto packed = kernel("_Z5scalePKfPfi", nullptr);
  void* extra[] = {nullptr};
  packed.kernel.extra = extra;
  CHECK_FALSE(instantiated({packed}).lack.empty());
}

TEST_CASE("a graph is what it was when it was made, until it is changed, made anew or destroyed") {
  fake_driver::graph graph{copy(8)};
  instantiated(graph);
  graph.push_back(of_type(CU_GRAPH_NODE_TYPE_HOST));
  CHECK(graphs::of(executable).lack.empty());
  graphs::changed(executable);
  CHECK(graphs::of(executable).touches.empty());
  CHECK(std::string(graphs::of(executable).lack).find("changed") != std::string::npos);
  graph.pop_back();
  const auto other = reinterpret_cast<CUgraph>(&graph);
  graphs::updated(executable, other);
  CHECK_FALSE(graphs::of(executable).lack.empty());  // a node may be disabled
  CHECK(instantiated(graph).lack.empty());
  graph[0] = copy(16);
  graphs::updated(executable, other);
  CHECK(graphs::of(executable).touches[0].bytes == 16);
  CHECK(instantiated(graph).lack.empty());
  graphs::destroyed(executable);
  CHECK(graphs::of(executable).touches.empty());
  CHECK_FALSE(graphs::of(executable).lack.empty());
}

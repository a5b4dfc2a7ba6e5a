#include "../kernels.hpp"

#include <doctest/doctest.h>

using namespace lab::cupti;

TEST_CASE("a kernel goes by its name, without parameters, return type and unnamed namespaces") {
  CHECK(kernel_name("_Z5scalePKfPfi") == "scale");
  CHECK(kernel_name("_ZN1n5scaleIfEEvPT_") == "n::scale<float>");
  CHECK(kernel_name("_ZN12_GLOBAL__N_15scaleEPf") == "scale");
  CHECK(kernel_name("_Z5applyIPFivEEvT_Pf") == "apply<int (*)()>");
  CHECK(kernel_name("c_linkage") == "c_linkage");
}

TEST_CASE("a pointer to const is read, any other pointer read and written, numbers are neither") {
  const float* in = reinterpret_cast<const float*>(0x1000);
  float* out = reinterpret_cast<float*>(0x2000);
  int n = 5;
  void* arguments[] = {&in, &out, &n};
  const auto touched = memory_of_arguments("_Z5scalePKfPfi", arguments);  // scale(float const*, float*, int)
  REQUIRE(touched.size() == 3);
  CHECK(touched[0].begin == 0x1000);
  CHECK_FALSE(touched[0].write);
  CHECK(touched[1].begin == 0x2000);
  CHECK_FALSE(touched[1].write);
  CHECK(touched[2].begin == 0x2000);
  CHECK(touched[2].write);
}

TEST_CASE("a launch whose arguments come packed touches nothing that is known") {
  CHECK(memory_of_arguments("_Z5scalePKfPfi", nullptr).empty());
}

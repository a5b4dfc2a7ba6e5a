#include "../kernels.hpp"

#include <doctest/doctest.h>

using namespace lab::cupti;

TEST_CASE("a kernel goes by its name, without parameters, return type and unnamed namespaces") {
  CHECK(read_signature("_Z5scalePKfPfi").name == "scale");
  CHECK(read_signature("_ZN1n5scaleIfEEvPT_").name == "n::scale<float>");
  CHECK(read_signature("_ZN12_GLOBAL__N_15scaleEPf").name == "scale");
  CHECK(read_signature("_Z5applyIPFivEEvT_Pf").name == "apply<int (*)()>");
  CHECK(read_signature("c_linkage").name == "c_linkage");
}

TEST_CASE("a pointer to const is read, any other pointer read and written, numbers are neither") {
  const float* in = reinterpret_cast<const float*>(0x1000);
  float* out = reinterpret_cast<float*>(0x2000);
  int n = 5;
  void* arguments[] = {&in, &out, &n};
  const auto touched =
      memory_of_arguments(read_signature("_Z5scalePKfPfi"), arguments);  // scale(float const*, float*, int)
  REQUIRE(touched.size() == 3);
  CHECK(touched[0].begin == 0x1000);
  CHECK_FALSE(touched[0].write);
  CHECK(touched[0].assumed);
  CHECK(touched[1].begin == 0x2000);
  CHECK_FALSE(touched[1].write);
  CHECK(touched[2].begin == 0x2000);
  CHECK(touched[2].write);
}

namespace {

// What the kernels of a program are to its host code.
void add(const float*, float*, int) {}
KERNEL_USES(add, (const float* in, float* sum, int count), reads(in, count), reads_and_writes(sum, count));

}  // namespace

TEST_CASE("an annotated kernel uses what the annotation says") {
  const float* in = reinterpret_cast<const float*>(0x1000);
  float* sum = reinterpret_cast<float*>(0x2000);
  int count = 5;
  void* arguments[] = {&in, &sum, &count};
  const auto used = memory_of_arguments(read_signature("_ZN12_GLOBAL__N_13addEPKfPfi"), arguments);
  REQUIRE(used.size() == 3);
  CHECK(used[0].begin == 0x1000);
  CHECK(used[0].bytes == 20);
  CHECK_FALSE(used[0].write);
  CHECK_FALSE(used[0].assumed);
  CHECK_FALSE(used[1].write);
  CHECK(used[2].begin == 0x2000);
  CHECK(used[2].write);
  count = 0;
  CHECK(memory_of_arguments(read_signature("_Z3addPKfPfi"), arguments).empty());
  CHECK(read_signature("_ZN3lab3addEPKfPfi").annotation != nullptr);
}

TEST_CASE("another kernel of that name has no annotation") {
  CHECK(read_signature("_Z3addPKdPdi").annotation == nullptr);
  CHECK(read_signature("_Z7not_addPKfPfi").annotation == nullptr);
}

TEST_CASE("a pointer to volatile is a flag") {
  volatile int* flag = reinterpret_cast<volatile int*>(0x1000);
  void* arguments[] = {&flag};
  const auto used = memory_of_arguments(read_signature("_Z4waitPVi"), arguments);
  REQUIRE(used.size() == 2);
  CHECK(used[1].atomic);
  CHECK(used[1].write);
}

TEST_CASE("a launch whose arguments come packed touches nothing that is known") {
  CHECK(memory_of_arguments(read_signature("_Z5scalePKfPfi"), nullptr).empty());
}

TEST_CASE("what in an object may be a pointer counts as one, once its size is known") {
  // template <class T> void k2(Q, unsigned long long, char, T, const E, int* const*) with T = Q
  auto kernel = read_signature("_Z2k2I1QEvS0_ycT_1EPKPi");
  REQUIRE(kernel.objects.size() == 3);
  CHECK(kernel.objects[0].position == 0);
  CHECK(kernel.objects[1].position == 3);
  CHECK(kernel.objects[2].position == 4);
  REQUIRE(kernel.pointers.size() == 1);
  struct {
    float* to = reinterpret_cast<float*>(0x7F0000001000);
    long long count = 5;
    double factor = 1;
  } object;
  int enumerator = 1;
  int** list = nullptr;
  void* arguments[] = {&object, nullptr, nullptr, &object, &enumerator, &list};
  CHECK(memory_of_arguments(kernel, arguments).size() == 1);  // the pointer
  kernel.objects[0].bytes = sizeof object;
  kernel.objects[2].bytes = sizeof enumerator;
  const auto used = memory_of_arguments(kernel, arguments);
  REQUIRE(used.size() == 3);
  CHECK(used[1].begin == 0x7F0000001000);
  CHECK_FALSE(used[1].write);
  CHECK(used[2].write);
  CHECK(used[2].assumed);
}

TEST_CASE("a number is no object") {
  CHECK(read_signature("_Z1kbcahstijlmxyfdw").objects.empty());
  CHECK(read_signature("_Z1kv").objects.empty());
  CHECK(read_signature("_Z1k6floaty").objects.size() == 1);  // a class of the name "floaty"
}

TEST_CASE("a variable goes by its name in the source") {
  CHECK(name_of_variable("plain") == "plain");
  CHECK(name_of_variable("_ZN1n6insideE") == "n::inside");
  CHECK(name_of_variable("_ZN30_INTERNAL_66a5dce8_4_v_cu_main32_GLOBAL__N__66a5dce8_4_v_cu_main6hiddenE") ==
        "hidden");
}

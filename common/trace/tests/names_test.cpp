#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "trace/names.hpp"

#include <doctest/doctest.h>

using lab::trace::unqualified;

TEST_CASE("the last part of a name, whatever stands around it") {
  CHECK(unqualified("main") == "main");
  CHECK(unqualified("keeps<int>") == "keeps<int>");
  CHECK(unqualified("_ZN1n1fEPFivE") == "f");
  CHECK(unqualified("_ZN1n1fINS_1sEEEvT_") == "f<n::s>");        // void n::f<n::s>(n::s)
  CHECK(unqualified("_ZN12_GLOBAL__N_11fEv") == "f");            // (anonymous namespace)::f()
  CHECK(unqualified("_ZZ5keepsvENKUlvE_clEv") == "operator()");  // of a lambda in keeps()
  CHECK(unqualified("_ZZN1sclEvENKUliE_clEi") == "operator()");  // of one in s::operator()()
  CHECK(unqualified("_ZNK1sltERKS_") == "operator<");            // s::operator<(s const&) const
  CHECK(unqualified("_ZNK1sptEv") == "operator->");              // s::operator->() const
  CHECK(unqualified("_ZN1sclI1tEEvT_") == "operator()<t>");      // void s::operator()<t>(t)
  CHECK(unqualified("_ZNSt6vectorIiSaIiEEC1Ev") == "vector");    // its constructor
  CHECK(unqualified("_ZNSt6vectorIiSaIiEED1Ev") == "~vector");   // its destructor
  CHECK(unqualified("_ZN1s4nameB5cxx11Ev") == "name");           // s::name[abi:cxx11]()
  CHECK(unqualified("_ZN1n1fEi.constprop.0") == "f");            // n::f(int) [clone .constprop.0]
}

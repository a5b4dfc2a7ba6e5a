#include "tokens.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace lab::emulator::translate;

namespace {

std::vector<std::string> spellings(const std::string& text) {
  const token_list list = tokenize(text);
  std::vector<std::string> all;
  for (const token& t : list.code) all.emplace_back(list.spelling(t, text));
  return all;
}

using words = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("tokens");

TEST_CASE("a launch's brackets are one token to open and three to close") {
  CHECK(spellings("k<<<1,2>>>(x)") == words{"k", "<<<", "1", ",", "2", ">", ">", ">", "(", "x", ")"});
  CHECK(spellings("x << y >> z <<= 1") == words{"x", "<<", "y", ">", ">", "z", "<<=", "1"});
}

TEST_CASE("comments separate and disappear") {
  CHECK(spellings("a/* <<< */b // c\nd") == words{"a", "b", "d"});
  CHECK(spellings("a // goes on \\\n b\nc") == words{"a", "c"});
}

TEST_CASE("strings, characters and raw strings are single tokens") {
  CHECK(spellings(R"x("a\"<<<" u8'\'' L"b")x") == words{"\"a\\\"<<<\"", "u8'\\''", "L\"b\""});
  CHECK(spellings("R\"-(a)\" <<< \" )-\" c") == words{"R\"-(a)\" <<< \" )-\"", "c"});
}

TEST_CASE("numbers keep their separators, exponents and suffixes") {
  CHECK(spellings("1'000'000 1e+5f 0x1p-3 .5 1...2") == words{"1'000'000", "1e+5f", "0x1p-3", ".5", "1...2"});
}

TEST_CASE("a backslash-newline joins what it splits") {
  CHECK(spellings("__sha\\\nred__ a\\\r\nb") == words{"__shared__", "ab"});
  CHECK(tokenize("__sha\\\nred__").code.at(0).is(word::shared_));
}

TEST_CASE("digraphs mean the brackets they stand for") {
  const token_list list = tokenize("a<:1:> <% %> b<::c>");
  CHECK(list.code.at(1).is(op("[")));
  CHECK(list.code.at(3).is(op("]")));
  CHECK(list.code.at(4).is(op("{")));
  CHECK(list.code.at(5).is(op("}")));
  CHECK(list.code.at(7).is(op("<")));
  CHECK(list.code.at(8).is(op("::")));
}

TEST_CASE("directives stand apart from the program") {
  const std::string text = "a\n #define X(y) \\\n y<<<1,2>>>\nb /* \n */ # c\n#include <d'e>\n";
  const token_list list = tokenize(text);
  CHECK(spellings(text) == words{"a", "b", "#", "c"});
  REQUIRE(list.directives.size() == 2);
  CHECK(list.directives[0].kind == directive_kind::define);
  CHECK(list.directives[0].code_index == 1);
  CHECK(list.directives[0].last - list.directives[0].first == 12);
  CHECK(list.directive_tokens.at(list.directives[1].first).kind == token_kind::header_name);
  CHECK(list.problems.empty());
}

TEST_CASE("a # line may hold an apostrophe") {
  CHECK(tokenize("#error don't\n#define A \"x\n").problems.empty());
  CHECK(tokenize("don't\n").problems.size() == 1);
}

TEST_SUITE_END();

#include "names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace lab::trace {

std::string demangled(const char* name) {
  if (std::string_view(name).substr(0, 2) != "_Z") return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = result.find(unnamed, at)) != std::string::npos;)
    result.erase(at, unnamed.size());
  return result;
}

function_words words_of_function(const char* mangled) {
  const std::string whole = demangled(mangled);
  const auto nesting = [](char c) { return c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0; };
  std::size_t begin = 0, end = 0;
  for (int depth = 0; end < whole.size() && (depth > 0 || whole[end] != '('); ++end) {
    depth += nesting(whole[end]);
    if (depth == 0 && whole[end] == ' ') begin = end + 1;  // behind the return type, which templates have
  }
  const std::size_t last = whole.rfind(')');
  const bool has_parameters = end < whole.size() && last != std::string::npos && last > end;
  return {whole.substr(begin, end - begin), has_parameters ? whole.substr(end + 1, last - end - 1) : ""};
}

std::string unqualified(const char* mangled) {
  const std::string whole = demangled(mangled);
  std::size_t begin = 0, end = std::string::npos;
  int depth = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (depth == 0 && i == begin && whole.compare(i, 8, "operator") == 0) {
      // The signs in its name nest nothing.
      i = whole.compare(i + 8, 2, "()") == 0 ? i + 10 : whole.find('(', i);
      if (i >= whole.size()) break;
    }
    const char c = whole[i];
    if (depth == 0 && whole.compare(i, 2, "::") == 0) {
      begin = i++ + 2;
      end = std::string::npos;
    } else if (depth == 0 && end == std::string::npos && c == ' ') {
      begin = i + 1;  // behind the return type
    } else if (depth == 0 && end == std::string::npos && (c == '(' || c == '[')) {
      end = i;
    }
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
  }
  return whole.substr(begin, end - begin);
}

const char* copy_name(copy_direction direction) {
  switch (direction) {
    case copy_direction::host_to_device:
      return "copy host to device";
    case copy_direction::device_to_host:
      return "copy device to host";
    case copy_direction::host_to_host:
      return "copy host to host";
    default:
      return "copy device to device";
  }
}

}  // namespace lab::trace

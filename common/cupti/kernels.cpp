#include "kernels.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace lab::cupti {
namespace {

/// As the source has it, without the unnamed namespaces.
std::string demangled(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : mangled;
  std::free(text);
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = result.find(unnamed, at)) != std::string::npos;)
    result.erase(at, unnamed.size());
  return result;
}

/// Where the parameters of "void n::kernel<int (*)()>(float*)" begin; the name lies in [begin, end).
struct place_of_name {
  std::size_t begin = 0, end = 0;
};

place_of_name find_name(const std::string& whole) {
  place_of_name found;
  for (int depth = 0; found.end < whole.size() && (depth > 0 || whole[found.end] != '('); ++found.end) {
    const char c = whole[found.end];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (depth == 0 && c == ' ') found.begin = found.end + 1;  // from the return type on, which templates have
  }
  return found;
}

std::vector<std::string> parameters(const std::string& whole) {
  std::vector<std::string> list;
  std::string current;
  int depth = 0;
  for (std::size_t at = find_name(whole).end + 1; at < whole.size(); ++at) {
    const char c = whole[at];
    if (depth == 0 && (c == ',' || c == ')')) {
      list.push_back(std::exchange(current, ""));
      if (c == ')') break;
      continue;
    }
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (!current.empty() || c != ' ') current += c;
  }
  return list;
}

}  // namespace

std::string kernel_name(const char* mangled) {
  const std::string whole = demangled(mangled);
  const auto [begin, end] = find_name(whole);
  return whole.substr(begin, end - begin);
}

std::vector<byte_range> memory_of_arguments(const char* mangled, void* const* arguments) {
  std::vector<byte_range> touched;
  if (arguments == nullptr) return touched;
  const auto types = parameters(demangled(mangled));
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& type = types[i];
    if (type.empty() || type.back() != '*' || arguments[i] == nullptr) continue;
    address value;
    std::memcpy(&value, arguments[i], sizeof value);
    touched.push_back({value, 0, false});
    const std::string pointee = type.substr(0, type.size() - 1);
    const bool constant = pointee.size() > 5 && pointee.compare(pointee.size() - 5, 5, "const") == 0;
    if (!constant) touched.push_back({value, 0, true});
  }
  return touched;
}

}  // namespace lab::cupti

#include "kernels.hpp"

#include <cstring>
#include <trace/names.hpp>
#include <utility>

namespace lab::cupti {
namespace {

/// At the commas that nothing encloses.
std::vector<std::string> taken_apart(const std::string& parameters) {
  std::vector<std::string> list;
  std::string current;
  int depth = 0;
  for (const char c : parameters) {
    if (depth == 0 && c == ',') {
      list.push_back(std::exchange(current, ""));
      continue;
    }
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (!current.empty() || c != ' ') current += c;
  }
  list.push_back(current);
  return list;
}

}  // namespace

kernel_signature read_signature(const char* mangled) {
  const auto words = trace::words_of_function(mangled);
  kernel_signature kernel;
  kernel.name = words.name;
  const auto types = taken_apart(words.parameters);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& type = types[i];
    if (type.empty() || type.back() != '*') continue;
    const std::string pointee = type.substr(0, type.size() - 1);
    kernel.pointers.push_back(
        {i, pointee.size() > 5 && pointee.compare(pointee.size() - 5, 5, "const") == 0});
  }
  return kernel;
}

std::vector<byte_range> memory_of_arguments(const kernel_signature& kernel, void* const* arguments) {
  std::vector<byte_range> touched;
  if (arguments == nullptr) return touched;
  for (const auto& pointer : kernel.pointers) {
    if (arguments[pointer.position] == nullptr) continue;
    address value;
    std::memcpy(&value, arguments[pointer.position], sizeof value);
    touched.push_back({value, 0, false});
    if (!pointer.to_const) touched.push_back({value, 0, true});
  }
  return touched;
}

}  // namespace lab::cupti

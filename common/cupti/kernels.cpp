#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <trace/names.hpp>
#include <utility>

// From the linker: what KERNEL_USES has put there. A program without any has no such section.
extern "C" {
extern const lab::kernel_uses::annotation* const annotations_begin[] asm("__start_lab_kernel_uses")
    __attribute__((weak));
extern const lab::kernel_uses::annotation* const annotations_end[] asm("__stop_lab_kernel_uses")
    __attribute__((weak));
}

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

/// Neither a pointer nor of a class: it leads nowhere. An enumeration cannot be told from a class, and is
/// small.
bool is_number(std::string_view type) {
  constexpr std::string_view words[] = {"bool",  "char",     "signed char", "short",    "int",    "long",
                                        "float", "unsigned", "double",      "__int128", "wchar_t"};
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return type.substr(0, word.size()) == word && (type.size() == word.size() || type[word.size()] == ' ');
  });
}

/// The GPU's memory and that of the process lie above 4 GiB, and below what addresses can have.
bool may_be_address(address value) {
  return value >> 32 != 0 && value >> 57 == 0;
}

void add_assumed(std::vector<byte_range>& to, address begin, bool write, bool atomic) {
  to.push_back({begin, 0, false, true, atomic});
  if (write) to.push_back({begin, 0, true, true, atomic});
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "Pfi" of "FvPfiE", the mangled type of a kernel; as its mangled name ends too, where it is no template and
/// no parameter has the type of a class from the kernel's namespace.
std::string_view parameters_of(const std::type_info& type) {
  const std::string_view mangled = type.name();
  return mangled.substr(2, mangled.size() - 3);
}

const kernel_uses::annotation* annotation_of(const std::string& name, std::string_view mangled) {
  for (auto* each = annotations_begin; each != annotations_end; ++each) {
    const kernel_uses::annotation& known = **each;
    const bool same_name = name == known.kernel || ends_with(name, std::string("::") + known.kernel);
    if (same_name && ends_with(mangled, parameters_of(known.type))) return &known;
  }
  return nullptr;
}

std::vector<byte_range> annotated_memory(const kernel_uses::annotation& annotation, void* const* arguments) {
  std::vector<byte_range> used;
  for (const auto& each : annotation.of_launch(arguments).all) {
    const auto begin = reinterpret_cast<address>(each.begin);
    if (each.bytes == 0) continue;
    if (each.reads) used.push_back({begin, each.bytes, false});
    if (each.writes) used.push_back({begin, each.bytes, true});
  }
  return used;
}

}  // namespace

kernel_signature read_signature(const char* mangled) {
  const auto words = trace::words_of_function(mangled);
  kernel_signature kernel;
  kernel.name = words.name;
  const auto types = taken_apart(words.parameters);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& type = types[i];
    if (type.empty()) continue;
    if (type.back() != '*') {
      if (!is_number(type)) kernel.objects.push_back({i, 0});
      continue;
    }
    const std::string pointee = type.substr(0, type.size() - 1);
    const auto has = [&](const char* word) {
      return pointee.find(word, pointee.find_last_of("*>") + 1) != std::string::npos;
    };
    kernel.pointers.push_back({i, has(" const"), has(" volatile")});
  }
  kernel.annotation = annotation_of(kernel.name, mangled);
  return kernel;
}

std::string name_of_variable(const char* mangled) {
  std::string name = trace::demangled(mangled);
  // nvcc's own namespace around what is internal to a file
  if (const auto own = name.find("_INTERNAL_"); own != std::string::npos) {
    const auto end = name.find("::", own);
    if (end != std::string::npos) name.erase(own, end + 2 - own);
  }
  return name;
}

std::vector<byte_range> memory_of_arguments(const kernel_signature& kernel, void* const* arguments) {
  std::vector<byte_range> touched;
  if (arguments == nullptr) return touched;
  if (kernel.annotation != nullptr) return annotated_memory(*kernel.annotation, arguments);
  for (const auto& pointer : kernel.pointers) {
    if (arguments[pointer.position] == nullptr) continue;
    address value;
    std::memcpy(&value, arguments[pointer.position], sizeof value);
    add_assumed(touched, value, !pointer.to_const, pointer.to_volatile);
  }
  for (const auto& object : kernel.objects) {
    const auto* bytes = static_cast<const char*>(arguments[object.position]);
    for (std::size_t at = 0; bytes != nullptr && at + sizeof(address) <= object.bytes;
         at += sizeof(address)) {
      address value;
      std::memcpy(&value, bytes + at, sizeof value);
      if (may_be_address(value)) add_assumed(touched, value, true, false);
    }
  }
  return touched;
}

}  // namespace lab::cupti
